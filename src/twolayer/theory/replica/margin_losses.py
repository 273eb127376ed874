"""Convex losses of the margin y z of a label y = +-1 and an output z, with their proximal points.

A training output x minimises loss(x) + (x - t)^2 / (2 V), where t is the output without this sample. The pull is
f = (x - t) / V = -loss'(x).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import vectorize
from scipy.special import expit


@dataclass(frozen=True)
class MarginLoss:
    """A convex loss of the margin.

    Attributes:
        value: the loss, a function of x.
        pull: f, a function of t and V.
        stiffness: -df/dt, a function of f and V.
        kinks: function of V that gives the t at which f is not smooth; None if f is analytic.
        pull_at_zero: f of a training output at zero.
    """

    value: Callable[[np.ndarray], np.ndarray]
    pull: Callable[[np.ndarray, float], np.ndarray]
    stiffness: Callable[[np.ndarray, float], np.ndarray]
    kinks: Callable[[float], tuple[float, ...]] | None
    pull_at_zero: float


@vectorize(["float64(float64, float64)"], cache=True)
def proximal_point(omega, V):
    """Return x with x = omega + V sigma(-x), elementwise.

    The equation is convex below zero and concave above. From the right start, Newton's method is monotone until it
    reaches rounding errors, and needs no safeguard.
    """
    x = max(omega, 0.0) if omega > -V / 2 else min(omega + V, 0.0)
    forward = 0.0
    for _ in range(200):  # a dozen iterations are enough unless a number is not finite
        f = 1 / (1 + math.exp(x)) if x < 700 else 0.0
        step = (omega + V * f - x) / (1 + V * f * (1 - f))
        if step * forward < 0 or abs(step) <= 1e-15 * (1 + abs(x)):
            return x + step
        x, forward = x + step, step
    return np.nan


LOGISTIC = MarginLoss(
    lambda x: np.logaddexp(0, -x),
    lambda t, V: expit(-proximal_point(t, V)),
    lambda f, V: f * (1 - f) / (1 + V * f * (1 - f)),
    None,
    0.5,
)
HINGE = MarginLoss(
    lambda x: np.maximum(0, 1 - x),
    lambda t, V: np.clip((1 - t) / V, 0, 1),
    lambda f, V: ((f > 0) & (f < 1)) / V,
    lambda V: (1.0, 1.0 - V),
    1.0,
)
SQUARE = MarginLoss(
    lambda x: (1 - x) ** 2 / 2,
    lambda t, V: (1 - t) / (1 + V),
    lambda f, V: np.full_like(f, 1 / (1 + V)),
    lambda V: (),
    1.0,
)


def huber(delta: float) -> MarginLoss:
    """Return the loss (1 - x)^2 / 2, continued linearly where |1 - x| exceeds delta."""
    return MarginLoss(
        lambda x: np.where(abs(1 - x) <= delta, (1 - x) ** 2 / 2, delta * abs(1 - x) - delta**2 / 2),
        lambda t, V: np.clip((1 - t) / (1 + V), -delta, delta),
        lambda f, V: (abs(f) < delta) / (1 + V),
        lambda V: (1 - delta * (1 + V), 1 + delta * (1 + V)),
        min(1.0, delta),
    )


def margin_loss(name: str, huber_delta: float) -> MarginLoss:
    """Return the loss with a given name.

    Args:
        name: `square`, `logistic`, `hinge` or `huber`.
        huber_delta: distance from the margin 1 at which the Huber loss becomes linear.
    """
    return huber(huber_delta) if name == "huber" else {"square": SQUARE, "logistic": LOGISTIC, "hinge": HINGE}[name]
