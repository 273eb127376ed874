"""Inputs of SGD in order parameters: the relevant coordinates of n networks at a time.

The same number of all networks is adjacent in memory, so that a processor computes several at a time.
"""

import math

import numpy as np
from numba import njit

from twolayer.model.random.normal_numbers import fill_normal

_FAST = {"reassoc", "contract", "nsz", "arcp"}


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _to_lengths(normals, uniforms, freedom, lengths):
    """Fill roots of chi-squared numbers; a negative root marks a number that is refused and must be drawn again."""
    shape = 0.5 * freedom - 1 / 3
    slope = 1 / math.sqrt(9 * shape)
    for i in range(lengths.size):
        z = float(normals[i])
        root = 1 + slope * z
        accepted = uniforms[i] < 1 - 0.0331 * z * z * z * z and root > 0
        lengths[i] = math.sqrt(2 * shape * abs(root * root * root)) * (1.0 if accepted else -1.0)


def _redraw(rng, normals, uniforms, freedom, lengths):
    """Replace the few lengths that `_to_lengths` refuses, by the exact condition or by new draws."""
    refused = np.flatnonzero(lengths < 0)
    shape = 0.5 * freedom - 1 / 3
    z = normals[refused].astype(float)
    cube = (1 + z / math.sqrt(9 * shape)) ** 3
    log_cube = np.log(np.maximum(cube, np.finfo(float).tiny))
    kept = (cube > 0) & (np.log(uniforms[refused]) < 0.5 * z * z + shape * (1 - cube + log_cube))
    lengths[refused[kept]] *= -1
    lengths[refused[~kept]] = np.sqrt(rng.chisquare(freedom, np.sum(~kept)))


def draw_numbers(
    rng: np.random.Generator, count: int, size: int, freedom: int, networks: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return standard normal numbers (count, size, n), uniform numbers (count, n), and lengths (count, n) for `count`
    steps.

    Args:
        freedom: degrees of freedom of the chi-squared numbers whose roots are the lengths.
    """
    normals = np.empty((count * (size + 1), networks), np.float32)
    flat = normals.reshape(-1, math.gcd(normals.size, 512))
    fill_normal(rng, np.ones(flat.shape[1]), flat)
    uniforms = rng.random((2, count, networks), dtype=np.float32)
    lengths = np.empty((count, networks))
    drawn = normals[count * size :].ravel(), uniforms[1].ravel(), freedom, lengths.ravel()
    if freedom == 1:  # the Gamma sampler needs two or more degrees of freedom
        lengths[:] = np.abs(normals[count * size :])
    else:
        _to_lengths(*drawn)
        _redraw(rng, *drawn)
    return normals[: count * size].reshape(count, size, networks), uniforms[0], lengths


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _put_where(uniforms, least, value, chosen):
    for r in range(uniforms.size):
        chosen[r] = value if uniforms[r] >= least else chosen[r]


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _scale_and_shift(x, deviation, normals, mean):
    for r in range(x.size):
        x[r] = mean[r] + deviation[r] * normals[r]


@njit(cache=True, forceinline=True)
def fill_inputs(clusters, constant, uniforms, normals, lengths, means, deviation, label, x):
    """Fill coordinates x (P + K + 1, n) of an input for each network, its label (n,), and its cluster's mean."""
    of_means, labels, cumulative, deviations = clusters
    size, plane = len(x), of_means.shape[1]
    for cluster in range(len(labels)):
        least = cumulative[cluster - 1] if cluster > 0 else 0.0
        _put_where(uniforms, least, labels[cluster], label)
        _put_where(uniforms, least, deviations[cluster], deviation)
        for i in range(plane):
            _put_where(uniforms, least, of_means[cluster, i], means[i])
    for i in range(size - 1):
        _scale_and_shift(x[i], deviation, normals[i], means[i])
    if constant:
        for r in range(x.shape[1]):  # numba takes two seconds to compile the check of a slice's shape
            x[plane - 1, r] = means[plane - 1, r]
    _scale_and_shift(x[size - 1], deviation, lengths, means[size - 1])
