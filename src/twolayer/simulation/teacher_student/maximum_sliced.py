"""Maximum-sliced distance of samples from the normal distribution, and a bound on it."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from twolayer.errors import ConfigError

_STEPS, _RANDOM_STARTS = 25, 4
_SHRINK, _GROW = 0.5, 1.3  # factors of the step after a failure and a success


class Slice(NamedTuple):
    """The direction along which samples have the largest distance from a normal distribution.

    Attributes:
        direction: (E,) unit vector, for whitened samples.
        distance: W1 along it. skewness, kurtosis: third and excess fourth cumulant along it.
    """

    direction: np.ndarray
    distance: float
    skewness: float
    kurtosis: float


def whitening(fields: np.ndarray) -> np.ndarray:
    """Return the matrix (E, E) that whitens centred fields (n, E) by their sample covariance.

    Raises:
        ConfigError: the covariance is singular.
    """
    eigenvalues, vectors = np.linalg.eigh(np.cov(fields, rowvar=False))
    count, rounding = len(eigenvalues), np.finfo(float).eps * eigenvalues[-1]
    if (rank := int(np.sum(eigenvalues > count * rounding))) < count:
        raise ConfigError(
            f"the covariance of {count} pre-activations has rank {rank}, so that nothing whitens them: use fewer "
            "hidden_units and teacher_units, larger sizes, or more samples"
        )
    return vectors / np.sqrt(eigenvalues) @ vectors.T


def maximum_sliced_distance(samples: np.ndarray, rng: np.random.Generator) -> Slice:
    """Maximise the Wasserstein distance W1 of e.z from the standard normal distribution over directions e.

    Gradient ascent on the sphere starts from all axes and some random directions. There are many local maxima. The
    largest one that is found is a lower bound of the maximum.

    Args:
        samples: (n, E), with the identity as their covariance.
    """
    samples = samples.astype(np.float32)
    rank = samples.shape[1]
    quantiles = ndtri((np.arange(len(samples)) + 0.5) / len(samples)).astype(np.float32)
    starts = np.vstack([np.eye(rank), rng.standard_normal((_RANDOM_STARTS, rank))])
    ends = [_ascent(samples, start / np.linalg.norm(start), quantiles) for start in starts]
    direction, distance = max(ends, key=lambda end: end[1])
    z = (samples @ direction.astype(np.float32)).astype(float)
    return Slice(direction, distance, float(np.mean(z**3)), float(np.mean(z**4)) - 3)


def _ascent(samples, direction, quantiles):
    """Return direction and distance of a local maximum."""
    distance, gradient = _distance(samples, direction, quantiles)
    step = 1.0
    for _ in range(_STEPS):
        tangent = gradient - (gradient @ direction) * direction
        tried = direction + step * tangent / max(np.linalg.norm(tangent), 1e-12)
        tried /= np.linalg.norm(tried)
        reached, there = _distance(samples, tried, quantiles)
        if reached > distance:
            direction, distance, gradient, step = tried, reached, there, step * _GROW
        else:
            step *= _SHRINK
    return direction, distance


def _distance(samples, direction, quantiles):
    """Return W1 along a direction, and its gradient (E,)."""
    z = samples @ direction.astype(np.float32)
    order = np.argsort(z)
    gaps = z[order] - quantiles
    signs = np.empty(len(z), np.float32)
    signs[order] = np.sign(gaps)
    return float(np.mean(np.abs(gaps), dtype=float)), (signs @ samples).astype(float) / len(z)


def poincare_bound(
    F: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    slope: Callable[[np.ndarray], np.ndarray],
    curvature: Callable[[np.ndarray], np.ndarray],
    rng: np.random.Generator,
    draws: int = 60,
) -> float:
    """Return a bound of W1 between a.s(F c) + b.c, with unit variance, and a normal distribution, for smooth s.

    Args:
        F: (N, D). a: (N,). b: (D,). slope, curvature: derivatives of s. draws: draws of the latents c, for the two
            averages.

    References:
        Nourdin, Peccati and Reinert 2009, Second order Poincare inequalities and CLTs on Wiener space.
    """
    fields = rng.standard_normal((draws, F.shape[1])) @ F.T
    gradients = (a * slope(fields)) @ F + b
    norms = np.linalg.norm(gradients, axis=1)
    hessians = (np.linalg.eigvalsh((F.T * (a * one)) @ F) for one in curvature(fields))
    spectral = np.array([np.abs(eigenvalues).max() for eigenvalues in hessians])
    return math.sqrt(10) / 2 * np.mean(spectral**4) ** 0.25 * np.mean(norms**4) ** 0.25
