"""Fixed points by Anderson acceleration, continued from a strong ridge if no nearby start is known."""

import math
from collections.abc import Callable

import numpy as np

from twolayer.errors import NotConverged

_TOLERANCE = 1e-11  # largest change of a coordinate at a fixed point
_MEMORY = 8  # number of stored differences of former iterations
_ITERATIONS = 100
_LARGEST_CHANGE = 2.0  # largest change of a coordinate in an iteration
_MOST_SOLUTIONS = 60  # number of solutions in a continuation
_SMALLEST_STEP = 0.02  # smallest step of the continuation, in log ridge

Update = Callable[[np.ndarray], np.ndarray]


def accelerated(update: Update, start: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the last iterate towards a fixed point, and its largest change; infinity if the update has no value."""
    points, changes, state = [], [], start
    for _ in range(_ITERATIONS):
        change = _change(update, state)
        if not np.isfinite(change).all():
            return state, math.inf
        largest = np.max(np.abs(change))
        if largest <= _TOLERANCE:
            return state, largest
        points, changes = [*points[-_MEMORY:], state], [*changes[-_MEMORY:], change]
        step = change
        if len(points) > 1:
            dx, df = np.diff(points, axis=0).T, np.diff(changes, axis=0).T
            step = change - (dx + df) @ np.linalg.lstsq(df, change, rcond=1e-14)[0]
        state = state + step * min(1.0, _LARGEST_CHANGE / max(np.max(np.abs(step)), 1e-300))
    return state, largest


def fixed_point(update: Update, start: np.ndarray, place: str) -> np.ndarray:
    """Return the fixed point near a start.

    Args:
        place: description of the problem, for the error.

    Raises:
        NotConverged: the iteration does not converge.
    """
    state, residual = accelerated(update, start)
    if residual > _TOLERANCE:
        raise NotConverged(f"the equations at {place} do not converge: the residual is {residual:.2g}: raise ridges")
    return state


def _change(update, state):
    try:
        with np.errstate(all="ignore"):
            return update(state) - state
    except (ArithmeticError, ValueError, np.linalg.LinAlgError, NotConverged):
        return np.full_like(state, np.inf)


def followed(
    update_at: Callable[[float], Update],
    ridge: float,
    strong: float,
    start: np.ndarray,
    near: np.ndarray | None = None,
    *,
    given: float | None = None,
) -> np.ndarray:
    """Return the fixed point at a ridge.

    Args:
        update_at: from a ridge to the update. strong: a ridge at which iteration from `start` converges.
        near: a fixed point of a similar problem, or None.
        given: the ridge as an error names it; by default the ridge.

    Raises:
        NotConverged: the continuation in the ridge stops before the requested ridge.
    """
    if near is not None:
        state, residual = accelerated(update_at(ridge), near)
        if residual <= _TOLERANCE:
            return state
    goal, step = math.log(ridge), math.log(10)
    target = at = math.log(max(ridge, strong))
    state, before = start, None
    for _ in range(_MOST_SOLUTIONS):
        guess = state if before is None else state + (state - before[1]) * (target - at) / (at - before[0])
        found, residual = accelerated(update_at(math.exp(target)), guess)
        if residual <= _TOLERANCE:
            if target == goal:
                return found
            before = (at, state) if target != at else None
            at, state = target, found
        elif (step := step / 2) < _SMALLEST_STEP:
            break
        target = max(goal, at - step)
    raise NotConverged(
        f"the equations at ridge {ridge if given is None else given:g} do not converge: following them "
        f"from a strong ridge ends at ridge {math.exp(target):.3g} with residual {residual:.2g}: raise ridges, or "
        "change sample_ratios"
    )
