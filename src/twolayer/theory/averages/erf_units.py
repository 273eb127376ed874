"""Averages of erf units, all in closed form and compiled.

With h = mean / sqrt(1 + variance), <g(a)> = erf(h / sqrt 2) and <g(a) g(b)> = <g(a)> <g(b)> + I(h_a, h_b, r). Here r
is the covariance divided by both roots, and I is the integral over correlations from 0 to r (Plackett's identity). It
needs a few Gauss-Legendre nodes. Weighting with the slope of a unit leads to another Gaussian distribution.

Source: refinetti2021, order-parameter equations; plackett1954.
"""

import math

import numpy as np
from numba import njit

from twolayer.theory.averages.gaussian_integrals import (
    bivariate_normal_cdf,
    erf_pair,
    pair_moments,
)
from twolayer.theory.averages.nodes import Nodes

_LIMITS = np.array([0.25, 0.5, 0.8])  # correlations up to which a rule has an error of at most 1e-12
_SIZES = np.array([5, 8, 14])  # nodes of each rule
_ABSCISSAE, _WEIGHTS = np.zeros((2, 3, 14))
for _rule, _size in enumerate(_SIZES):
    _ABSCISSAE[_rule, :_size], _WEIGHTS[_rule, :_size] = np.polynomial.legendre.leggauss(_size)


def erf_local_fields(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, _: Nodes
) -> tuple[np.ndarray, ...]:
    """Return the averages as `UnitAverages.local_fields` does, without nodes."""
    return erf_averages(M, covariance, v, label[:, 0])


def erf_products(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the averages as `UnitAverages.products` does."""
    return erf_pair(*pair_moments(mean, covariance))


@njit(cache=True)
def erf_averages(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return drive, response, noise and readout of `LocalFieldAverages`, and the mean squared error (C,); labels
    (C,)."""
    clusters, hidden = M.shape
    drive, readout = np.empty((clusters, hidden)), np.empty((clusters, hidden))
    response, noise = np.empty((clusters, hidden, hidden)), np.empty((clusters, hidden, hidden))
    squared, squared_error = np.empty(clusters), np.empty(clusters)
    values, unused = np.empty((clusters, hidden)), np.empty((clusters, hidden))
    mean, second_mean = np.empty((clusters, hidden)), np.empty((clusters, hidden))
    tilted, second_tilted = np.empty((hidden, hidden)), np.empty((hidden, hidden))
    factor, second_factor = np.empty(clusters), np.empty(clusters)
    _outputs(M, covariance, v, labels, values, readout, squared_error)
    for k in range(hidden):
        _tilt(M, covariance, k, factor, mean, tilted)
        _drive(k, mean, tilted, factor, v, labels, drive, response)
        for j in range(k + 1):
            _tilt(mean, tilted, j, second_factor, second_mean, second_tilted)
            _outputs(second_mean, second_tilted, v, labels, values, unused, squared)
            for a in range(clusters):
                slopes = v[k] * v[j] * factor[a] * second_factor[a]
                noise[a, k, j] = noise[a, j, k] = slopes * squared[a]
                if j == k:
                    response[a, k, k] -= slopes
                else:
                    response[a, k, j] = response[a, j, k] = -slopes
    return drive, response, noise, readout, squared_error


@njit(cache=True)
def _slope(mean, spread):
    """Return <g'(a)>, with spread = 1 + the variance of a."""
    return math.sqrt(2 / (math.pi * spread)) * math.exp(-0.5 * mean * mean / spread)


@njit(cache=True)
def _tilt(mean, covariance, k, factor, tilted_mean, tilted):
    """Fill the Gaussian distribution weighted with g'(lambda_k): <g'(lambda_k) F> = factor <F>', in each cluster."""
    clusters, hidden = mean.shape
    spread = 1 + covariance[k, k]
    for a in range(clusters):
        factor[a] = _slope(mean[a, k], spread)
        for i in range(hidden):
            tilted_mean[a, i] = mean[a, i] - covariance[k, i] * mean[a, k] / spread
        tilted_mean[a, k] = mean[a, k] / spread  # the same, without cancellation if the variance is large
    for i in range(hidden):
        for j in range(hidden):
            tilted[i, j] = covariance[i, j] - covariance[k, i] * covariance[k, j] / spread
    for i in range(hidden):
        tilted[i, k] = tilted[k, i] = covariance[k, i] / spread


@njit(cache=True)
def _drive(k, mean, tilted, factor, v, labels, drive, response):
    """Fill <u_k>, and v_k <g''(lambda_k) err> in the diagonal of the response, because g''(x) = -x g'(x)."""
    for a in range(len(labels)):
        output, product = 0.0, 0.0
        for i in range(len(v)):
            spread = 1 + tilted[i, i]
            value = math.erf(mean[a, i] / math.sqrt(2 * spread))
            output += v[i] * value
            product += v[i] * (mean[a, k] * value + tilted[k, i] * _slope(mean[a, i], spread))
        drive[a, k] = v[k] * factor[a] * (labels[a] - output)
        response[a, k, k] = v[k] * factor[a] * (product - labels[a] * mean[a, k])


@njit(cache=True)
def _outputs(mean, covariance, v, labels, values, readout, squared_error):
    """Fill <g(lambda_k)>, <err g(lambda_k)> and <err^2> in each cluster."""
    clusters, hidden = mean.shape
    for a in range(clusters):
        error = labels[a]
        for k in range(hidden):
            values[a, k] = math.erf(mean[a, k] / math.sqrt(2 * (1 + covariance[k, k])))
            error -= v[k] * values[a, k]
        squared_error[a] = error * error
        for k in range(hidden):
            readout[a, k] = error * values[a, k]
    nodes = np.empty((3, _ABSCISSAE.shape[1]))
    for k in range(hidden):
        for j in range(k + 1):
            root_k, root_j = math.sqrt(1 + covariance[k, k]), math.sqrt(1 + covariance[j, j])
            r = covariance[k, j] / (root_k * root_j)
            size = _correlations(r, nodes)
            for a in range(clusters):
                h, other = mean[a, k] / root_k, mean[a, j] / root_j
                if size > 0:
                    joint = _integral(h, other, nodes, size)
                else:
                    both = 4 * bivariate_normal_cdf(h, other, r) - 1
                    joint = both - values[a, k] - values[a, j] - values[a, k] * values[a, j]
                readout[a, k] -= v[j] * joint
                if j != k:
                    readout[a, j] -= v[k] * joint
                squared_error[a] += (1 if j == k else 2) * v[k] * v[j] * joint


@njit(cache=True)
def _correlations(r, nodes):
    """Fill `nodes` for the integral over correlations sin(theta) from 0 to r, and return their number.

    The number is 0 if no rule is accurate enough.

    The rows of `nodes` are the correlations, 1 / (2 cos^2 theta) and the weights.
    """
    if abs(r) > _LIMITS[-1]:
        return 0
    rule = 0
    while abs(r) > _LIMITS[rule]:
        rule += 1
    half = 0.5 * math.asin(r)
    for i in range(_SIZES[rule]):
        sine = math.sin(half * (1 + _ABSCISSAE[rule, i]))
        nodes[0, i], nodes[1, i] = sine, 0.5 / (1 - sine * sine)
        nodes[2, i] = half * _WEIGHTS[rule, i] * (2 / math.pi)
    return _SIZES[rule]


@njit(cache=True)
def _integral(h, k, nodes, size):
    """Return the covariance of two units with these means divided by their roots."""
    squares, product, total = h * h + k * k, 2 * h * k, 0.0
    for i in range(size):
        total += nodes[2, i] * math.exp((product * nodes[0, i] - squares) * nodes[1, i])
    return total
