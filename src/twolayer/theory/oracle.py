"""The least classification error that any classifier reaches on a mixture whose clusters are known.

Divided by the noise, the clusters of a mixture differ along the few directions that their means span; all others tell a
classifier nothing. There, an input of one cluster is missed where the other label is more probable. Such inputs are
counted for each cluster of the other label apart, where that one is the most probable of its label, along lines from
the one cluster to the other: the boundaries are met where the inputs are, however rare the errors. Along a line the
probability is exact, over the lines it is an average at quasi-random points.

Where clusters have covariances of their own, they differ in further directions, see `clusters_seen`, and the logarithms
of probability ratios are quadratic along a line instead of linear.
"""

import math
from itertools import product

import numpy as np
from numba import njit
from scipy.special import chdtri, ndtri
from scipy.stats import qmc

from twolayer.errors import ConfigError
from twolayer.model.mixtures import IsotropicMixture, SpectralMixture
from twolayer.theory.clusters_seen import clusters_seen
from twolayer.theory.gaussian_integrals import normal_cdf

_LOG2_SCRAMBLES = 3  # independent ones, whose spread is the error of the average
_FAR = 39.0  # standard deviations at which the normal distribution underflows
_TILT = 0.5  # radians between lines and the way from cluster to cluster, where these are close
_STRIDE = 1e-2  # standard deviations: an interval of errors shorter than that may be passed over
_LONGEST = 1.0  # stride along which the slope of a quadratic is bounded
_RESOLUTION = 1e-11  # of a boundary, in standard deviations


def bayes_error(mixture: IsotropicMixture | SpectralMixture, log2_lines: int = 9, seed: int = 0) -> tuple[float, float]:
    """Least classification error, and its standard error; both are accurate relative to their size.

    Where covariances differ along many directions, errors far below one over the number of lines are too rare for any
    of them, and both numbers too low.

    Args:
        mixture: isotropic clusters of different noise need a dimension, `embed` gives them one.
        log2_lines: binary logarithm of the number of lines for each pair of clusters, at least 4.
        seed: of the quasi-random points.

    Raises:
        ConfigError: too few lines, no dimension where there must be one, or clusters that differ along a direction
            without noise.

    Source: refinetti2021, oracle; own derivation.
    """
    if log2_lines <= _LOG2_SCRAMBLES:
        raise ConfigError(f"log2_lines is {log2_lines}: the Bayes error needs at least {_LOG2_SCRAMBLES + 1}")
    seen, weights, labels = _distinct(clusters_seen(mixture), mixture.weights, mixture.labels)
    directions = seen.means.shape[1]
    if directions == 0:  # all clusters are alike: what remains is to guess
        return float(min(weights @ (labels > 0), weights @ (labels < 0))), 0.0
    streams = np.random.default_rng(seed).spawn(2**_LOG2_SCRAMBLES)
    scrambles = [_points(directions - 1, seen.freedoms, log2_lines - _LOG2_SCRAMBLES, stream) for stream in streams]
    levels = np.log(weights) - seen.log_volumes()
    pairs = [(a, b) for a, b in product(range(len(labels)), repeat=2) if labels[a] != labels[b]]
    ways = [2 * seen.whitened(a, seen.crossing(a, b, levels[b] - levels[a])) for a, b in pairs]  # there and beyond
    lines = [(*pair, _axes(way)) for pair, way in zip(pairs, ways, strict=True)]
    errors = [
        sum(weights[a] * _missed(a, b, axes, seen, labels, levels, *points) for a, b, axes in lines)
        for points in scrambles
    ]
    return float(np.mean(errors)), float(np.std(errors, ddof=1) / math.sqrt(len(errors)))


def _distinct(seen, weights, labels):
    """The clusters that occur, those of one law and label as one."""
    laws = np.column_stack([labels, *(part.reshape(len(labels), -1) for part in seen.by_cluster())])
    _, first, which = np.unique(laws, axis=0, return_index=True, return_inverse=True)
    together = np.bincount(which.ravel(), weights)
    order = [number for number in np.argsort(first) if together[number] > 0]
    return seen.of(first[order]), together[order], labels[first[order]]


def _points(dimension, freedoms, log2_size, rng):
    """Standard normal points (n, dimension) and chi-squared numbers (n, G); the one point that there is of neither."""
    count = dimension + len(freedoms)
    if count == 0:
        return np.zeros((1, 0)), np.zeros((1, 0))
    uniform = np.clip(qmc.Sobol(count, rng=rng).random_base2(log2_size), 1e-12, 1 - 1e-12)
    return ndtri(uniform[:, :dimension]), chdtri(freedoms, 1 - uniform[:, dimension:])


def _missed(cluster, other, axes, seen, labels, levels, normals, squares):
    """Probability that an input of one cluster is missed where the other, of the other label, is the likeliest.

    Lines lead along the first of the axes, in units of the cluster's noise.
    """
    start, along = seen.noise(cluster, normals @ axes[:, 1:].T), seen.noise(cluster, axes[:, 0])
    offsets, slopes, bends = [], [], []
    for j, level in enumerate(levels):
        at, gain = seen.whitened(j, seen.means[cluster] - seen.means[j] + start), seen.whitened(j, along)
        sums = squares @ (seen.squares[cluster] / seen.squares[j])
        offsets.append(level - 0.5 * (np.sum(at**2, axis=1) + sums))
        slopes.append(-at @ gain)
        bends.append(-0.5 * gain @ gain)
    odds = (np.stack(part, axis=-1) for part in (offsets, slopes, bends))
    return _mass_of_errors(*(part - part[..., [cluster]] for part in odds), labels, cluster, other)


def _axes(direction):
    """(r, r) orthonormal columns, the first nearly along that direction, or anywhere where it has none.

    Not exactly: in a symmetric mixture boundaries run along it, and lines would meet all of them or nothing.
    """
    length = np.linalg.norm(direction)
    basis = np.linalg.qr(np.column_stack([direction, np.eye(len(direction))]))[0]
    basis[:, 0] = direction / length if length > 0 else basis[:, 0]
    tilt = _TILT / (1 + length)
    if len(direction) > 1:
        basis[:, :2] = basis[:, :2] @ [[math.cos(tilt), -math.sin(tilt)], [math.sin(tilt), math.cos(tilt)]]
    return basis


@njit(cache=True)
def _mass_of_errors(offsets, slopes, bends, labels, cluster, other):
    """Mean over lines of the normal mass where `other` is the likeliest of its label and that label the likelier one.

    Args:
        offsets, slopes: (n, C). bends: (C,). Logarithms of the probabilities of the clusters over that of `cluster` are
            offset + slope * t + bend * t^2.
    """
    total, same = 0.0, labels == labels[cluster]
    bending = bends.max() - bends.min()
    for line in range(len(offsets)):
        rate = slopes[line].max() - slopes[line].min()
        total += _mass_above_zero(offsets[line], slopes[line], bends, same, other, rate, bending)
    return total / len(offsets)


@njit(cache=True)
def _lead(offset, slope, bend, same, other, t):
    """By how much, at t along a line, the odds are against the label of the clusters that are the `same`, in their
    logarithm; or `other` is likelier than all others of its label, whichever is less."""
    right, wrong, rival = -np.inf, -np.inf, -np.inf
    for j in range(len(slope)):
        value = offset[j] + (slope[j] + bend[j] * t) * t
        if same[j]:
            right = max(right, value)
        else:
            wrong = max(wrong, value)
            if j != other:
                rival = max(rival, value)
    right_sum, wrong_sum = 0.0, 0.0
    for j in range(len(slope)):
        value = offset[j] + (slope[j] + bend[j] * t) * t
        if same[j]:
            right_sum += math.exp(value - right)
        else:
            wrong_sum += math.exp(value - wrong)
    own = offset[other] + (slope[other] + bend[other] * t) * t
    return min(wrong - right + math.log(wrong_sum / right_sum), own - rival)


@njit(cache=True)
def _mass_above_zero(offset, slope, bend, same, other, rate, bending):
    """Normal mass where the lead is positive.

    It changes by at most rate + 2 bending |t| a unit of t: no stride passes over a root.
    """
    mass, t, begin = 0.0, -_FAR, -_FAR
    lead = _lead(offset, slope, bend, same, other, t)
    while t < _FAR:
        fastest = rate + 2 * bending * (abs(t) + _LONGEST)
        stride = max(abs(lead) / fastest, _STRIDE) if fastest > 0 else 2 * _FAR
        ahead = min(t + (min(stride, _LONGEST) if bending > 0 else stride), _FAR)
        then = _lead(offset, slope, bend, same, other, ahead)
        if (then > 0) != (lead > 0):
            edge = _root(offset, slope, bend, same, other, t, ahead, lead, then)
            if then > 0:
                begin = edge
            else:
                mass += _between(begin, edge)
        t, lead = ahead, then
    return mass + _between(begin, _FAR) if lead > 0 else mass


@njit(cache=True)
def _root(offset, slope, bend, same, other, low, high, at_low, at_high):
    """Where the lead is zero between two ends at which it is not: false position, in the Illinois form."""
    middle = low
    while high - low > _RESOLUTION:
        last, middle = middle, (low * at_high - high * at_low) / (at_high - at_low)
        here = _lead(offset, slope, bend, same, other, middle)
        if abs(middle - last) < _RESOLUTION or here == 0:
            break
        if (here > 0) == (at_high > 0):
            high, at_high, at_low = middle, here, 0.5 * at_low
        else:
            low, at_low, at_high = middle, here, 0.5 * at_high
    return middle


@njit(cache=True)
def _between(low, high):
    """Normal probability of an interval, accurate in either tail."""
    if low > 0:
        return normal_cdf(-low) - normal_cdf(-high)
    return normal_cdf(high) - normal_cdf(low)
