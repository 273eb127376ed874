"""The support vector machine without offset, by an interior-point method.

min over w of sum max(0, 1 - y w.x) + ridge / 2 |w|^2 = max over 0 <= a <= 1 of sum a - |sum a y x|^2 / (2 ridge). Each
Newton step on both solves a system in the smaller of the number of samples and their dimension. It takes ten to twenty
steps however correlated the features are, where descent along one weight after the other takes thousands.
Source: Mehrotra's predictor and corrector, for the dual's box.
"""

import numpy as np
from scipy import linalg

from twolayer.errors import NotConverged

_STEPS, _BEFORE_CYCLES = 200, 50  # in all, and with the corrector, which can lead in circles
_CENTRED = 0.1  # of the mean product of weights and multipliers, the next one without the corrector
_TO_THE_WALL = 0.995  # of the way to the nearest bound


def support_vector_machine(inputs: np.ndarray, labels: np.ndarray, ridge: float, gap: float = 1e-9) -> np.ndarray:
    """The minimum of sum max(0, 1 - y w.x) + ridge / 2 |w|^2.

    Args:
        inputs: (n, d). labels: (n,) of -1 and 1. ridge: positive. gap: by how much the value may exceed the minimum, as
            a part of it; the duality gap, in which nothing cancels, holds it to that.

    Returns: (d,) w.

    Raises:
        NotConverged: the gap is not reached.
    """
    A = inputs * labels[:, None]
    newton = _by_samples(A, ridge) if len(A) < A.shape[1] else _by_features(A, ridge)
    half, one = np.full(len(A), 0.5), np.ones(len(A))
    w, a, room, lower, upper = state = [A.T @ half / ridge, half, half, one, one]  # room 1 - a, its bounds' multipliers
    for step in range(_STEPS):
        margin, pull = 1 - A @ w, A.T @ a - ridge * w
        value = np.maximum(0, margin).sum() + ridge / 2 * w @ w
        excess = np.sum(np.where(margin > 0, room, -a) * margin) + pull @ pull / (2 * ridge)
        if excess <= gap * value:
            return w
        try:
            solve = newton(lower / a + upper / room, pull)
        except linalg.LinAlgError:  # rounding
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
    raise NotConverged(f"the hinge loss at ridge {ridge:g} was minimised only to {excess / value:.2g} of its minimum")


def _direction(solve, margin, state, products):
    """Newton's step to where a and room times their multipliers are `products`."""
    _, a, room, lower, upper = state
    to_lower, to_upper = products[0] / a, products[1] / room
    dw, da = solve(margin + to_lower - to_upper)
    return dw, da, -da, to_lower - lower - lower / a * da, to_upper - upper + upper / room * da


def _longest(state, move):
    """The length of step, at most one, at which the first weight, room or multiplier is zero."""
    return 1 / max(1.0, *(np.max(-by / here) for here, by in zip(state[1:], move[1:], strict=True)))


def _by_features(A, ridge):
    """A function of D and pull to one of b: the dw, da with D da = b - A dw and ridge dw = A'da + pull."""
    identity = ridge * np.eye(A.shape[1])

    def newton(D, pull):
        scaled = A / np.sqrt(D)[:, None]
        factor = linalg.cho_factor(scaled.T @ scaled + identity, overwrite_a=True, check_finite=False)

        def solve(b):
            dw = linalg.cho_solve(factor, A.T @ (b / D) + pull, check_finite=False)
            return dw, (b - A @ dw) / D

        return solve

    return newton


def _by_samples(A, ridge):
    """The same, where there are fewer samples than features."""
    gram = A @ A.T / ridge

    def newton(D, pull):
        factor = linalg.cho_factor(gram + np.diag(D), overwrite_a=True, check_finite=False)

        def solve(b):
            da = linalg.cho_solve(factor, b - A @ pull / ridge, check_finite=False)
            return (A.T @ da + pull) / ridge, da

        return solve

    return newton
