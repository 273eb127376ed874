"""The replica equations of logistic regression on labels sign nu.

With the student's field omega = sqrt q xi, a training output is the proximal point x of omega, where x = omega + V f
and f = sigma(-x) is the pull of a positive label; negative ones follow by symmetry. Given xi, a label is positive with
probability Z / 2, Z = erfc(-xi sinh a / sqrt 2), where tanh a = m / sqrt(rho q) is the cosine of the two fields.

Source: goldt2021, replica equations of logistic regression.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import vectorize
from scipy.special import erfc, expit

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.replica.replica_equations import (
    Errors,
    Overlaps,
    Spectrum,
    check_problem,
    class_error,
    cosine_of,
    mode_overlaps,
    training_class_error,
)

_TOLERANCE = 1e-11  # of log V, log q and a
_LARGEST_CHANGE = 2.0  # of these in a Newton step
_SMALLEST_STEP = 1e-3  # of the continuation, in log ridge
_REACH = 9.0  # standard deviations that an average goes to
_MOST_NODES = 10**5  # on either side of zero
_BUDGET = 2 * 10**7  # nodes of all averages of a solution, a hundred times what an ordinary one takes
_NODES_OF_OTHERS = 10**4  # that an evaluation counts for where the loss is not the logistic one

# from spectrum, sample ratio, V, q and the angle a to V_hat, q_hat and m_hat
Conjugates = Callable[[Spectrum, float, float, float, float], tuple[float, float, float]]


@vectorize(["float64(float64, float64)"], cache=True)
def proximal_point(omega, V):
    """x with x = omega + V sigma(-x), elementwise.

    The equation is convex below zero and concave above: from the right start, Newton's method is monotone until
    rounding turns it back, and needs no safeguard.
    """
    x = max(omega, 0.0) if omega > -V / 2 else min(omega + V, 0.0)
    forward = 0.0
    for _ in range(200):  # a dozen unless a number is not finite
        f = 1 / (1 + math.exp(x)) if x < 700 else 0.0
        step = (omega + V * f - x) / (1 + V * f * (1 - f))
        if step * forward < 0 or abs(step) <= 1e-15 * (1 + abs(x)):
            return x + step
        x, forward = x + step, step
    return np.nan


def logistic_conjugates(
    spectrum: Spectrum, sample_ratio: float, V: float, q: float, angle: float
) -> tuple[float, float, float]:
    """V_hat, q_hat and m_hat from the overlaps, of which m is given by the angle a."""
    xi, density = _nodes(q, angle)
    f = expit(-proximal_point(math.sqrt(q) * xi, V))
    k, Z = f * (1 - f), label_share(xi, angle)
    # Given that nu = 0, where the mean label has its slope, xi is narrower by cosh a.
    at_zero = expit(-proximal_point(math.sqrt(q) / math.cosh(angle) * xi, V))
    return (
        sample_ratio * float(density @ (Z * k / (1 + V * k))),
        sample_ratio * float(density @ (Z * f**2)),
        sample_ratio * math.sqrt(2 / (math.pi * spectrum.power)) * float(density @ at_zero),
    )


def _nodes(q, angle):
    """Equally spaced nodes and weights of a Gaussian average.

    The trapezoidal rule converges exponentially: the integrand is analytic as far as pi / sqrt q from the real axis,
    and the label's step has the width 1 / sinh a. The spacing leaves an error of about 1e-15.
    """
    spacing = _spacing(q, angle)
    half = math.ceil(_REACH / spacing)
    if half > _MOST_NODES:
        raise NotConverged(
            f"an average over a field of variance {q:.2g}, aligned up to {1 / math.cosh(angle):.2g}, takes {2 * half} "
            "nodes: raise ridges"
        )
    xi = spacing * np.arange(-half, half + 1)
    return xi, spacing * np.exp(-(xi**2) / 2) / math.sqrt(2 * math.pi)


def _spacing(q, angle):
    return min(0.25, 0.5 / math.sqrt(q), 0.35 / math.cosh(angle))


def _count(q, angle):
    """Nodes of an average; where they are too many there is none."""
    return min(2 * _REACH / _spacing(q, angle), 2 * _MOST_NODES)


def label_share(xi: np.ndarray, angle: float) -> np.ndarray:
    """Z: twice the probability of a positive label, given xi."""
    return erfc(-xi * (math.sinh(angle) / math.sqrt(2)))


def logistic_overlaps(
    spectrum: Spectrum, sample_ratio: float, ridge: float, conjugates: Conjugates = logistic_conjugates
) -> Overlaps:
    """The solution for the loss log(1 + exp(-y z)), by Newton's method, continued from a strong ridge.

    Args:
        sample_ratio: alpha = n / d. conjugates: of another loss of y z.

    Raises:
        ConfigError: sample ratio or ridge is not positive, or the features or labels have no variance.
        NotConverged: the continuation comes to a halt, or takes too many nodes.
    """
    check_problem(sample_ratio, ridge)
    scale, goal, step = spectrum.average(spectrum.eigenvalues), math.log(ridge), math.log(10)
    if not (scale > 0 and spectrum.power > 0):
        raise ConfigError("the covariates have features, or labels, without variance: give others")
    problem = _Problem(conjugates, spectrum, sample_ratio)
    at = target = math.log(max(ridge, 2 * sample_ratio * scale))
    state = np.array([math.log(scale) - at, -at, 0.0])  # hardly anything learnt
    while True:
        found, residual = _newton(state, problem, math.exp(target))
        if residual <= _TOLERANCE:
            if target == goal:
                return _solution(found, conjugates, spectrum, sample_ratio)
            at, state = target, found
        elif (step := step / 2) < _SMALLEST_STEP or problem.spent > _BUDGET:
            raise NotConverged(
                f"the replica equations at sample ratio {sample_ratio:g} and ridge {ridge:g} stop converging at ridge "
                f"{math.exp(target):.3g} with residual {residual:.2g} after {problem.evaluations} evaluations: raise "
                "ridges or change sample_ratios"
            )
        target = max(goal, at - step)


@dataclass(eq=False)
class _Problem:
    """The equations at any ridge, and the work that they have taken.

    Attributes:
        evaluations: of the equations. spent: nodes of their averages.
    """

    conjugates: Conjugates
    spectrum: Spectrum
    sample_ratio: float
    evaluations: int = 0
    spent: float = 0.0

    def excess(self, state: np.ndarray, ridge: float) -> np.ndarray:
        """What the equations change in log V, log q and a; infinity where they have no finite value."""
        self.evaluations += 1
        try:
            V, q, angle = math.exp(state[0]), math.exp(state[1]), state[2]
            self.spent += _count(q, angle) if self.conjugates is logistic_conjugates else _NODES_OF_OTHERS
            with np.errstate(all="ignore"):
                V, q, m = mode_overlaps(
                    self.spectrum, ridge, *self.conjugates(self.spectrum, self.sample_ratio, V, q, angle)
                )
            excess = np.array([math.log(V), math.log(q), math.atanh(m / math.sqrt(self.spectrum.power * q))]) - state
        except (ArithmeticError, ValueError, NotConverged):
            return np.full(3, np.inf)
        return excess if np.isfinite(excess).all() else np.full(3, np.inf)


def _newton(state, problem, ridge):
    """Where Newton's method with backtracking gets to in at most 30 steps, and its largest residual there."""
    excess = problem.excess(state, ridge)
    for _ in range(30):
        if np.max(np.abs(excess)) <= _TOLERANCE or not np.isfinite(excess).all() or problem.spent > _BUDGET:
            break
        h = 1e-7
        jacobian = np.column_stack([(problem.excess(state + h * axis, ridge) - excess) / h for axis in np.eye(3)])
        if not np.isfinite(jacobian).all():
            break
        try:
            step = np.linalg.solve(jacobian, -excess)
        except np.linalg.LinAlgError:
            break
        step *= min(1.0, _LARGEST_CHANGE / np.max(np.abs(step)))
        tried = problem.excess(state + step, ridge)
        while np.linalg.norm(tried) > np.linalg.norm(excess) and np.max(np.abs(step)) > _TOLERANCE:
            step /= 2
            tried = problem.excess(state + step, ridge)
        state, excess = state + step, tried
    return state, np.max(np.abs(excess))


def _solution(state, conjugates, spectrum, sample_ratio):
    V, q, angle = math.exp(state[0]), math.exp(state[1]), state[2]
    found = conjugates(spectrum, sample_ratio, V, q, angle)
    return Overlaps(V, q, math.tanh(angle) * math.sqrt(spectrum.power * q), *found)


def logistic_errors(spectrum: Spectrum, overlaps: Overlaps) -> Errors:
    """Errors for the loss log(1 + exp(-y z)) and labels sign nu."""
    V, q = overlaps.V, overlaps.q
    cosine = cosine_of(spectrum, overlaps)
    angle = math.atanh(cosine)
    xi, density = _nodes(q, angle)
    outputs = proximal_point(math.sqrt(q) * xi, V)
    training = float(density @ (label_share(xi, angle) * np.logaddexp(0, -outputs)))
    push = V / (2 * math.sqrt(q))
    test = logistic_test_loss(q, angle)
    return Errors(training, test, training_class_error(push, cosine), class_error(cosine))


def logistic_test_loss(q: float, angle: float) -> float:
    """Mean of log(1 + exp(-y z)) over fresh samples, for an output z of variance q and labels sign nu.

    Args:
        angle: a, tanh a is the cosine of the two fields.
    """
    xi, density = _nodes(q, angle)
    return float(density @ (label_share(xi, angle) * np.logaddexp(0, -math.sqrt(q) * xi)))
