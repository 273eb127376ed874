"""Signs of the output of relu units along rays, compiled: between two switches of a unit the output is linear.

A ray begins at a point z_0 of the pre-activations' normal distribution and runs in a direction of a few of its axes.
The fields on it are start + slope * radius, and radius^2 is chi-squared with one degree of freedom for each of these
axes. The output changes its sign at radii that are exact, however far out, so that rare errors are as accurate as
frequent ones.

Source: own derivation.
"""

import math

import numpy as np
from numba import njit

from twolayer.theory.averages.relu_lines import insert_unit

_FAR = 40.0  # radius at which the distribution underflows


@njit(cache=True)
def mass_beyond(radius: float, freedom: int) -> float:
    """Return the probability that a sum of `freedom` squared standard normal numbers exceeds the square of a radius."""
    square = radius * radius
    term = math.exp(-0.5 * square)
    tail, known = term, 2
    if freedom % 2:
        tail, known = math.erfc(radius * math.sqrt(0.5)), 1
        term *= math.sqrt(2 / math.pi) / radius if radius > 0 else 0.0
    for n in range(known, freedom, 2):
        term *= square / n
        tail += term
    return tail


@njit(cache=True)
def _switches(start, slope, at, order):
    """Return the radii at which each unit switches, for units that switch off; and the units in the order of their
    switches.
    """
    for k in range(len(start)):
        at[k] = _FAR
        if start[k] * slope[k] < 0:
            at[k] = min(-start[k] / slope[k], _FAR)
        insert_unit(k, at, order)


@njit(cache=True)
def ray_sign_errors(
    label: float, v: np.ndarray, start: np.ndarray, slope: np.ndarray, freedom: int
) -> tuple[float, float]:
    """Return P(label f < 0) and P(f = 0) along one ray; the output is zero where no unit is on.

    Args:
        v: (K,) second layer. start, slope: (K,) of the pre-activations.
    """
    hidden = len(v)
    at, order = np.empty(hidden), np.empty(hidden, np.int64)
    _switches(start, slope, at, order)
    offset, gradient, on = 0.0, 0.0, 0
    for k in range(hidden):
        if start[k] > 0 or (start[k] == 0 and slope[k] > 0):
            offset += v[k] * start[k]
            gradient += v[k] * slope[k]
            on += v[k] != 0
    wrong, zero, lower = 0.0, 0.0, 0.0
    for rank in range(hidden + 1):
        upper = at[order[rank]] if rank < hidden else _FAR
        if on == 0:
            zero += _mass_between(lower, upper, freedom)
        else:
            wrong += _mass_below_zero(label * offset, label * gradient, lower, upper, freedom)
        if upper == _FAR:
            break
        k = order[rank]
        turn = 1 if slope[k] > 0 else -1
        on += turn * (v[k] != 0)
        offset += turn * v[k] * start[k]
        gradient += turn * v[k] * slope[k]
        lower = upper
    return wrong, zero


@njit(cache=True)
def _mass_between(lower, upper, freedom):
    if upper <= lower:
        return 0.0
    # differences below zero are rounding errors
    return max(mass_beyond(lower, freedom) - mass_beyond(upper, freedom), 0.0)


@njit(cache=True)
def _mass_below_zero(offset, gradient, lower, upper, freedom):
    """Return the probability that offset + gradient * radius < 0 between two radii."""
    if gradient == 0:
        return _mass_between(lower, upper, freedom) if offset < 0 else 0.0
    root = min(max(-offset / gradient, lower), upper)
    return _mass_between(lower, root, freedom) if gradient > 0 else _mass_between(root, upper, freedom)


@njit(cache=True)
def mean_sign_errors(
    M: np.ndarray, v: np.ndarray, labels: np.ndarray, points: np.ndarray, slopes: np.ndarray, freedom: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return P(label f < 0) and P(f = 0) in each cluster, over rays and their opposites.

    Args:
        M: (C, K) means of the pre-activations. v: (K,). labels: (C,).
        points: (n, K) deviations of the fields where the rays begin. slopes: (n, K) along the rays.
    """
    clusters = len(M)
    wrong, zero = np.zeros(clusters), np.zeros(clusters)
    for cluster in range(clusters):
        for ray in range(len(points)):
            start = M[cluster] + points[ray]
            for side in (-1, 1):
                ray_wrong, ray_zero = ray_sign_errors(labels[cluster], v, start, side * slopes[ray], freedom)
                wrong[cluster] += 0.5 * ray_wrong / len(points)
                zero[cluster] += 0.5 * ray_zero / len(points)
    return wrong, zero
