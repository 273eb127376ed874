"""Solution of the replica equations of any convex loss, by Newton's method.

Newton's method starts from a known solution nearby. If there is none, the method follows the solution from a strong
ridge if the penalty is l2. In all other cases a damped iteration of the equations provides the start.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.replica.replica_equations import Overlaps, Spectrum, check_problem, mode_overlaps, vanishing_ridge

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
    """Return the solution of the replica equations.

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
    if near is not None and (state := _state(spectrum, near)) is not None:
        found, residual = _newton(state, problem, ridge)
        if residual <= _TOLERANCE:
            return problem.solution(found)
        problem.spent = 0.0  # a poor start does not use up the budget of the other starts
    found = _from_strong_ridge(problem, ridge, scale) if modes is mode_overlaps else None
    if found is None:
        found, residual = _after_damped_iteration(problem, ridge, scale)
        if modes is not mode_overlaps and problem.leaves_no_weight(found, ridge):
            raise NotConverged(
                f"the penalty at ridge {ridge:g} makes all weights 0, up to rounding: lower ridges, or raise "
                "sample_ratios"
            )
        if residual > _TOLERANCE:
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

    def leaves_no_weight(self, state: np.ndarray, ridge: float) -> bool:
        """Return whether the penalty makes all weights zero, up to rounding."""
        V, q, angle = math.exp(state[0]), math.exp(state[1]), state[2]
        try:
            with np.errstate(all="ignore"):
                found = self.equations.conjugates(self.spectrum, self.sample_ratio, V, q, angle)
                return self.modes(self.spectrum, ridge, *found)[1] == 0
        except (ArithmeticError, ValueError, NotConverged):
            return False

    def solution(self, state: np.ndarray) -> Overlaps:
        """Return the overlaps of a state, with their conjugates."""
        V, q, angle = math.exp(state[0]), math.exp(state[1]), state[2]
        found = self.equations.conjugates(self.spectrum, self.sample_ratio, V, q, angle)
        return Overlaps(V, q, math.tanh(angle) * math.sqrt(self.spectrum.power * q), *found)


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
