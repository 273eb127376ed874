"""Probability that each of K jointly normal numbers is the largest."""

import math

import numpy as np
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from twolayer.theory.averages.gaussian_integrals import bivariate_normal_cdf

_REACH = 9.0  # range of an average, in standard deviations
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_PANELS = 8


def largest_probabilities(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the probability (K,) that each number is the largest.

    It has a closed form for up to three numbers, is an integral in one dimension for four, and is correct to 1e-5 for
    more.

    Args:
        mean: (K,). covariance: (K, K); differences of the numbers must vary.
    """
    K, found = len(mean), []
    for k in range(K):
        contrast = np.delete(np.eye(K) - np.eye(K)[k], k, axis=0)  # each other number minus this one
        found.append(_all_negative(contrast @ mean, contrast @ covariance @ contrast.T))
    return np.array(found)


def _all_negative(mean, covariance):
    deviations = np.sqrt(np.diag(covariance))
    limits, correlation = -mean / deviations, covariance / np.outer(deviations, deviations)
    if len(mean) == 1:
        return float(ndtr(limits[0]))
    if len(mean) == 2:
        return float(bivariate_normal_cdf(limits[0], limits[1], correlation[0, 1]))
    if len(mean) == 3:
        return _three(limits, correlation)
    return float(multivariate_normal.cdf(limits, cov=correlation, allow_singular=True, abseps=1e-7, releps=1e-6, rng=0))


def _three(h, r):
    """Return P(x_i < h_i) of three standard normal numbers, by an integral over the first."""
    ends = np.linspace(-_REACH, max(min(h[0], _REACH), 1e-9 - _REACH), _PANELS + 1)
    half, centre = np.diff(ends)[:, None] / 2, (ends[1:] + ends[:-1])[:, None] / 2
    x, weights = (centre + half * _NODES).ravel(), (half * _WEIGHTS).ravel()
    left = np.sqrt(np.maximum(1 - r[0, 1:] ** 2, 1e-300))
    partial = np.clip((r[1, 2] - r[0, 1] * r[0, 2]) / (left[0] * left[1]), -1, 1)
    inner = bivariate_normal_cdf((h[1] - r[0, 1] * x) / left[0], (h[2] - r[0, 2] * x) / left[1], partial)
    return float((weights * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)) @ inner)
