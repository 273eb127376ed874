"""Averages over the signals of a student that learns noisy labels of a teacher, which may have other units.

Notation as in `teacher_averages`: response, noise and readout of the signals s_k = v_k g'(z_k) err. The error is
err = sum_m A_m h(nu_m) + s zeta - sum_k v_k g(lambda_k), where zeta ~ N(0, 1) and s is the standard deviation of the
label noise.

Closed forms exist if student and teacher have erf, relu or polynomial units, with two exceptions: a relu student of a
polynomial teacher, and a polynomial student of a teacher with other units. A linear student has closed forms for each
of these teachers. All other averages over one or two fields come from Hermite series, and from one-dimensional
integrals where units of the teacher jump. The noise, an average over all fields, is then computed at quasi-random
points.

Source: saad1995 for erf units; goldt2021; own derivation of the other forms.
"""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload
from scipy.stats import norm

from twolayer.errors import ConfigError
from twolayer.model.networks.activations import RELU, Activation, as_activation, compiled_slope, compiled_value
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.theory.averages.hermite_series import resolved_grid
from twolayer.theory.averages.nodes import Nodes
from twolayer.theory.averages.relu_noise import erf_erf_average, relu_and_erf_average, relu_relu_average
from twolayer.theory.averages.series_units import two_field_averages
from twolayer.theory.averages.unit_forms import (
    ERF_UNIT,
    POLYNOMIAL,
    RELU_UNIT,
    UnitForm,
    degree_of,
    erf_product,
    erf_slopes,
    fill_derivative_means,
    four_polynomials,
    pair_curvature,
    pair_product,
    pair_slopes,
    unit_form,
)
from twolayer.theory.teacher_student.teacher_averages import Averages, averages_room, erf_averages

GradientNoise = Literal["full", "labels", "none"]


class _Problem(NamedTuple):
    """Units in the form for compiled code.

    The class selects the code, so that a process compiles only the averages of its units.

    Attributes:
        student, teacher: forms. full: whether the error contributes to the noise.
        label_variance: s^2, or 0 if it does not contribute to the noise.
    """

    student: UnitForm
    teacher: UnitForm
    full: bool
    label_variance: float


class _ErfPair(_Problem):
    """Erf units of both networks."""


class _ErfStudent(_Problem):
    """Erf units of the student, and other units of the teacher."""


class _ReluStudent(_Problem):
    """Relu units of the student."""


class _PolynomialStudent(_Problem):
    """Polynomial units of the student."""


_STUDENTS = {ERF_UNIT: _ErfStudent, RELU_UNIT: _ReluStudent, POLYNOMIAL: _PolynomialStudent}


@dataclass(frozen=True, eq=False)
class Signals:
    """Units of a student and its teacher, and the settings of their averages.

    Attributes:
        student, teacher: activations. label_noise: standard deviation s of the noise of the labels.
        gradient_noise: the included part of the noise: `full`, `labels` (the part of the label noise) or `none`.
        points: points for averages without a closed form.
    """

    student: Activation
    teacher: Activation
    label_noise: float = 0.0
    gradient_noise: GradientNoise = "full"
    points: Nodes | None = None

    def __post_init__(self):
        for name in ("student", "teacher"):
            object.__setattr__(self, name, as_activation(getattr(self, name)))

    @property
    def compiled(self) -> _Problem | None:
        """The form for compiled code, or None if there are no closed forms."""
        student, teacher = unit_form(self.student), unit_form(self.teacher)
        if student is None or teacher is None or not _closed(student, teacher):
            return None
        variance = 0.0 if self.gradient_noise == "none" else self.label_noise**2
        full = self.gradient_noise == "full"
        erf_pair = student.code == teacher.code == ERF_UNIT
        return (_ErfPair if erf_pair else _STUDENTS[student.code])(student, teacher, full, variance)

    @property
    def exact(self) -> bool:
        """Whether all averages have closed forms."""
        return self.compiled is not None

    @property
    def needs_points(self) -> bool:
        """Whether an average is computed at points."""
        return not self.exact and self.gradient_noise != "none"

    def require_variances(self, order: OrderParameters) -> None:
        """Raise an error for pre-activations of variance 0 if the averages are undefined there.

        Raises:
            ConfigError: there are pre-activations of this kind.
        """
        for network, unit, variances in (
            ("student", self.student, np.diag(order.Q)),
            ("teacher", self.teacher, np.diag(order.T)),
        ):
            if (not self.exact or unit == RELU) and not variances.all():
                number = int(np.argmin(variances)) + 1
                raise ConfigError(
                    f"unit {number} of the {network} starts with weights 0, where the averages of {self.student.name} "
                    f"and {self.teacher.name} units have no formula: give it a small variance, as 1e-12"
                )

    def with_points(self, points: Nodes) -> "Signals":
        """Return the signals with other points."""
        return replace(self, points=points)

    def averages(self, C: np.ndarray, u: np.ndarray, hidden: int) -> Averages:
        """Return response, noise and readout of the signals.

        Args:
            C: (K + M, K + M) covariance of the fields. u: (K + M,) output weights (v, -A). hidden: K.
        """
        problem = self.compiled
        if problem is not None:
            averages, room = averages_room(hidden, len(u))
            signal_averages(problem, C, u, averages, room)
            return averages
        return self._sampled(C, u, hidden)

    def pmse(self, C: np.ndarray, u: np.ndarray, hidden: int) -> np.ndarray:
        """Return half the mean squared error (T,) without label noise, from C (T, K + M, K + M) and u (T, K + M)."""
        problem, C, u = self.compiled, np.ascontiguousarray(C), np.ascontiguousarray(u)
        if problem is not None:
            errors = [squared_error(problem, *one, hidden) for one in zip(C, u, strict=True)]
        else:
            units, zero = _SideBySide(self.student, self.teacher, hidden), np.zeros((1, C.shape[-1]))
            errors = [two_field_averages(units, zero, *one, np.zeros((1, 1)))[3][0] for one in zip(C, u, strict=True)]
        return 0.5 * np.maximum(errors, 0.0)  # values below zero are rounding errors

    def defined(self, C: np.ndarray) -> bool:
        """Return whether fields of this covariance (K + M, K + M) have averages."""
        return bool(np.isfinite(C).all() and (self.exact or (np.diag(C) > 0).all()))

    def noise(self, C: np.ndarray, u: np.ndarray, hidden: int) -> np.ndarray:
        """Return the noise of `averages`."""
        return self.averages(C, u, hidden).noise if self.exact else self._noise_at_points(C, u, hidden)

    def _noise_at_points(self, C, u, hidden):
        if self.gradient_noise == "none":
            return np.zeros((hidden, hidden))
        full = self.gradient_noise == "full"
        compiled = self.student.compiled, self.teacher.compiled
        return _sampled_noise(*compiled, u, hidden, self.points.points(C), full, self.label_noise**2)

    def _sampled(self, C, u, hidden):
        units = _SideBySide(self.student, self.teacher, hidden)
        _, response, readout, _ = two_field_averages(units, np.zeros((1, len(u))), C, u, np.zeros((1, 1)))
        response = response[0, :hidden] + self._response_at_jumps(C, u, hidden)
        return Averages(response, self._noise_at_points(C, u, hidden), readout[0, :hidden].copy())

    def _response_at_jumps(self, C, u, hidden):
        """Return the part of the response (K, K + M) from jumps of the teacher's units, where h' is a delta function.

        The derivative h' also enters <g''_k h_m>, by partial integration of <z_k g'_k h_m>.
        """
        response, (places, heights) = np.zeros((hidden, len(u))), self.teacher.jumps
        if not places.size:
            return response
        Q, R, T = np.diag(C)[:hidden, None], C[:hidden, hidden:], np.diag(C)[hidden:]
        means = places[:, None, None] * (R / T).T  # of z_k for a given nu_m
        deviations = np.broadcast_to(np.sqrt(np.maximum(Q - R**2 / T, 0.0)).T, means.shape)  # below 0 by rounding
        grid = resolved_grid(self.student, means, deviations)
        densities = heights[:, None] * norm.pdf(places[:, None], scale=np.sqrt(T))
        slopes = np.einsum("jm,jmk->km", densities, grid.mean(self.student.slope(grid.fields)))
        response[:, hidden:] = -np.outer(u[:hidden], u[hidden:]) * slopes
        response[:, :hidden] = -np.diag(np.sum(response[:, hidden:] * R / Q, axis=1))
        return response


@dataclass(frozen=True, eq=False)
class _SideBySide:
    """Two activations as one activation of all fields (..., K + M, n): the first `hidden` fields are the student's."""

    student: Activation
    teacher: Activation
    hidden: int
    fine_table = None  # two activations have no common table

    @property
    def name(self):
        return f"{self.student.name}, {self.teacher.name}"

    @property
    def parts(self):
        return self.student, self.teacher

    @property
    def kinks(self):
        return np.union1d(self.student.kinks, self.teacher.kinks)

    def value(self, fields):
        student, teacher = fields[..., : self.hidden, :], fields[..., self.hidden :, :]
        return np.concatenate([self.student.value(student), self.teacher.value(teacher)], axis=-2)

    def slope(self, fields):
        student, teacher = fields[..., : self.hidden, :], fields[..., self.hidden :, :]
        return np.concatenate([self.student.slope(student), self.teacher.slope(teacher)], axis=-2)


def _closed(student, teacher):
    if student.code == ERF_UNIT:
        return True
    if student.code == RELU_UNIT:
        return teacher.code != POLYNOMIAL
    return teacher.code == POLYNOMIAL or degree_of(student) <= 1


@njit(cache=True)
def _sampled_noise(g, h, u, hidden, points, full, label_variance):
    """Return <s_k s_l> (K, K) over points (n, K + M) of the fields."""
    noise, signal = np.zeros((hidden, hidden)), np.empty(hidden)
    for point in points:
        error = 0.0
        for a in range(u.size):
            error -= u[a] * (compiled_value(g, point[a]) if a < hidden else compiled_value(h, point[a]))
        square = label_variance + (error * error if full else 0.0)
        for k in range(hidden):
            signal[k] = u[k] * compiled_slope(g, point[k])
            for j in range(k + 1):
                noise[k, j] += square * signal[k] * signal[j]
    for k in range(hidden):
        for j in range(k + 1):
            noise[k, j] /= len(points)
            noise[j, k] = noise[k, j]
    return noise


@njit(cache=True)
def _form(problem, a, hidden):
    return problem.student if a < hidden else problem.teacher


@njit(cache=True)
def _derivative_means(problem, C, hidden):
    """Return (K + M, n) means of the derivatives of all units."""
    highest = 1
    for form in (problem.student, problem.teacher):
        if form.code == POLYNOMIAL:
            highest = max(highest, degree_of(form))
    means = np.empty((len(C), highest + 3))
    for a in range(len(C)):
        fill_derivative_means(_form(problem, a, hidden), C[a, a], means[a])
    return means


def _by_class(function, implementations):
    """Let compiled code call the implementation of the class of the problem, which is the first argument."""

    def chosen(problem, *_):
        return next(one for cls, one in implementations.items() if issubclass(problem.instance_class, cls))

    overload(function, strict=False)(chosen)


def _product(problem, a, b, C, means, hidden):
    """Return the average of the product of two units; compiled code only."""


def _erf_pair_product(problem, a, b, C, means, hidden):
    return erf_product(C[a, a], C[b, b], C[a, b])


def _any_product(problem, a, b, C, means, hidden):
    f, h = _form(problem, a, hidden), _form(problem, b, hidden)
    return pair_product(f, h, C[a, a], C[b, b], C[a, b], means[a], means[b])


_by_class(_product, {_ErfPair: _erf_pair_product, _Problem: _any_product})


@njit(cache=True)
def squared_error(problem, C, u, hidden):
    """Return <err^2> without label noise."""
    return _error_square(problem, C, u, _means_of(problem, C, hidden), hidden)


def _means_of(problem, C, hidden):
    """Return what `_product` needs to know of the derivatives of all units; compiled code only."""


def _no_means(problem, C, hidden):
    return np.empty((0, 0))


def _all_means(problem, C, hidden):
    return _derivative_means(problem, C, hidden)


_by_class(_means_of, {_ErfPair: _no_means, _Problem: _all_means})


@njit(cache=True)
def _error_square(problem, C, u, means, hidden):
    total = 0.0
    for a in range(u.size):
        for b in range(a + 1):
            total += (1 if a == b else 2) * u[a] * u[b] * _product(problem, a, b, C, means, hidden)
    return total


@njit(cache=True)
def signal_averages(problem, C, u, averages, room):
    """Fill response, noise and readout of units with closed forms, in arrays from `averages_room`."""
    _fill_averages(problem, C, u, averages, room)


def _fill_averages(problem, C, u, averages, room):
    """The same; compiled code only."""


def _erf_pair_averages(problem, C, u, averages, room):
    erf_averages(C, u, averages, room, problem.full)
    _add_label_noise(problem, C, u, averages, _means_of(problem, C, averages.readout.size))


def _any_averages(problem, C, u, averages, room):
    hidden = averages.readout.size
    means = _derivative_means(problem, C, hidden)
    for k in range(hidden):
        curvature, averages.readout[k] = 0.0, 0.0
        for a in range(u.size):
            f, h = _form(problem, k, hidden), _form(problem, a, hidden)
            distribution = (C[k, k], C[a, a], C[k, a], means[k], means[a])
            averages.response[k, a] = -u[k] * u[a] * pair_slopes(f, h, *distribution)
            averages.readout[k] -= u[a] * pair_product(f, h, *distribution)
            curvature -= u[a] * pair_curvature(f, h, *distribution)
        averages.response[k, k] += u[k] * curvature
    averages.noise[:] = 0.0
    if problem.full:
        _fill_noise(problem, C, u, means, averages.noise)
    _add_label_noise(problem, C, u, averages, means)


_by_class(_fill_averages, {_ErfPair: _erf_pair_averages, _Problem: _any_averages})


@njit(cache=True)
def _add_label_noise(problem, C, u, averages, means):
    """Add s^2 <g'_k g'_l> v_k v_l."""
    if problem.label_variance == 0:
        return
    hidden = averages.readout.size
    for k in range(hidden):
        for j in range(hidden):
            averages.noise[k, j] += problem.label_variance * u[k] * u[j] * _slopes(problem, k, j, C, means)


def _slopes(problem, k, j, C, means):
    """Return the average of the product of the slopes of two units of the student; compiled code only."""


def _erf_pair_slopes(problem, k, j, C, means):
    return erf_slopes(C[k, k], C[j, j], C[k, j])


def _any_slopes(problem, k, j, C, means):
    return pair_slopes(problem.student, problem.student, C[k, k], C[j, j], C[k, j], means[k], means[j])


_by_class(_slopes, {_ErfPair: _erf_pair_slopes, _Problem: _any_slopes})


def _fill_noise(problem, C, u, means, noise):
    """Fill <g'_k g'_l err^2> v_k v_l, without label noise; compiled code only."""


def _erf_noise(problem, C, u, means, noise):
    for k in range(len(noise)):
        for j in range(k + 1):
            noise[k, j] = noise[j, k] = u[k] * u[j] * _tilted_square(problem, C, u, k, j, len(noise))


def _relu_noise(problem, C, u, means, noise):
    raised = _with_raised_copies(C, len(noise))
    for k in range(len(noise)):
        for j in range(k + 1):
            noise[k, j] = noise[j, k] = u[k] * u[j] * _relu_square(problem, C, raised, u, k, j, len(noise))


def _polynomial_noise(problem, C, u, means, noise):
    hidden, linear = len(noise), degree_of(problem.student) <= 1
    square = means[0, 1] * means[0, 1] * _error_square(problem, C, u, means, hidden) if linear else 0.0
    for k in range(hidden):
        for j in range(k + 1):
            if not linear:
                square = _polynomial_square(problem, C, u, means, k, j, hidden)
            noise[k, j] = noise[j, k] = u[k] * u[j] * square


_by_class(_fill_noise, {_ErfStudent: _erf_noise, _ReluStudent: _relu_noise, _PolynomialStudent: _polynomial_noise})


@njit(cache=True)
def _tilted_square(problem, C, u, k, j, hidden):
    """Return <g'_k g'_j err^2> of erf units g: a mean square in the distribution weighted with both slopes."""
    over_k, over_j = 1 + C[k, k], 1 + C[j, j]
    determinant = over_k * over_j - C[k, j] ** 2
    tilted = np.empty_like(C)
    for a in range(len(C)):
        of_k = (over_j * C[k, a] - C[k, j] * C[j, a]) / determinant
        of_j = (over_k * C[j, a] - C[k, j] * C[k, a]) / determinant
        for b in range(len(C)):
            tilted[a, b] = C[a, b] - of_k * C[k, b] - of_j * C[j, b]
    return 2 / np.pi / np.sqrt(determinant) * squared_error(problem, tilted, u, hidden)


@njit(cache=True)
def _polynomial_square(problem, C, u, means, k, j, hidden):
    """Return <g'_k g'_j err^2> of polynomial units g, one pair of units at a time."""
    total = 0.0
    for a in range(u.size):
        for b in range(a + 1):
            weight = (1 if a == b else 2) * u[a] * u[b]
            degrees = degree_of(_form(problem, a, hidden)), degree_of(_form(problem, b, hidden))
            total += weight * four_polynomials(degree_of(problem.student) - 1, *degrees, k, j, a, b, C, means)
    return total


@njit(cache=True)
def _relu_square(problem, C, raised, u, k, j, hidden):
    """Return <g'_k g'_j err^2> of relu units g, one pair of units at a time."""
    total = 0.0
    for a in range(u.size):
        for b in range(a + 1):
            weight = (1 if a == b else 2) * u[a] * u[b]
            if problem.teacher.code == RELU_UNIT or a < hidden:
                total += weight * relu_relu_average(C, k, j, a, b)
            elif b < hidden:
                total += weight * relu_and_erf_average(raised, k, j, b, a)
            else:
                copy = a + u.size - hidden if a == b else a
                total += weight * erf_erf_average(raised, k, j, copy, b)
    return total


@njit(cache=True)
def _with_raised_copies(C, hidden):
    """Return the covariance of the student's fields and of two copies of the teacher's, each plus independent
    N(0, 1).
    """
    fields, teachers = len(C), len(C) - hidden
    raised = np.empty((fields + teachers, fields + teachers))
    for a in range(fields + teachers):
        for b in range(fields + teachers):
            raised[a, b] = C[a if a < fields else a - teachers, b if b < fields else b - teachers]
        raised[a, a] += 1.0 if a >= hidden else 0.0
    return raised
