"""The least classification error that any classifier reaches on a mixture whose clusters are known.

Divided by the noise, the clusters of a mixture differ along the few directions that their means span; all others tell a
classifier nothing. There, an input of one cluster is missed where the other label is more probable. Such inputs are
counted for each cluster of the other label apart, where that one is the most probable of its label, along lines from
the one cluster to the other: the boundaries are met where the inputs are, however rare the errors. Along a line the
probability is exact, over the lines it is an average at quasi-random points.
"""

import math
from itertools import product

import numpy as np
from numba import njit
from scipy.special import ndtri
from scipy.stats import qmc

from twolayer.errors import ConfigError
from twolayer.model.mixtures import IsotropicMixture, SpectralMixture
from twolayer.theory.gaussian_integrals import normal_cdf

_LOG2_SCRAMBLES = 3  # independent ones, whose spread is the error of the average
_FAR = 39.0  # standard deviations at which the normal distribution underflows
_TILT = 0.5  # radians between lines and the way from cluster to cluster, where these are close
_STRIDE = 1e-2  # standard deviations: an interval of errors shorter than that may be passed over
_RESOLUTION = 1e-11  # of a boundary, in standard deviations
_COINCIDENT = 1e-12  # part of their largest distance at which means are the same


def bayes_error(mixture: IsotropicMixture | SpectralMixture, log2_lines: int = 9, seed: int = 0) -> tuple[float, float]:
    """Least classification error, and its standard error; both are accurate relative to their size.

    Args:
        log2_lines: binary logarithm of the number of lines for each pair of clusters, at least 4.
        seed: of the quasi-random points.

    Raises:
        ConfigError: too few lines, or clusters that differ along a direction without noise.

    Source: refinetti2021, oracle; own derivation.
    """
    if log2_lines <= _LOG2_SCRAMBLES:
        raise ConfigError(f"log2_lines is {log2_lines}: the Bayes error needs at least {_LOG2_SCRAMBLES + 1}")
    occurring = mixture.weights > 0
    weights, labels, centres = mixture.weights[occurring], mixture.labels[occurring], _whitened(mixture)[occurring]
    if centres.shape[1] == 0:  # all clusters are alike: what remains is to guess
        return float(min(weights @ (labels > 0), weights @ (labels < 0))), 0.0
    streams = np.random.default_rng(seed).spawn(2**_LOG2_SCRAMBLES)
    scrambles = [_normals(centres.shape[1] - 1, log2_lines - _LOG2_SCRAMBLES, stream) for stream in streams]
    pairs = [(a, b) for a, b in product(range(len(labels)), repeat=2) if labels[a] != labels[b]]
    errors = [
        sum(weights[a] * _missed(a, b, centres, labels, weights, points) for a, b in pairs) for points in scrambles
    ]
    return float(np.mean(errors)), float(np.std(errors, ddof=1) / math.sqrt(len(errors)))


def _whitened(mixture):
    """(C, r) means where the noise is standard normal, in the directions in which they differ."""
    noise = mixture.variance if isinstance(mixture, IsotropicMixture) else mixture.eigenvalues
    deviation = np.sqrt(np.broadcast_to(noise, mixture.means.shape[1:]))
    differences = mixture.means - mixture.means[np.argmax(mixture.weights)]
    silent = deviation == 0
    if np.any(differences[:, silent]):
        raise ConfigError(
            "the clusters differ along a direction without noise, where nothing hides them from a classifier: give "
            "every direction in which means differ a variance"
        )
    scaled = differences[:, ~silent] / deviation[~silent]
    left, lengths, _ = np.linalg.svd(scaled, full_matrices=False)
    kept = lengths > _COINCIDENT * lengths.max(initial=0.0)
    return left[:, kept] * lengths[kept]


def _normals(dimension, log2_size, rng):
    """Standard normal points (n, dimension); the one point that there is in no dimensions."""
    if dimension == 0:
        return np.zeros((1, 0))
    uniform = qmc.Sobol(dimension, rng=rng).random_base2(log2_size)
    return ndtri(np.clip(uniform, 1e-12, 1 - 1e-12))


def _missed(cluster, other, centres, labels, weights, normals):
    """Probability that an input of one cluster is missed where the other, of the other label, is the likeliest."""
    towards = centres - centres[cluster]
    axes = _axes(towards[other])
    offsets = np.log(weights / weights[cluster]) - 0.5 * np.sum(towards**2, axis=1)
    offsets = offsets + normals @ (towards @ axes[:, 1:]).T
    return _mass_of_errors(offsets, towards @ axes[:, 0], labels, cluster, other)


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
def _mass_of_errors(offsets, slopes, labels, cluster, other):
    """Mean over lines of the normal mass where `other` is the likeliest of its label and that label the likelier one.

    Args:
        offsets: (n, C). slopes: (C,). Log-likelihood ratios of the clusters to `cluster` are offset + slope * t.
    """
    same = labels == labels[cluster]
    rising, falling = slopes[~same].max() - slopes[same].min(), slopes[same].max() - slopes[~same].min()
    total = 0.0
    for line in range(len(offsets)):
        lower, upper = _where_likeliest(offsets[line], slopes, labels, other)
        if lower < upper:
            total += _mass_above_zero(offsets[line], slopes, same, rising, falling, lower, upper)
    return total / len(offsets)


@njit(cache=True)
def _where_likeliest(offset, slopes, labels, other):
    """The interval in which a cluster is the likeliest of its label; of equals it is the first."""
    lower, upper = -_FAR, _FAR
    for j in range(len(slopes)):
        if labels[j] != labels[other] or j == other:
            continue
        lead, gain = offset[other] - offset[j], slopes[other] - slopes[j]
        if gain > 0:
            lower = max(lower, -lead / gain)
        elif gain < 0:
            upper = min(upper, -lead / gain)
        elif lead < 0 or (lead == 0 and j < other):
            upper = -_FAR
    return lower, upper


@njit(cache=True)
def _doubt(offset, slopes, same, t):
    """Logarithm of the odds against the label of the clusters that are the `same`, at t along a line."""
    right, wrong = -np.inf, -np.inf
    for j in range(len(slopes)):
        if same[j]:
            right = max(right, offset[j] + slopes[j] * t)
        else:
            wrong = max(wrong, offset[j] + slopes[j] * t)
    right_sum, wrong_sum = 0.0, 0.0
    for j in range(len(slopes)):
        if same[j]:
            right_sum += math.exp(offset[j] + slopes[j] * t - right)
        else:
            wrong_sum += math.exp(offset[j] + slopes[j] * t - wrong)
    return wrong - right + math.log(wrong_sum / right_sum)


@njit(cache=True)
def _mass_above_zero(offset, slopes, same, rising, falling, lower, upper):
    """Normal mass between the bounds where the odds are against the label.

    They rise and fall by at most `rising` and `falling` a unit of t: no stride passes over a root.
    """
    mass, t, begin = 0.0, lower, lower
    doubt = _doubt(offset, slopes, same, t)
    while t < upper:
        rate = falling if doubt > 0 else rising
        ahead = min(t + max(abs(doubt) / rate, _STRIDE), upper) if rate > 0 else upper
        then = _doubt(offset, slopes, same, ahead)
        if (then > 0) != (doubt > 0):
            edge = _root(offset, slopes, same, t, ahead, doubt, then)
            if then > 0:
                begin = edge
            else:
                mass += _between(begin, edge)
        t, doubt = ahead, then
    return mass + _between(begin, upper) if doubt > 0 else mass


@njit(cache=True)
def _root(offset, slopes, same, low, high, at_low, at_high):
    """Where the odds are even between two ends at which they are not: false position, in the Illinois form."""
    middle = low
    while high - low > _RESOLUTION:
        last, middle = middle, (low * at_high - high * at_low) / (at_high - at_low)
        here = _doubt(offset, slopes, same, middle)
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
