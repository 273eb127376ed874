"""Solution of the replica equations of any convex loss, by Newton's method.

Newton's method starts from a known solution nearby. If there is none, the method follows the solution from a strong
ridge if the penalty is l2. In all other cases a damped iteration of the equations provides the start, or weights that
are so small that they hardly change the residuals.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.replica.replica_equations import Overlaps, Spectrum, check_problem, mode_overlaps, vanishing_ridge

_TINY = 1e-100  # V and q of weights that vanish
_TOLERANCE = 1e-11  # largest error of log V, log q and a
_LARGEST_CHANGE = 2.0  # largest change of log V, log q and a in a Newton step
_SMALLEST_STEP = 1e-3  # smallest step of the continuation, in log ridge
_DAMPING, _MOST_ROUNDS, _ROUND = 0.5, 50, 50  # damped iteration: factor, rounds and iterations of a round
_NEAR = 1e-2  # residual below which the rounds end
_BUDGET = 2 * 10**7  # nodes of all averages of a solution, a hundred times as many as usual
_PER_EVALUATION = 100  # smallest number of nodes that is counted for an evaluation

# maps spectrum, ridge and the conjugates to V, q and m
Modes = Callable[[Spectrum, float, float, float, float], tuple[float, float, float]]


class Equations(Protocol):
    """The contribution of a loss and a type of labels to the equations."""

    def conjugates(
        self, spectrum: Spectrum, sample_ratio: float, V: float, q: float, angle: float
    ) -> tuple[float, float, float]:
        """Return V_hat, q_hat and m_hat from the overlaps, of which m is given by the angle a."""

    def cost(self, spectrum: Spectrum, q: float, angle: float) -> float:
        """Return the number of nodes of the averages."""


def solve_overlaps(
    equations: Equations,
    spectrum: Spectrum,
    sample_ratio: float,
    ridge: float,
    *,
    modes: Modes = mode_overlaps,
    near: Overlaps | None = None,
) -> Overlaps:
    """Return the solution of the replica equations; V, q and m are zero if the penalty leaves no weight.

    Args:
        sample_ratio: alpha = n / d.
        ridge: 0 is the limit of a vanishing ridge, which must be finite.
        modes: function that computes the overlaps for the penalty.
        near: a solution at a similar sample ratio and ridge, or None.

    Raises:
        ConfigError: the sample ratio is not positive, the ridge is negative, or features or labels do not vary.
        NotConverged: no iteration converges, or an average needs too many nodes.
    """
    scale, given = spectrum.average(spectrum.eigenvalues), ridge
    if not (scale > 0 and spectrum.power > 0):
        raise ConfigError(
            "features or labels of the covariates have no variance: give covariances with positive variances"
        )
    ridge = ridge or vanishing_ridge(scale)
    check_problem(sample_ratio, ridge)
    problem = _Problem(equations, modes, spectrum, sample_ratio)
    small = problem.small_weights(ridge) if modes is not mode_overlaps else None
    if small is not None and small.q == 0:
        return small
    if (found := _from_known(problem, near, ridge)) is None and modes is mode_overlaps:
        found = _from_strong_ridge(problem, ridge, scale)
    if found is None:
        found, residual = _after_damped_iteration(problem, ridge, scale)
        if residual > _TOLERANCE and (found := _from_known(problem, small, ridge)) is None:
            raise NotConverged(
                f"the replica equations at sample ratio {sample_ratio:g} and ridge {given:g} do not converge: the "
                f"residual is {residual:.2g} after {problem.evaluations} evaluations, raise ridges or change "
                "sample_ratios"
            )
    return problem.solution(found)


def _state(spectrum, overlaps):
    """Return log V, log q and a, or None if one is infinite: without weights, or for a perfect or interpolating fit."""
    if not (0 < overlaps.V < math.inf and overlaps.q > 0):
        return None
    cosine = overlaps.m / math.sqrt(spectrum.power * overlaps.q)
    return np.array([math.log(overlaps.V), math.log(overlaps.q), math.atanh(cosine)]) if abs(cosine) < 1 else None


@dataclass(eq=False)
class _Problem:
    """The equations at any ridge, and the work spent on them.

    Attributes:
        evaluations: number of evaluations of the equations. spent: nodes of their averages.
    """

    equations: Equations
    modes: Modes
    spectrum: Spectrum
    sample_ratio: float
    evaluations: int = 0
    spent: float = 0.0

    def excess(self, state: np.ndarray, ridge: float) -> np.ndarray:
        """Return the change of log V, log q and a by the equations; infinity if they have no finite value."""
        self.evaluations += 1
        try:
            V, q, angle = math.exp(state[0]), math.exp(state[1]), state[2]
            self.spent += max(_PER_EVALUATION, self.equations.cost(self.spectrum, q, angle))
            with np.errstate(all="ignore"):
                found = self.equations.conjugates(self.spectrum, self.sample_ratio, V, q, angle)
                V, q, m = self.modes(self.spectrum, ridge, *found)
            excess = np.array([math.log(V), math.log(q), math.atanh(m / math.sqrt(self.spectrum.power * q))]) - state
        except (ArithmeticError, ValueError, NotConverged):
            return np.full(3, np.inf)
        return excess if np.isfinite(excess).all() else np.full(3, np.inf)

    def small_weights(self, ridge: float) -> Overlaps | None:
        """Return the overlaps of weights that hardly change the residuals, or None; all are zero without a weight."""
        try:
            with np.errstate(all="ignore"):
                found = self.equations.conjugates(self.spectrum, self.sample_ratio, _TINY, _TINY, 0.0)
                return Overlaps(*self.modes(self.spectrum, ridge, *found), *found)
        except (ArithmeticError, ValueError, NotConverged):
            return None

    def solution(self, state: np.ndarray) -> Overlaps:
        """Return the overlaps of a state, with their conjugates."""
        V, q, angle = math.exp(state[0]), math.exp(state[1]), state[2]
        found = self.equations.conjugates(self.spectrum, self.sample_ratio, V, q, angle)
        return Overlaps(V, q, math.tanh(angle) * math.sqrt(self.spectrum.power * q), *found)


def _from_known(problem, overlaps, ridge):
    """Return the solution near these overlaps, or None if they are unknown, or too far from it."""
    if overlaps is None or (state := _state(problem.spectrum, overlaps)) is None:
        return None
    found, residual = _newton(state, problem, ridge)
    problem.spent = 0.0  # a poor start does not use up the budget of the other starts
    return found if residual <= _TOLERANCE else None


def _from_strong_ridge(problem, ridge, scale):
    """Return the solution, followed from a large ridge with small weights, or None if steps are too small."""
    goal, step = math.log(ridge), math.log(10)
    at = target = math.log(max(ridge, 2 * problem.sample_ratio * scale))
    state = np.array([math.log(scale) - at, -at, 0.0])
    while True:
        found, residual = _newton(state, problem, math.exp(target))
        if residual <= _TOLERANCE:
            if target == goal:
                return found
            at, state = target, found
        elif (step := step / 2) < _SMALLEST_STEP or problem.spent > _BUDGET:
            return None
        target = max(goal, at - step)


def _after_damped_iteration(problem, ridge, scale):
    """Return the result of Newton's method from a state of a damped iteration of the equations, and its residual."""
    state = np.array([0.0, math.log(scale), 0.1])
    for _ in range(_MOST_ROUNDS):
        for _ in range(_ROUND):
            excess = problem.excess(state, ridge)
            largest = np.max(np.abs(excess))
            if not _NEAR < largest < np.inf:
                break
            state = state + _DAMPING * excess * min(1.0, _LARGEST_CHANGE / largest)
        found, residual = _newton(state, problem, ridge)
        if residual <= _TOLERANCE or not np.isfinite(largest) or problem.spent > _BUDGET:
            break
        state = found
    return found, residual


def _newton(state, problem, ridge):
    """Return the result of at most 30 steps of Newton's method with backtracking, and its largest residual."""
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
