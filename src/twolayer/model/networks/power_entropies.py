"""Regularisations of outer weights that vanish if student and teacher have the same distribution.

They satisfy f(1) = f'(1) = 0 and f''(t) = t^(p - 2): the entropy t log t - t + 1 for the power p = 1, the quadratic
function (t - 1)^2 / 2 for p = 2, and powers of t in between. Powers p below 2 do not allow negative weights. If the
features can represent all functions, the mean of f over the features is a divergence of the two distributions.

Source: barboni2025, section 2, which allows any convex f; this family consists of the power divergences.
"""

import math

from numba import vectorize

_PAIRS = ["float64(float64, float64)"]


@vectorize(_PAIRS, cache=True)
def entropy(t: float, power: float) -> float:
    """Return f(t) at t >= 0."""
    if power == 1:
        return t * math.log(t) - t + 1 if t > 0 else 1.0
    return (t**power - power * (t - 1) - 1) / (power * (power - 1))


@vectorize(_PAIRS, cache=True)
def entropy_slope(t: float, power: float) -> float:
    """Return f'(t) at t > 0."""
    return math.log(t) if power == 1 else (t ** (power - 1) - 1) / (power - 1)


@vectorize(_PAIRS, cache=True)
def weight_of_slope(slope: float, power: float) -> float:
    """Return the t >= 0 that minimises f(t) - slope t: the root of f'(t) = slope, or 0."""
    if power == 1:
        return math.exp(slope)
    base = 1 + (power - 1) * slope
    return base ** (1 / (power - 1)) if base > 0 else 0.0
