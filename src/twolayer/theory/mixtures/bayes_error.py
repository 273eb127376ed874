"""The least classification error of any classifier on a mixture with known clusters.

In units of the noise, the clusters of a mixture differ only along the few directions that their means span. There, a
classifier errs on an input of one cluster if the other label is more probable. The errors are counted for each pair of
a cluster and a group of neighbouring clusters of the other label: inputs of the cluster for which a member of the group
is the most probable cluster of its label. The count is an integral along lines from the cluster to the group. The lines
meet the boundaries where the inputs are, however rare the errors. The probability along a line is exact; the average
over the lines is taken at quasi-random points.

If there are many such pairs and errors are frequent, the average over inputs of the smaller of both labels'
probabilities takes less work. If all clusters are nearly alike, it is more accurate. If errors are rare, pairs get
lines according to their share of the errors.

Clusters with one distribution count as one cluster. If their labels differ, the smaller of their weights is always
misclassified, and only the rest of the larger weight remains.

Clusters with different covariances differ in further directions, see `clusters_seen`. The logarithms of probability
ratios are then quadratic along a line instead of linear.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri, expit, logsumexp, ndtr, ndtri
from scipy.stats import qmc

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.theory.mixtures.cluster_directions import clusters_seen
from twolayer.theory.mixtures.error_boundaries import masses_of_errors

_LOG2_SCRAMBLES = 3  # binary logarithm of the number of independent scrambles, whose spread is the error of the average
_SAME_DISTRIBUTION = 1e-8  # distance of two distributions that count as equal; the error changes by no more
_ROUNDING = 1e-13  # part of the largest whitened mean at which means count as equal
_ALIKE = 1e-2  # distance of all distributions below which the boundaries of the labels are ill-conditioned
_NEIGHBOURS = 0.5  # distance of distributions, in standard deviations, up to which clusters share their lines
_FREQUENT = 0.01  # error above which the average runs over inputs instead of lines, if there are many pairs
_LOG2_MORE_POINTS = 2  # additional binary logarithm of the number of inputs, compared with lines
_FULL = 32  # number of pairs that get all lines; more pairs share the lines of this number
_FAR = 39.0  # standard deviations at which the normal distribution underflows
_NEGLIGIBLE = 1e-12  # part of the error that is neglected beyond the ends of the lines
_TILT = 0.5  # radians between lines and the direction from cluster to cluster, if these are close


def bayes_error(mixture: IsotropicMixture | SpectralMixture, log2_lines: int = 9, seed: int = 0) -> tuple[float, float]:
    """Return the least classification error, and its standard error, both accurate relative to their size.

    If covariances differ along many directions, errors far below one over the number of lines are too rare for the
    lines to meet. Both numbers are then too low.

    Args:
        mixture: isotropic clusters of different noise need a dimension, which `embed` sets.
        log2_lines: binary logarithm of the largest number of lines for each pair of clusters, at least 4.
        seed: seed of the quasi-random points.

    Raises:
        ConfigError: there are too few lines, the dimension is missing, or clusters differ along a direction without
            noise.

    Source: refinetti2021, Bayes-optimal classifier; own derivation.
    """
    if log2_lines <= _LOG2_SCRAMBLES:
        raise ConfigError(f"log2_lines is {log2_lines}: the Bayes error needs at least {_LOG2_SCRAMBLES + 1}")
    seen, weights, labels, certain = _distinct(clusters_seen(mixture), mixture.weights, mixture.labels)
    if len(set(labels)) < 2:  # the rest is classified correctly
        return certain, 0.0
    streams = np.random.default_rng(seed).spawn(2**_LOG2_SCRAMBLES)
    levels = np.log(weights) - seen.log_volumes()
    if seen.distances().max() < _ALIKE:
        error, uncertainty = _over_inputs(seen, weights, labels, levels, log2_lines, streams)
        return certain + error, uncertainty
    pairs = _pairs(seen, weights, labels, levels)
    if len(pairs) > _FULL:
        error, uncertainty = _over_inputs(seen, weights, labels, levels, log2_lines, streams)
        if error > _FREQUENT:
            return certain + error, uncertainty
    error, uncertainty = _over_lines(pairs, seen, weights, labels, levels, log2_lines, streams)
    return certain + error, uncertainty


def _over_inputs(seen, weights, labels, levels, log2_points, streams):
    """Return the error, and its standard error, as the average probability of the less probable label over inputs."""
    dimension, errors = seen.means.shape[1], []
    for rng in streams:
        uniform = _uniform(dimension + len(seen.freedoms), log2_points + _LOG2_MORE_POINTS - _LOG2_SCRAMBLES, rng)
        error = 0.0
        for cluster, weight in enumerate(weights):
            normals, squares = _turned(uniform, dimension, seen.freedoms, rng)
            logs = _log_densities(seen, levels, cluster, seen.noise(cluster, normals), squares)
            ours, theirs = (logsumexp(logs[:, labels == label], axis=1) for label in (1, -1))
            error += weight * np.mean(expit(-np.abs(ours - theirs)))
        errors.append(error)
    return _mean(errors)


def _over_lines(pairs, seen, weights, labels, levels, log2_lines, streams):
    """Return the error, and its standard error, as the sum over pairs of a cluster and a group, along lines."""
    dimension, errors = seen.means.shape[1] - 1, np.zeros(len(streams))
    reach = _reach(pairs, weights) if seen.one_covariance else _FAR
    uniform = [_uniform(dimension + len(seen.freedoms), log2_lines - _LOG2_SCRAMBLES, rng) for rng in streams]
    for pair, count in zip(pairs, _line_counts(pairs, len(uniform[0])), strict=True):
        turns = streams if len(pairs) > _FULL else [None] * len(streams)  # errors of few lines must not add up
        points = [_turned(one[:count], dimension, seen.freedoms, rng) for one, rng in zip(uniform, turns, strict=True)]
        masses = _missed(
            pair, seen, labels, levels, reach, *(np.concatenate(part) for part in zip(*points, strict=True))
        )
        errors += weights[pair.cluster] * masses.reshape(len(streams), -1).mean(axis=1)
    return _mean(errors)


def _mean(errors):
    """Return the mean of the scrambles, and its standard error."""
    return float(np.mean(errors)), float(np.std(errors, ddof=1) / math.sqrt(len(errors)))


def _uniform(dimension, log2_size, rng):
    """Return quasi-random points (n, dimension) of the unit cube; if the dimension is zero, a single point."""
    if dimension == 0:
        return np.zeros((1, 0))
    return qmc.Sobol(dimension, rng=rng).random_base2(log2_size)


def _turned(uniform, dimension, freedoms, rng):
    """Return standard normal points (n, dimension) and chi-squared numbers (n, G), from uniform ones, shifted at
    random.
    """
    if rng is not None:
        uniform = (uniform + rng.random(uniform.shape[1])) % 1
    uniform = np.clip(uniform, 1e-12, 1 - 1e-12)
    return ndtri(uniform[:, :dimension]), chdtri(freedoms, 1 - uniform[:, dimension:])


def _log_densities(seen, levels, cluster, noise, squares):
    """Return logarithms (n, C) of the clusters' densities at inputs of one of them, up to a constant."""
    logs = []
    for j, level in enumerate(levels):
        at = seen.whitened(j, seen.means[cluster] - seen.means[j] + noise)
        sums = squares @ (seen.squares[cluster] / seen.squares[j])
        logs.append(level - 0.5 * (np.sum(at**2, axis=1) + sums))
    return np.stack(logs, axis=-1)


def _distinct(seen, weights, labels):
    """Return the clusters, merged if their distributions coincide, and the error of merged clusters with different
    labels.
    """
    occurring = np.flatnonzero(weights > 0)
    seen, weights, labels = seen.of(occurring), weights[occurring], labels[occurring]
    extent = np.abs(seen.means / seen.deviations).max(initial=0.0)
    leader = _leaders(seen.distances(), max(_SAME_DISTRIBUTION, _ROUNDING * extent))
    kept, left, certain = [], [], 0.0
    for first in np.unique(leader):
        positive, negative = (weights[(leader == first) & (labels == label)].sum() for label in (1, -1))
        common, rest = min(positive, negative), abs(positive - negative)
        certain += common
        if rest > _ROUNDING * common:
            kept.append((first, 1.0 if positive > negative else -1.0))
            left.append(rest)
    which, labels = (np.array(part) for part in zip(*kept, strict=True)) if kept else (np.empty(0, int), np.empty(0))
    return seen.of(which.astype(int)), np.array(left), labels, float(certain)


def _leaders(distances, radius):
    """Return (C,) for each item the first item within the radius that is its own leader."""
    leaders = []
    for row in distances:
        found = [first for first in dict.fromkeys(leaders) if row[first] <= radius]
        leaders.append(found[0] if found else len(leaders))
    return np.array(leaders)


@dataclass(frozen=True, eq=False)
class _Pair:
    """A cluster, and a group of clusters of the other label.

    Attributes:
        cluster: its number. members: (C,) which clusters are in the group. way: (r,) from the cluster to where it meets
            the group and as far beyond, in units of its noise. bound: estimate of the mass that is misclassified there.
    """

    cluster: int
    members: np.ndarray
    way: np.ndarray
    bound: float


def _pairs(seen, weights, labels, levels):
    """Return all pairs of a cluster and a group of the other label."""
    leaders = _leaders(np.where(labels[:, None] == labels, seen.distances(), np.inf), _NEIGHBOURS)
    pairs = []
    for first in np.unique(leaders):
        members = leaders == first
        level = levels[first] + math.log(weights[members].sum() / weights[first])
        for cluster in np.flatnonzero(labels != labels[first]):
            half = seen.whitened(cluster, seen.crossing(cluster, first, level - levels[cluster]))
            pairs.append(_Pair(cluster, members, 2 * half, weights[cluster] * float(ndtr(-np.linalg.norm(half)))))
    return sorted(pairs, key=lambda pair: (pair.cluster, np.argmax(pair.members)))


def _line_counts(pairs, most):
    """Return the numbers of lines in each scramble, which are powers of two."""
    if len(pairs) <= _FULL:
        return [most] * len(pairs)
    total = sum(pair.bound for pair in pairs)
    shares = (_FULL * most * pair.bound / total if total > 0 else 1.0 for pair in pairs)
    return [2 ** min(max(math.ceil(math.log2(max(share, 1.0))), 0), most.bit_length() - 1) for share in shares]


def _reach(pairs, weights):
    """Return where lines may end, in standard deviations; the part of the error beyond is negligible.

    The error is at least the error of any two clusters. With one covariance this bound is exact, unless one cluster is
    so light that it is nearly always misclassified: then the error is at least half its weight.
    """
    least = max(pair.bound for pair in pairs)
    return min(_FAR, -float(ndtri(_NEGLIGIBLE * min(least, 0.5 * min(weights)))))


def _missed(pair, seen, labels, levels, reach, normals, squares):
    """Return the probability (n,) along lines that an input of the cluster is misclassified as one of the group.

    Lines run along the first of the axes, in units of the cluster's noise.
    """
    cluster, axes = pair.cluster, _axes(pair.way)
    start, along = seen.noise(cluster, normals @ axes[:, 1:].T), seen.noise(cluster, axes[:, 0])
    offsets = _log_densities(seen, levels, cluster, start, squares)
    gains = [seen.whitened(j, along) for j in range(len(levels))]
    at = [seen.whitened(j, seen.means[cluster] - seen.means[j] + start) for j in range(len(levels))]
    slopes = np.stack([-points @ gain for points, gain in zip(at, gains, strict=True)], axis=-1)
    bends = np.array([-0.5 * gain @ gain for gain in gains])
    odds = (offsets, slopes, bends)
    sides = np.where(labels == labels[cluster], 0, np.where(pair.members, 1, 2))
    return masses_of_errors(*(part - part[..., [cluster]] for part in odds), sides, reach)


def _axes(direction):
    """Return (r, r) orthonormal columns, the first nearly along the direction, or arbitrary if the direction is zero.

    The first column is not exactly along the direction: in a symmetric mixture, boundaries run along it, and lines
    would meet all of them or none.
    """
    length = np.linalg.norm(direction)
    basis = np.linalg.qr(np.column_stack([direction, np.eye(len(direction))]))[0]
    basis[:, 0] = direction / length if length > 0 else basis[:, 0]
    tilt = _TILT / (1 + length)
    if len(direction) > 1:
        basis[:, :2] = basis[:, :2] @ [[math.cos(tilt), -math.sin(tilt)], [math.sin(tilt), math.cos(tilt)]]
    return basis
