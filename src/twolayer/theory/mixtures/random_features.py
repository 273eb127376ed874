"""Least-squares readout of random features on a mixture, without any sampling.

A feature is z_i = g(u_i), u_i = P_i.x / sqrt D, with any activation g. Within a cluster the u_i are Gaussian with means
P_i.mean / sqrt D. Their covariances are the variance of x times the overlaps P_i.P_j / D, or the overlaps P_i.(Omega
P_j) / D if x has a covariance Omega. If clusters differ in their covariance, each has its own overlaps.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import ndtr

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.model.networks.activations import RELU, Activation, as_activation
from twolayer.theory.averages.units import unit_averages


@dataclass(frozen=True, eq=False)
class Readout:
    """A readout f = offset + weights.(z - feature_mean), and its errors.

    Attributes:
        weights: (F,). feature_mean: (F,). offset: number. A readout without offset has zero offset and feature mean.
        pmse: E (y - f)^2 / 2.
        class_error: probability that sign f is not the label, for f Gaussian within a cluster; f = 0 is half an error.
        cluster_mean: (C,) mean of f - offset. cluster_variance: (C,) variance of f within the cluster.
    """

    weights: np.ndarray
    feature_mean: np.ndarray
    offset: float
    pmse: float
    class_error: float
    cluster_mean: np.ndarray
    cluster_variance: np.ndarray


class FeatureMoments(NamedTuple):
    """Moments of random features within each cluster.

    Attributes:
        mean: (C, F) and variance: (C, F), both exact.
        coefficients: (order, C, F) of the covariance of two different features i and j in their overlap,
            sum_n coefficients[n-1, a, i] coefficients[n-1, a, j] overlap_ij^n.
    """

    mean: np.ndarray
    variance: np.ndarray
    coefficients: np.ndarray


def random_projection(rng: np.random.Generator, dimension: int, features: int) -> np.ndarray:
    """Return independent directions, uniform on the sphere of radius sqrt D.

    Returns: (D, F), one direction in each column.
    Source: refinetti2021, random features.
    """
    projection = rng.standard_normal((dimension, features))
    projection *= np.sqrt(dimension) / np.linalg.norm(projection, axis=0)
    return projection


def projection_overlaps(projection: np.ndarray) -> np.ndarray:
    """Return the overlaps (F, F) P_i.P_j / D of the columns of a projection (D, F), for every isotropic mixture."""
    return projection.T @ projection / len(projection)


def noise_overlaps(mixture: IsotropicMixture | SpectralMixture, projection: np.ndarray) -> np.ndarray:
    """Return the overlaps (F, F) of the columns of a projection (D, F) weighted with the noise of a mixture.

    They have shape (C, F, F) if the clusters differ in their covariance.
    """
    noisy = _of_noise(mixture, projection)[0]
    return projection_overlaps(noisy) if noisy.ndim == 2 else np.stack([projection_overlaps(one) for one in noisy])


def _of_noise(mixture, projection):
    """Return the projection of the noise in units of its deviations, and a scale for each cluster."""
    if isinstance(mixture, IsotropicMixture):
        return projection, np.sqrt(mixture.variance)[..., None]
    if len(projection) != mixture.dimension:
        raise ConfigError(
            f"projection of shape {projection.shape} does not fit a mixture in {mixture.dimension} dimensions: give "
            "one "
            "row for each dimension"
        )
    if mixture.one_covariance:
        return np.sqrt(mixture.eigenvalues)[:, None] * projection, 1.0
    return np.stack([mixture.seen_through(cluster, projection) for cluster in range(len(mixture.means))]), 1.0


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def _add_product(row, factor, other):
    for j in range(row.size):
        row[j] += factor * other[j]


def feature_covariance(
    overlaps: np.ndarray, coefficients: np.ndarray, variance: np.ndarray, centred: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the covariance of the features over the mixture: covariances within the clusters, and between their means.

    Args:
        overlaps: (F, F) or (C, F, F). coefficients: (order, C, F) and variance: (C, F), from `feature_moments`.
        centred: (C, F) mean features minus their average over the mixture. weights: (C,) of the clusters.

    Returns: (F, F), of which only the lower triangle is set.
    """
    if overlaps.ndim == 2:
        return _covariance_over_clusters(overlaps, coefficients, variance, centred, weights)
    total = np.zeros(overlaps.shape[1:])
    clusters = zip(overlaps, *_one_by_one(coefficients, variance), centred[:, None], weights[:, None], strict=True)
    for of_cluster in clusters:
        total += np.tril(_covariance_over_clusters(*of_cluster))
    return total


def _one_by_one(coefficients, variance):
    """Return coefficients (order, 1, F) and variances (1, F) of each cluster."""
    return np.ascontiguousarray(np.moveaxis(coefficients, 1, 0)[:, :, None]), variance[:, None]


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def _covariance_over_clusters(overlaps, coefficients, variance, centred, weights):
    order, C, F = coefficients.shape
    covariance = np.empty((F, F))
    for i in range(F):
        row = covariance[i, :i]
        row[:] = 0.0
        for n in range(order - 1, -1, -1):  # Horner's scheme in the overlap
            for a in range(C):
                _add_product(row, weights[a] * coefficients[n, a, i], coefficients[n, a, :i])
            row *= overlaps[i, :i]
        covariance[i, i] = 0.0
        for a in range(C):
            _add_product(row, weights[a] * centred[a, i], centred[a, :i])
            covariance[i, i] += weights[a] * (variance[a, i] + centred[a, i] ** 2)
    return covariance


def readout_covariances(
    overlaps: np.ndarray, coefficients: np.ndarray, variance: np.ndarray, readouts: np.ndarray
) -> np.ndarray:
    """Return the covariances of several linear readouts within each cluster.

    Args:
        overlaps: (F, F) or (C, F, F). coefficients: (order, C, F) and variance: (C, F), from `feature_moments`.
        readouts: (F, R), one readout in each column.

    Returns: (C, R, R), readouts^T cov_a readouts.
    """
    if overlaps.ndim == 2:
        return _covariances_of_readouts(overlaps, coefficients, variance, readouts)
    clusters = zip(overlaps, *_one_by_one(coefficients, variance), strict=True)
    return np.concatenate([_covariances_of_readouts(*of_cluster, readouts) for of_cluster in clusters])


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def _covariances_of_readouts(overlaps, coefficients, variance, readouts):
    order, C, F = coefficients.shape
    R = readouts.shape[1]
    total = np.zeros((C, R, R))
    buffer = np.empty(F)
    for i in range(F):
        for a in range(C):
            row = buffer[:i]
            row[:] = 0.0
            for n in range(order - 1, -1, -1):
                _add_product(row, coefficients[n, a, i], coefficients[n, a, :i])
                row *= overlaps[i, :i]
            others = np.dot(row, readouts[:i])
            for r in range(R):
                for s in range(R):
                    total[a, r, s] += readouts[i, r] * others[s] + readouts[i, s] * others[r]
                    total[a, r, s] += readouts[i, r] * readouts[i, s] * variance[a, i]
    return total


def feature_moments(
    mixture: IsotropicMixture | SpectralMixture,
    projection: np.ndarray,
    *,
    overlap_order: int,
    activation: Activation = RELU,
) -> FeatureMoments:
    """Return the moments of random features within each cluster.

    Args:
        mixture: its means are the first P coordinates of x, or all of them. projection: (D, F).
        overlap_order: number of coefficients; linear features have only one.

    Raises:
        ConfigError: the projection does not fit the means or has a column of zeros, or the order is below 1.
        NotConverged: the activation is too rough, or grows too fast.

    Source: refinetti2021, random features; terms beyond the first order by Mehler's formula.
    """
    (D, F), P = projection.shape, mixture.means.shape[1]
    noisy, deviation = _of_noise(mixture, projection)
    lengths = np.linalg.norm(noisy, axis=-2) / math.sqrt(D)
    if P > D or not np.all(lengths > 0):
        raise ConfigError(
            f"projection of shape ({D}, {F}) does not fit means of {P} coordinates, or has a column of zeros: "
            "give one row for each input dimension, and columns that are not zero"
        )
    if overlap_order < 1:
        raise ConfigError(f"overlap order is {overlap_order}: use at least 1")
    distribution = unit_averages(as_activation(activation)).feature_distribution
    field_mean = mixture.means @ projection[:P] / math.sqrt(D)
    mean, variance, coefficients = distribution(field_mean, deviation * lengths, overlap_order)
    powers = np.arange(1, len(coefficients) + 1)[:, None, None]
    return FeatureMoments(mean, variance, coefficients / lengths**powers)  # a correlation is overlap / lengths


def _ridge_solve(covariance, ridge, target):
    """Return (covariance + ridge)^-1 target; overwrites the covariance, of which only the lower triangle is read."""
    covariance.flat[:: len(covariance) + 1] += ridge
    try:
        # The transpose is LAPACK's memory order, which lets it factorise in place.
        factor = cho_factor(covariance.T, lower=False, overwrite_a=True, check_finite=False)
    except LinAlgError as failure:
        raise NotConverged(
            f"the covariance of {len(covariance)} random features is singular ({failure}): raise the ridge"
        ) from failure
    return cho_solve(factor, target, check_finite=False)


def gaussian_class_errors(labels: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return the probability (C,) that the sign of a Gaussian output differs from the label; zero output is half an
    error."""
    margin = labels * mean
    certain = variance <= 0  # rounding errors can be negative
    wrong = ndtr(-margin / np.sqrt(np.where(certain, 1.0, variance)))
    return np.where(certain, np.heaviside(-margin, 0.5), wrong)


def evaluate_readout(
    mixture: IsotropicMixture | SpectralMixture,
    moments: FeatureMoments,
    overlaps: np.ndarray,
    *,
    weights: np.ndarray,
    feature_mean: np.ndarray | float = 0.0,
    offset: float = 0.0,
) -> Readout:
    """Return the errors of any readout f = offset + weights.(z - feature_mean).

    Args:
        moments: from `feature_moments`. overlaps: (F, F) or (C, F, F).
        weights: (F,). feature_mean: (F,). A readout without offset has zero offset and feature mean.
    """
    M = (moments.mean - feature_mean) @ weights
    q = readout_covariances(overlaps, moments.coefficients, moments.variance, weights[:, None])[:, 0, 0]
    pmse = 0.5 * float(mixture.weights @ ((mixture.labels - offset - M) ** 2 + q))
    class_error = float(mixture.weights @ gaussian_class_errors(mixture.labels, offset + M, q))
    return Readout(weights, np.broadcast_to(feature_mean, weights.shape), offset, pmse, class_error, M, q)


def optimal_readout(
    mixture: IsotropicMixture | SpectralMixture,
    projection: np.ndarray,
    overlaps: np.ndarray,
    *,
    overlap_order: int = 1,
    ridge: float = 1e-6,
    activation: Activation = RELU,
    with_offset: bool = True,
) -> Readout:
    """Return the readout of random features with the least squared error, for any number of clusters, labels and
    weights.

    Means and variances of the features are exact. The covariance of two features is expanded in their overlap, which is
    O(1 / sqrt D), up to the power `overlap_order`. The paper uses 1; an order of 4 is exact for most purposes.

    Args:
        mixture: its means are the first P coordinates of x, or all of them.
        projection: (D, F). overlaps: its `noise_overlaps`, or `projection_overlaps` for isotropic noise.
        ridge: added to the diagonal of the feature covariance. The returned errors are the errors of the regularised
            readout.
        with_offset: False selects the best f = weights.z, which online training without offset approaches.

    Raises:
        ConfigError: a shape, the order or the ridge is not allowed.
        NotConverged: the feature covariance is singular, or the activation is too rough.

    Source: refinetti2021, random features.
    """
    F = projection.shape[1]
    if overlaps.shape not in ((F, F), (len(mixture.means), F, F)):
        raise ConfigError(
            f"overlaps have shape {overlaps.shape} where {F} features need ({F}, {F}), or (clusters, {F}, {F})"
        )
    if ridge < 0:
        raise ConfigError(f"ridge is {ridge}: use at least 0")
    labels, weights = mixture.labels, mixture.weights
    moments = feature_moments(mixture, projection, overlap_order=overlap_order, activation=activation)
    feature_mean, offset = (weights @ moments.mean, float(weights @ labels)) if with_offset else (np.zeros(F), 0.0)
    centred = moments.mean - feature_mean
    covariance = feature_covariance(overlaps, moments.coefficients, moments.variance, centred, weights)
    readout = _ridge_solve(covariance, ridge, (weights * (labels - offset)) @ centred)
    return evaluate_readout(mixture, moments, overlaps, weights=readout, feature_mean=feature_mean, offset=offset)
