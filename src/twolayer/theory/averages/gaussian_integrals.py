"""Averages over jointly Gaussian pre-activations a and b, in closed form.

Functions of single moments work elementwise. Means have shape (..., n) and covariances (..., n, n), where leading
dimensions broadcast. A covariance may be singular, and two fields may be equal.

Source: refinetti2021, the integrals of the order-parameter equations; owen1956 for the bivariate normal probability.
"""

import math

import numpy as np
from numba import njit, vectorize
from scipy.special import erf

_ABSCISSAE, _WEIGHTS = np.polynomial.legendre.leggauss(12)  # 1e-16: the integrand has its poles at +-i
_SQUARES = (0.5 * (_ABSCISSAE + 1)) ** 2
_WEIGHTS = _WEIGHTS / (4 * math.pi)
_NEGLIGIBLE = 1e-290  # quotients of smaller numbers lose digits to underflow


@vectorize(cache=True)
def normal_density(x):
    """Return the standard normal density."""
    return math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


@vectorize(cache=True)
def normal_cdf(x):
    """Return the standard normal distribution function."""
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


@njit(cache=True)
def _sector(h, slope):
    """Return Owen's T(h, slope) for 0 <= slope <= 1."""
    total = 0.0
    for i in range(_SQUARES.size):
        stretch = 1 + slope * slope * _SQUARES[i]
        total += _WEIGHTS[i] * math.exp(-0.5 * h * h * stretch) / stretch
    return slope * total


@njit(cache=True)
def _owens_t(h, height):
    """Return Owen's T(h, |height / h|), even if that quotient is infinite."""
    h, height = abs(h), abs(height)
    if height > h:
        tail_h, tail_height = normal_cdf(-h), normal_cdf(-height)
        return 0.5 * (tail_h + tail_height) - tail_h * tail_height - _sector(height, h / height)
    return _sector(h, height / h) if h > 0 else 0.0


@vectorize(cache=True)
def bivariate_normal_cdf(h, k, r):
    """Return P(x < h, y < k) for standard normal x and y with correlation r in [-1, 1].

    Source: owen1956.
    """
    q = math.sqrt((1 - r) * (1 + r))
    if q == 0:
        return normal_cdf(min(h, k)) if r > 0 else max(normal_cdf(h) - normal_cdf(-k), 0.0)
    if abs(h) < _NEGLIGIBLE and abs(k) < _NEGLIGIBLE:
        return 0.25 + math.asin(r) / (2 * math.pi)
    height_h, height_k = (k - r * h) / q, (h - r * k) / q
    total = 0.5 * (normal_cdf(h) + normal_cdf(k))
    total -= math.copysign(_owens_t(h, height_h), height_h if h >= 0 else -height_h)
    total -= math.copysign(_owens_t(k, height_k), height_k if k >= 0 else -height_k)
    return max(total - 0.5 if (h < 0) != (k < 0) else total, 0.0)  # negative values are rounding errors


@vectorize(cache=True)
def _edge(h, k, r):
    """Return the density of x at -h times P(y > -k | x = -h), for standard normal x and y with correlation r."""
    q = math.sqrt((1 - r) * (1 + r))
    above = k - r * h
    if q == 0:  # x determines y: half of an edge that both share belongs to either
        return normal_density(h) * (0.5 + 0.5 * np.sign(above))
    return normal_density(h) * normal_cdf(above / q)


@vectorize(cache=True)
def _rectified(mean, deviation):
    """Return E max(x, 0) for normal x with this mean and standard deviation."""
    if deviation == 0:
        return max(mean, 0.0)
    return mean * normal_cdf(mean / deviation) + deviation * normal_density(mean / deviation)


def _erf_slope(mean, spread):
    """Return <g'(a)>, with spread = 1 + the variance of a."""
    return np.sqrt(2 / (np.pi * spread)) * np.exp(-0.5 * mean**2 / spread)


def pair_moments(mean, covariance):
    """Return the moments of every two of K fields, for averages over two fields: mean (..., K), covariance (..., K,
    K)."""
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    return mean[..., :, None], mean[..., None, :], variance[..., :, None], variance[..., None, :], covariance


def output_averages(values, products, v, label):
    """Return <err g(lambda_k)> (C, K) and <err^2> (C,), from <g(lambda_k)> and <g(lambda_k) g(lambda_l)>; label (C,
    1)."""
    readout = label * values - products @ v
    return readout, label[:, 0] * (label[:, 0] - values @ v) - readout @ v


def tilt(mean, covariance):
    """Return the Gaussian weighted with an erf slope: <g'(a) F> = factor <F>', with every field as a.

    Returns: factor (..., n), mean (..., n, n), covariance (..., n, n, n); the first new axis is the axis of a.
    """
    spread = 1 + np.diagonal(covariance, axis1=-2, axis2=-1)
    factor = _erf_slope(mean, spread)
    tilted_mean = mean[..., None, :] - covariance * (mean / spread)[..., None]
    outer = covariance[..., :, :, None] * covariance[..., :, None, :]
    return factor, tilted_mean, covariance[..., None, :, :] - outer / spread[..., None, None]


def erf_value(mean, variance):
    """Return <g(a)> from the moments of a."""
    return erf(mean / np.sqrt(2 * (1 + variance)))


def erf_pair(mean_a, mean_b, variance_a, variance_b, covariance_ab):
    """Return <g(a) g(b)> from the moments of a and b."""
    root_a, root_b = np.sqrt(1 + variance_a), np.sqrt(1 + variance_b)
    h, k = mean_a / root_a, mean_b / root_b
    joint = bivariate_normal_cdf(h, k, covariance_ab / (root_a * root_b))
    return 4 * joint - erf(h * math.sqrt(0.5)) - erf(k * math.sqrt(0.5)) - 1


def relu_value(mean, variance):
    """Return <g(a)> from the moments of a."""
    return _rectified(mean, np.sqrt(variance))


def relu_pair(mean_a, mean_b, variance_a, variance_b, covariance_ab):
    """Return three averages of two relu units from the moments of a and b; variances must be positive.

    Returns: <g'(a) g'(b)>, <g'(a) g(b)> and <delta(a) g(b)>, from which partial integration gives the others.
    """
    deviation_a, deviation_b = np.sqrt(variance_a), np.sqrt(variance_b)
    h, k = mean_a / deviation_a, mean_b / deviation_b
    # rounding can lead beyond -1 or 1
    r = np.minimum(np.maximum(covariance_ab / np.sqrt(variance_a * variance_b), -1), 1)
    both_on = bivariate_normal_cdf(h, k, r)
    slope_value = mean_b * both_on + deviation_b * (r * _edge(h, k, r) + _edge(k, h, r))
    value_at_edge = deviation_b * _rectified(k - r * h, np.sqrt((1 - r) * (1 + r)))
    return both_on, slope_value, normal_density(h) / deviation_a * value_at_edge


compiled_relu_pair = njit(cache=True, error_model="numpy")(relu_pair)  # takes numbers, for compiled code
