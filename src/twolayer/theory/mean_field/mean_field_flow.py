"""The mean-field limit of variable projection on the circle at finite ridge: infinitely many features and data.

A relu without bias depends only on some harmonics of the feature distribution. With Gaussian inputs x in the plane,

    <relu(w . x) relu(w' . x)>_x = sum_k s_k exp(i k (t - t')),   t, t' the angles of w, w',

    s_0 = 2 / pi^2,   s_1 = 1/8,   s_k = 2 / (pi^2 (k^2 - 1)^2) for even k,   s_k = 0 for odd k >= 3.

The outer weights u = c + h that minimise the risk of a feature density f are a sum of the visible harmonics,

    lambda h_k / s_k + <e^(-ikt) h>_f = d_k,   d_k = <e^(-ikt)>_f* - c <e^(-ikt)>_f,

The reduced risk is sum_k conj(d_k) h_k / 2, and f moves with the velocity u u', half the slope of u^2.

The flow is solved along its characteristics: every quantile of f moves with the velocity at its place. Averages over f
are means over equispaced quantiles, which converge faster than any power of their number, and the quantiles are the
features of a network without sampling noise.

With another regularisation phi of the outer weights the sum of the visible harmonics is phi'(u) = h,

    lambda h_k / s_k + <e^(-ikt) u>_f = <e^(-ikt)>_f*,

and f moves with the velocity u h'. The h minimises the convex dual, lambda / 2 sum_k |h_k|^2 / s_k + <phi*(h)>_f
- <h>_f* with phi* the conjugate, whose least value is minus the reduced risk.

As the ridge vanishes, the visible harmonics determine u completely. The limit differs from the ultra-fast diffusion,
where u = f*/f includes the invisible harmonics.

Source: barboni2025, sections 2 and 5, for the risk; own derivation of the flow.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.networks.power_entropies import weight_of_slope
from twolayer.model.teachers.teacher_distributions import CircleTeacher

_TOLERANCE = 1e-7  # relative tolerance of the positions; the absolute one is a hundred times smaller
_MOST_EVALUATIONS = 150_000  # evaluations of the velocity, ten times as many as the paper's flows need
_RESIDUAL, _MOST_STEPS, _SHORTEST = 1e-12, 100, 1e-15  # of Newton's method, for powers other than 2


@dataclass(frozen=True, eq=False)
class MeanFieldFlow:
    """The flow for one teacher, ridge and regularisation.

    Attributes:
        ridge: lambda. offset: c, 1 for the unbiased and 0 for the biased risk.
        wavenumbers: (B,), the visible ones between -harmonics and harmonics. strengths: (B,), s_k.
        target: (B,), <e^(-ikt)> over the teacher distribution.
        power: power of the regularisation, see `power_entropies`. A power below 2 requires an offset of 1.
    """

    ridge: float
    offset: float
    wavenumbers: np.ndarray
    strengths: np.ndarray
    target: np.ndarray
    power: float = 2.0

    @classmethod
    def of(
        cls, teacher: CircleTeacher, ridge: float, offset: float, harmonics: int, power: float = 2.0
    ) -> "MeanFieldFlow":
        """Return the flow with all harmonics up to `harmonics`, an even number.

        Raises:
            ConfigError: the ridge is not positive, or `harmonics` not even and positive.
        """
        if not ridge > 0:
            raise ConfigError(f"ridge is {ridge:g}: the mean-field flow needs a positive one")
        if harmonics < 2 or harmonics % 2:
            raise ConfigError(f"harmonics is {harmonics}: the mean-field flow needs an even number, at least 2")
        even = np.arange(2, harmonics + 1, 2)
        positive = np.concatenate([[1], even])
        strength = np.concatenate([[1 / 8], 2 / (np.pi * (even**2 - 1)) ** 2])
        wavenumbers = np.concatenate([-positive[::-1], [0], positive])
        strengths = np.concatenate([strength[::-1], [2 / np.pi**2], strength])
        return cls(ridge, offset, wavenumbers, strengths, teacher.harmonics(wavenumbers), power)

    def outer_weights(self, angles: np.ndarray) -> tuple[np.ndarray, float]:
        """Return h (B,) and the reduced risk, for quantiles at `angles` (n,)."""
        return self._project(self._powers(angles))

    def velocity(self, angles: np.ndarray) -> np.ndarray:
        """Return the velocity u h' at quantiles (n,)."""
        powers = self._powers(angles)
        k, terms = self._upper(self._project(powers)[0])
        field, slope = (np.stack([terms, 1j * k * terms]) @ powers[k]).real
        u = self.offset + field if self.power == 2 else weight_of_slope(field, self.power)
        return u * slope

    def solve(self, times: np.ndarray, quantiles: int) -> tuple[np.ndarray, np.ndarray]:
        """Return quantiles (T, n) and reduced risk (T,) at increasing times from 0 on, from the uniform density.

        Raises:
            NotConverged: the integration stops before the last time.
        """
        start = -np.pi + (np.arange(quantiles) + 0.5) * 2 * np.pi / quantiles
        span, precision = (times[0], times[-1]), {"rtol": _TOLERANCE, "atol": _TOLERANCE / 100}
        evaluations = itertools.count(1)

        def velocity(time, angles):
            if next(evaluations) > _MOST_EVALUATIONS:
                raise NotConverged(
                    f"the mean-field flow takes more than {_MOST_EVALUATIONS:,} evaluations, and is at time {time:.3g} "
                    f"of {times[-1]:.3g}: raise the ridge, which is {self.ridge:g}, or lower harmonics or gamma"
                )
            return self.velocity(angles)

        result = solve_ivp(velocity, span, start, "DOP853", times, **precision)
        if not result.success:
            raise NotConverged(f"the mean-field flow stopped ({result.message}): use a larger ridge than {self.ridge}")
        return result.y.T, np.array([self.outer_weights(angles)[1] for angles in result.y.T])

    def _powers(self, angles):
        """Return exp(i k t) for k = 0 ... harmonics, (harmonics + 1, n)."""
        powers = np.ones((self.wavenumbers[-1] + 1, len(angles)), complex)
        powers[1] = np.exp(1j * angles)
        known = 1
        while known < len(powers) - 1:  # the known powers times the last known power are the next powers
            more = powers[known + 1 : 2 * known + 1]
            np.multiply(powers[1 : len(more) + 1], powers[known], out=more)
            known += len(more)
        return powers

    def _upper(self, h):
        """Return wavenumbers k from 0 on, and terms.

        The real parts of the terms times exp(i k t) sum to the field.
        """
        upper = self.wavenumbers >= 0
        k = self.wavenumbers[upper]
        return k, np.where(k > 0, 2, 1) * h[upper]  # the lower half is the complex conjugate

    @staticmethod
    def _moments(powers, weighted):
        """Return <w e^(ikt)> for k = 0 ... 2 harmonics, from `weighted`, the powers times w.

        A negative index is a negative k.
        """
        top = powers.shape[0] - 1
        moments = np.concatenate([weighted.mean(axis=1), weighted[1:] @ powers[top] / powers.shape[1]])
        return np.concatenate([moments, moments[:0:-1].conj()])

    def _solve(self, curvature, gap):
        """Return (curvature + ridge / strengths)^-1 gap for a positive curvature, which is overwritten."""
        curvature.flat[:: len(curvature) + 1] += self.ridge / self.strengths
        return cho_solve(cho_factor(curvature, check_finite=False), gap, check_finite=False)

    def _project(self, powers):
        if self.power != 2:
            return self._project_by_newton(powers)
        moments, k = self._moments(powers, powers), self.wavenumbers
        gap = self.target - self.offset * moments[-k]
        h = self._solve(moments[k - k[:, None]], gap)
        return h, float((gap.conj() @ h).real / 2)

    def _project_by_newton(self, powers):
        """Return the minimiser of the dual, by steps that are halved until the dual falls."""
        k, h = self.wavenumbers, np.zeros(len(self.wavenumbers), complex)
        u, dual = self._dual(powers, h)
        for _ in range(_MOST_STEPS):
            gap = self.target - self._moments(powers, powers * u)[-k] - self.ridge / self.strengths * h
            if abs(gap).max() <= _RESIDUAL:
                return h, -dual
            curvature = self._moments(powers, powers * u ** (2 - self.power))[k - k[:, None]]
            step = self._solve(curvature, gap)
            slope = float((gap.conj() @ step).real)
            length = 1.0
            while not (reached := self._dual(powers, h + length * step))[1] <= dual - 0.1 * length * slope + _RESIDUAL:
                length /= 2
                if length < _SHORTEST:
                    raise self._not_projected()
            h, (u, dual) = h + length * step, reached
        raise self._not_projected()

    def _not_projected(self):
        return NotConverged(
            f"the projection of the mean-field flow did not converge at ridge {self.ridge:g}: raise the ridge"
        )

    def _dual(self, powers, h):
        """Return u at the quantiles, and the dual."""
        k, terms = self._upper(h)
        u = weight_of_slope((terms @ powers[k]).real, self.power)
        pull = self.ridge / 2 * (abs(h) ** 2 / self.strengths).sum()
        return u, float(pull + ((u**self.power - 1) / self.power).mean() - (self.target.conj() @ h).real)
