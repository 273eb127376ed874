"""Least-squares readout of relu random features, in closed form, on an isotropic mixture.

A feature is z_i = relu(u_i), u_i = P_i.x / sqrt D, with the columns P_i of the projection of norm sqrt D: within a
cluster u_i has the mean P_i.mean / sqrt D, the variance of x, and the correlation ("overlap") P_i.P_j / D with u_j.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import erfcx, ndtr

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.activations import RELU
from twolayer.model.mixtures import IsotropicMixture

_CHUNK = 1024  # simulated inputs held at a time


@dataclass(frozen=True)
class Readout:
    """The affine readout f = offset + weights.(z - feature_mean) of least squared error, and how it does.

    Attributes:
        weights: (F,). feature_mean: (F,) of z over the mixture. offset: mean label.
        pmse: E (y - f)^2 / 2.
        class_error: probability that sign f is not the label, for f Gaussian within a cluster.
        cluster_mean: (C,) of f - offset. cluster_variance: (C,) of f within the cluster.
    """

    weights: np.ndarray
    feature_mean: np.ndarray
    offset: float
    pmse: float
    class_error: float
    cluster_mean: np.ndarray
    cluster_variance: np.ndarray


@dataclass(frozen=True)
class SimulatedErrors:
    """Errors of a readout on fresh inputs, each with its standard error."""

    pmse: float
    pmse_error: float
    class_error: float
    class_error_error: float


def random_projection(rng: np.random.Generator, dimension: int, features: int) -> np.ndarray:
    """Independent directions, uniform on the sphere of radius sqrt D.

    Returns: (D, F), a direction a column.
    Source: refinetti2021, random features.
    """
    projection = rng.standard_normal((dimension, features))
    projection *= np.sqrt(dimension) / np.linalg.norm(projection, axis=0)
    return projection


def projection_overlaps(projection: np.ndarray) -> np.ndarray:
    """(F, F) overlaps P_i.P_j / D of the columns of a projection (D, F); they serve every mixture."""
    return projection.T @ projection / len(projection)


def relu_moments(h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of relu(h + z), z standard normal, accurate relative to max(h, 1) for every h.

    Both follow from relu(z - |h|), whose moments are small: relu(u) = u + relu(-u) turns h > 0 into them, so that no
    square of h cancels.
    """
    far = np.abs(h)
    density = np.exp(-0.5 * far**2) / math.sqrt(2 * math.pi)
    mills = math.sqrt(math.pi / 2) * erfcx(far / math.sqrt(2))
    tail_mean = density * (1 - far * mills)
    tail_variance = density * ((1 + far**2) * mills - far) - tail_mean**2
    mean = np.maximum(h, 0.0) + tail_mean
    variance = np.where(h > 0, 1 - 2 * density * mills, 0.0) + tail_variance
    return mean, variance


def relu_hermite(h: np.ndarray, order: int) -> np.ndarray:
    """Coefficients E[He_n(z) relu(h + z)] / sqrt n!, n = 1..order, of the Hermite expansion of relu(h + z).

    Args:
        h: (C, F).

    Returns: (order, C, F). The n-th coefficient is the n-th derivative of h Phi(h) + phi(h).
    """
    coefficients = np.empty((order, *h.shape))
    coefficients[0] = ndtr(h)
    current, previous = np.exp(-0.5 * h**2) / math.sqrt(2 * math.pi), np.zeros_like(h)
    for n in range(2, order + 1):
        coefficients[n - 1] = current / math.sqrt(math.factorial(n))
        current, previous = -h * current - (n - 2) * previous, current
    return coefficients


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def _add_product(row, factor, other):
    for j in range(row.size):
        row[j] += factor * other[j]


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def feature_covariance(
    overlaps: np.ndarray, coefficients: np.ndarray, variance: np.ndarray, centred: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Covariance of the features over the mixture: covariances within the clusters plus those of their means.

    Args:
        overlaps: (F, F). coefficients: (order, C, F) and variance: (C, F), from `feature_moments`.
        centred: (C, F) mean features less their average over the mixture. weights: (C,) of the clusters.

    Returns: (F, F), of which only the lower triangle is set.
    """
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


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def _readout_variances(overlaps, coefficients, variance, readout):
    """(C,) readout^T cov_a readout."""
    order, C, F = coefficients.shape
    total = np.zeros(C)
    buffer = np.empty(F)
    for i in range(F):
        for a in range(C):
            row = buffer[:i]
            row[:] = 0.0
            for n in range(order - 1, -1, -1):
                _add_product(row, coefficients[n, a, i], coefficients[n, a, :i])
                row *= overlaps[i, :i]
            total[a] += 2 * readout[i] * np.dot(row, readout[:i]) + readout[i] ** 2 * variance[a, i]
    return total


def feature_moments(
    mixture: IsotropicMixture, projection: np.ndarray, overlap_order: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Moments of relu random features within each cluster.

    Args:
        mixture: its means are the first P coordinates of x. projection: (D, F), columns of norm sqrt D.

    Returns: mean (C, F) and variance (C, F), both exact, and the coefficients (overlap_order, C, F) of the covariance
        of two different features, sum_n coefficients[n-1, a, i] coefficients[n-1, a, j] overlap_ij^n.

    Source: refinetti2021, random features; terms beyond the first order by Mehler's formula.
    """
    deviation = math.sqrt(mixture.variance)
    P = mixture.means.shape[1]
    h = mixture.means @ projection[:P] / (math.sqrt(len(projection)) * deviation)
    mean, variance = relu_moments(h)
    return deviation * mean, mixture.variance * variance, deviation * relu_hermite(h, overlap_order)


def _ridge_solve(covariance, ridge, target):
    """(covariance + ridge)^-1 target; overwrites the covariance, of which only the lower triangle is read."""
    covariance.flat[:: len(covariance) + 1] += ridge
    try:
        # The transpose is LAPACK's memory order, which lets it factorise in place.
        factor = cho_factor(covariance.T, lower=False, overwrite_a=True, check_finite=False)
    except LinAlgError as failure:
        raise NotConverged(
            f"the covariance of {len(covariance)} random features is singular ({failure}): raise the ridge"
        ) from failure
    return cho_solve(factor, target, check_finite=False)


def _check_arguments(mixture, projection, overlaps, overlap_order, ridge):
    (D, F), P = projection.shape, mixture.means.shape[1]
    if P > D or overlaps.shape != (F, F):
        raise ConfigError(
            f"projection {projection.shape} and overlaps {overlaps.shape} do not fit together and to means of {P} "
            "coordinates: give (D, F) and (F, F) with D at least the number of coordinates"
        )
    if overlap_order < 1 or ridge < 0:
        raise ConfigError(f"overlap order is {overlap_order}, ridge {ridge}: use at least 1 and at least 0")


def optimal_readout(
    mixture: IsotropicMixture,
    projection: np.ndarray,
    overlaps: np.ndarray,
    overlap_order: int = 1,
    ridge: float = 1e-6,
) -> Readout:
    """The best affine readout of relu random features, for clusters of any number, labels and weights.

    Means and variances of the features are exact; the covariance of two features is expanded in their overlap, which is
    O(1 / sqrt D), up to the power `overlap_order`. The paper stops at 1; 4 is exact for most purposes.

    Args:
        mixture: its means are the first P coordinates of x.
        projection: (D, F), columns of norm sqrt D. overlaps: (F, F), its `projection_overlaps`.
        ridge: added to the diagonal of the feature covariance; the errors returned are those of the readout it gives.

    Raises:
        ConfigError: shapes, order or ridge do not fit.
        NotConverged: the feature covariance is singular.

    Source: refinetti2021, random features.
    """
    _check_arguments(mixture, projection, overlaps, overlap_order, ridge)
    labels, weights = np.asarray(mixture.labels, float), np.asarray(mixture.weights, float)
    mean, variance, coefficients = feature_moments(mixture, projection, overlap_order)
    feature_mean, offset = weights @ mean, float(weights @ labels)
    centred = mean - feature_mean
    covariance = feature_covariance(overlaps, coefficients, variance, centred, weights)
    readout = _ridge_solve(covariance, ridge, (weights * (labels - offset)) @ centred)
    M, q = centred @ readout, _readout_variances(overlaps, coefficients, variance, readout)
    pmse = 0.5 * float(weights @ ((labels - offset - M) ** 2 + q))
    class_error = float(weights @ ndtr(-labels * (offset + M) / np.sqrt(q)))
    return Readout(readout, feature_mean, offset, pmse, class_error, M, q)


def simulate_readout(
    mixture: IsotropicMixture, projection: np.ndarray, readout: Readout, samples: int, rng: np.random.Generator
) -> SimulatedErrors:
    """Measures a readout on fresh inputs, at the dimension of the projection; f = 0 counts as half an error.

    Args:
        projection: (D, F). samples: number of inputs, at least 2.
    """
    D, P = len(projection), mixture.means.shape[1]
    clusters = rng.choice(len(mixture.weights), size=samples, p=mixture.weights)
    squares, wrong = np.empty(samples), np.empty(samples)
    for start in range(0, samples, _CHUNK):
        chunk = clusters[start : start + _CHUNK]
        x = math.sqrt(mixture.variance) * rng.standard_normal((len(chunk), D))
        x[:, :P] += mixture.means[chunk]
        features = RELU(x @ projection / math.sqrt(D))
        f = readout.offset + (features - readout.feature_mean) @ readout.weights
        labels = mixture.labels[chunk]
        squares[start : start + _CHUNK] = 0.5 * (labels - f) ** 2
        wrong[start : start + _CHUNK] = 0.5 * (1 - labels * np.sign(f))
    pmse, class_error = float(squares.mean()), float(wrong.mean())
    pmse_error, class_error_error = (float(values.std(ddof=1)) / math.sqrt(samples) for values in (squares, wrong))
    return SimulatedErrors(pmse, pmse_error, class_error, class_error_error)
