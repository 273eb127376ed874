"""The support vector machine by an interior-point method; with the penalty l1, as a linear program.

The problem is min over w of sum max(0, 1 - y w.x) + ridge / 2 |w|^2 = max over 0 <= a <= 1 of sum a - |sum a y x|^2 /
(2 ridge). Each Newton step on both solves a system whose size is the smaller of the number of samples and their
dimension. The method needs ten to twenty steps for any correlation of the features; coordinate descent would need
thousands, and may cycle. A bias is a weight without a ridge, of an input that is always 1.
Source: Mehrotra's predictor and corrector, for the box of the dual problem.
"""

import numpy as np
from scipy import linalg
from scipy.optimize import linprog

from twolayer.errors import NotConverged

_STEPS, _BEFORE_CYCLES = 200, 50  # largest number of steps, and of steps with the corrector, which can lead to cycles
_CENTRED = 0.1  # factor of the mean product of weights and multipliers in a step without the corrector
_TO_THE_WALL = 0.995  # fraction of the distance to the nearest bound


def support_vector_machine(
    inputs: np.ndarray, labels: np.ndarray, ridge: float, gap: float = 1e-9, *, bias: bool = False
) -> np.ndarray:
    """Return the minimum of sum max(0, 1 - y w.x) + ridge / 2 |w|^2.

    Args:
        inputs: (n, d). labels: (n,) of -1 and 1. ridge: positive. gap: largest relative excess of the value over the
            minimum, measured by the duality gap, in which nothing cancels.
        bias: whether the last weight is a bias without a penalty.

    Returns: (d,) w, or (d + 1,).

    Raises:
        NotConverged: the gap is not reached.
    """
    A, d = inputs * labels[:, None], inputs.shape[1]
    ridges = np.full(d, ridge)
    if bias:
        A, ridges = np.column_stack([A, labels]), np.append(ridges, 0.0)
    newton = _by_features(A, ridges) if bias or len(A) >= d else _by_samples(A, ridge)
    half, one = np.full(len(A), 0.5), np.ones(len(A))
    start = A.T @ half * (ridges > 0) / ridge
    # room is 1 - a; the last two are multipliers of the bounds
    w, a, room, lower, upper = state = [start, half, half, one, one]
    for step in range(_STEPS):
        margin, pull = 1 - A @ w, A.T @ a - ridges * w
        value = np.maximum(0, margin).sum() + w @ (ridges * w) / 2
        excess = np.sum(np.where(margin > 0, room, -a) * margin) + pull[:d] @ pull[:d] / (2 * ridge)
        excess += np.sum(np.abs(pull[d:]) * (1 + np.abs(w[d:])))  # of the bias, which may still move by about that
        if excess <= gap * value:
            return w
        try:
            solve = newton(lower / a + upper / room, pull)
        except linalg.LinAlgError:  # rounding errors
            break
        _, da, _, dl, du = aimed = _direction(solve, margin, state, (0, 0))
        aim = _longest(state, aimed)
        left = (a + aim * da) @ (lower + aim * dl) + (room - aim * da) @ (upper + aim * du)
        products = a @ lower + room @ upper
        if step < _BEFORE_CYCLES:
            target = left**3 / products**2 / (2 * len(A))
            move = _direction(solve, margin, state, (target - da * dl, target + da * du))
        else:
            target = _CENTRED * products / (2 * len(A))
            move = _direction(solve, margin, state, (target, target))
        size = min(1.0, _TO_THE_WALL * _longest(state, move))
        w, a, room, lower, upper = state = [here + size * by for here, by in zip(state, move, strict=True)]
    raise NotConverged(
        f"the hinge loss at ridge {ridge:g} was minimised only to {excess / value:.2g} of its minimum: raise ridges"
    )


def sparse_support_vector_machine(inputs: np.ndarray, labels: np.ndarray, ridge: float) -> np.ndarray:
    """Return the minimum of sum max(0, 1 - y w.x) + ridge |w|_1.

    Args:
        inputs: (n, d). labels: (n,) of -1 and 1. ridge: positive.

    Returns: (d,) w.

    Raises:
        NotConverged: the linear program is not solved.
    """
    n, d = inputs.shape
    A = inputs * labels[:, None]  # the unknowns are the positive parts of w and -w, and the losses
    found = linprog(np.repeat([ridge, 1.0], [2 * d, n]), -np.hstack([A, -A, np.eye(n)]), -np.ones(n))
    if not found.success:
        raise NotConverged(f"the hinge loss at ridge {ridge:g} has no minimum ({found.message}): raise ridges")
    return found.x[:d] - found.x[d : 2 * d]


def _direction(solve, margin, state, products):
    """Return Newton's step to the point where a and room times their multipliers equal `products`."""
    _, a, room, lower, upper = state
    to_lower, to_upper = products[0] / a, products[1] / room
    dw, da = solve(margin + to_lower - to_upper)
    return dw, da, -da, to_lower - lower - lower / a * da, to_upper - upper + upper / room * da


def _longest(state, move):
    """Return the length of a step, at most one, at which the first weight, room or multiplier is zero."""
    return 1 / max(1.0, *(np.max(-by / here) for here, by in zip(state[1:], move[1:], strict=True)))


def _by_features(A, ridges):
    """Return a function of D that returns a function of b and pull.

    It solves D da = b - A dw and ridges dw = A'da + pull for dw and da.
    """
    diagonal = np.diag(ridges)

    def newton(D, pull):
        scaled = A / np.sqrt(D)[:, None]
        factor = linalg.cho_factor(scaled.T @ scaled + diagonal, overwrite_a=True, check_finite=False)

        def solve(b):
            dw = linalg.cho_solve(factor, A.T @ (b / D) + pull, check_finite=False)
            return dw, (b - A @ dw) / D

        return solve

    return newton


def _by_samples(A, ridge):
    """Return the function of `_by_features`, computed for fewer samples than features."""
    gram = A @ A.T / ridge

    def newton(D, pull):
        factor = linalg.cho_factor(gram + np.diag(D), overwrite_a=True, check_finite=False)

        def solve(b):
            da = linalg.cho_solve(factor, b - A @ pull / ridge, check_finite=False)
            return (A.T @ da + pull) / ridge, da

        return solve

    return newton
