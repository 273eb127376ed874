"""Averages over relu units along quasi-random lines, compiled: between two switches of a unit the output is linear.

Lines are points (n, K) + t * slope (K,), t standard normal, about means M (C, K) of the pre-activations.

Source: own derivation.
"""

import math

import numpy as np
from numba import njit

from twolayer.theory.averages.gaussian_integrals import normal_cdf, normal_density

_FAR = 40.0  # standard deviations at which the normal density underflows


@njit(cache=True)
def insert_unit(k: int, at: np.ndarray, order: np.ndarray) -> None:
    """Insert unit k into the order, which holds the units before it, sorted by where they switch."""
    rank = k
    while rank > 0 and at[order[rank - 1]] > at[k]:
        order[rank] = order[rank - 1]
        rank -= 1
    order[rank] = k


@njit(cache=True)
def _switches(mean, point, slope, fields, at, order):
    """Return pre-activations at t = 0, the place along its line where each unit switches, and the units in that
    order."""
    for k in range(len(mean)):
        fields[k] = mean[k] + point[k]
        at[k] = min(max(-fields[k] / slope[k], -_FAR), _FAR) if slope[k] != 0 else math.copysign(_FAR, -fields[k])
        insert_unit(k, at, order)


@njit(cache=True)
def _line_error(label, v, fields, slope):
    """Return the error err = offset + gradient * t at the lower end of a line, where the units with falling field are
    on."""
    offset, gradient = label, 0.0
    for k in range(len(v)):
        if slope[k] < 0:
            offset -= v[k] * fields[k]
            gradient -= v[k] * slope[k]
    return offset, gradient


@njit(cache=True)
def _squared_error_below(label, v, fields, slope, at, order, below):
    """Return the integral of err^2 along a line: up to each unit's switch, in `below`, and the whole."""
    offset, gradient = _line_error(label, v, fields, slope)
    total, last_cdf, last_density, last_edge = 0.0, 0.0, 0.0, 0.0
    for rank in range(len(v) + 1):
        cdf, density, edge = 1.0, 0.0, 0.0
        if rank < len(v):
            t = at[order[rank]]
            cdf, density = normal_cdf(t), normal_density(t)
            edge = t * density
        mass, first, second = cdf - last_cdf, last_density - density, cdf - last_cdf + last_edge - edge
        total += offset * offset * mass + 2 * offset * gradient * first + gradient * gradient * second
        if rank < len(v):
            k = order[rank]
            below[k] = total
            turn = 1 if slope[k] >= 0 else -1
            offset -= turn * v[k] * fields[k]
            gradient -= turn * v[k] * slope[k]
        last_cdf, last_density, last_edge = cdf, density, edge
    return total


@njit(cache=True)
def squared_error_where_on(
    M: np.ndarray, v: np.ndarray, labels: np.ndarray, points: np.ndarray, slope: np.ndarray
) -> np.ndarray:
    """Return <g'(lambda_k) g'(lambda_l) err^2> of relu units in each cluster, (C, K, K)."""
    clusters, hidden = M.shape
    result = np.zeros((clusters, hidden, hidden))
    fields, at, below, order = np.empty(hidden), np.empty(hidden), np.empty(hidden), np.empty(hidden, np.int64)
    for cluster in range(clusters):
        for point in points:
            _switches(M[cluster], point, slope, fields, at, order)
            total = _squared_error_below(labels[cluster], v, fields, slope, at, order, below)
            for k in range(hidden):
                for j in range(k + 1):
                    result[cluster, k, j] += _overlap(slope[k] >= 0, slope[j] >= 0, below[k], below[j], total)
        for k in range(hidden):
            for j in range(k + 1):
                result[cluster, k, j] /= len(points)
                result[cluster, j, k] = result[cluster, k, j]
    return result


@njit(cache=True)
def _overlap(k_rises, j_rises, below_k, below_j, total):
    """Return the part of an increasing integral where two units are on.

    A rising unit is on above its switch, a falling one below.
    """
    if k_rises and j_rises:
        return total - max(below_k, below_j)
    if k_rises:
        return max(below_j - below_k, 0.0)
    if j_rises:
        return max(below_k - below_j, 0.0)
    return min(below_k, below_j)
