"""Gaussian mixtures of the papers: clusters on a circle or a line, random mixtures, and mixtures of images.

The signal-to-noise regime of a mixture defines the lengths of its means as functions of the input dimension N: "low"
has length 1, "high" has length sqrt N, and "mixed" has means of both lengths.
"""

import math
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture, normalized

Regime = Literal["low", "high", "mixed"]
REGIMES = get_args(Regime)
_COMMUTING = 1e-10  # part of the largest eigenvalue that rounding leaves off the diagonal in a common eigenbasis


def class_weights(labels: np.ndarray, positive_fraction: float) -> np.ndarray:
    """Return priors with a fraction `positive_fraction` of inputs with label +1, uniform within a class.

    Raises:
        ConfigError: the fraction is not in [0, 1].
    """
    if not 0 <= positive_fraction <= 1:
        raise ConfigError(f"fraction of inputs labelled +1 is {positive_fraction}: it must be from 0 to 1")
    weights = np.where(labels > 0, positive_fraction, 1 - positive_fraction)
    return weights / np.where(labels > 0, np.sum(labels > 0), np.sum(labels < 0))


def _strong_length(regime, dimension):
    """Return the length of the strong means of a regime; in the low regime all means are weak."""
    if regime not in REGIMES:
        raise ConfigError(f"signal-to-noise regime is {regime!r}: use one of {', '.join(REGIMES)}")
    if dimension is not None and dimension < 1:
        raise ConfigError(f"input dimension is {dimension}: it must be at least 1")
    if regime == "low":
        return 1.0
    if dimension is None:
        raise ConfigError(f"the {regime} signal-to-noise regime depends on the input dimension: give the dimension")
    return math.sqrt(dimension)


def _unit_circle(clusters_per_class):
    """Return evenly spaced points (C, 2), every second one before the others."""
    steps = np.arange(clusters_per_class)
    angles = 2 * np.pi * np.concatenate([steps, steps + 0.5]) / clusters_per_class
    return np.round(np.stack([np.cos(angles), np.sin(angles)], axis=1), 15)  # exact zeros on the axes


def circle(
    clusters_per_class: int,
    variance: float,
    positive_fraction: float = 0.5,
    regime: Regime = "low",
    dimension: int | None = None,
) -> IsotropicMixture:
    """Return means on a circle, with labels alternating with the angle; two clusters per class are the XOR mixture.

    Args:
        regime: regime of the signal-to-noise ratio. Only XOR has a mixed one: label -1 at +-(sqrt N, 1), +1 at +-(sqrt
            N, -1).
        dimension: N, which all regimes except the low one need.

    Returns: the clusters, with label -1 first.

    Raises:
        ConfigError: the regime does not exist, or not for these clusters, or a number is out of its range.

    Source: refinetti2021, signal-to-noise regimes.
    """
    if clusters_per_class < 1:
        raise ConfigError(f"clusters per class is {clusters_per_class}: it must be at least 1")
    strong, labels = _strong_length(regime, dimension), np.repeat([-1.0, 1.0], clusters_per_class)
    if regime != "mixed":
        means = strong * _unit_circle(clusters_per_class)
    elif clusters_per_class == 2:
        means = np.array([[strong, 1.0], [-strong, -1.0], [strong, -1.0], [-strong, 1.0]])
    else:
        raise ConfigError(
            f"clusters per class is {clusters_per_class}, but the mixed signal-to-noise regime needs 2: "
            "use 2, or the low or the high regime"
        )
    return IsotropicMixture(means, labels, class_weights(labels, positive_fraction), variance)


def xor(
    variance: float, positive_fraction: float = 0.5, regime: Regime = "low", dimension: int | None = None
) -> IsotropicMixture:
    """Return the XOR mixture: label -1 at +-e1, label +1 at +-e2. Arguments and other regimes are as for `circle`.

    Returns: means in the order (+e1, -e1, +e2, -e2).
    Source: refinetti2021, signal-to-noise regimes.
    """
    return circle(2, variance, positive_fraction, regime, dimension)


def three_clusters(
    variance: float, positive_fraction: float = 0.5, regime: Regime = "low", dimension: int | None = None
) -> IsotropicMixture:
    """Return clusters with label -1 on either side of label +1: at +-e1 around 0, with strong means in the high regime.

    In the mixed regime only the mean on the positive side is strong. Label +1 is one cluster with the weight of its
    class. The paper has two coinciding clusters, which have the same distribution and cost more time.

    Args:
        regime: regime of the signal-to-noise ratio. dimension: N, which all regimes except the low one need.

    Returns: means (3, 1) in the order (+e1, -e1, 0).

    Raises:
        ConfigError: the regime does not exist, or a number is out of its range.

    Source: refinetti2021, three clusters.
    """
    strong, labels = _strong_length(regime, dimension), np.array([-1.0, -1.0, 1.0])
    means = np.array([[strong], [-1.0 if regime == "mixed" else -strong], [0.0]])
    return IsotropicMixture(means, labels, class_weights(labels, positive_fraction), variance)


def from_means(
    means: ArrayLike, labels: ArrayLike, weights: ArrayLike, variance: float | np.ndarray
) -> IsotropicMixture:
    """Return a custom mixture.

    Args:
        means: (C, P) cluster means in an orthonormal basis of any space that contains them. labels: (C,) -1 or +1.
        weights: (C,) prior probabilities. variance: variance of every coordinate of x; or (C,), one for each cluster.

    Raises:
        ConfigError: an argument is not an array of numbers, or they do not define a mixture.
    """
    try:
        means, labels, weights = (np.asarray(values, float) for values in (means, labels, weights))
    except (TypeError, ValueError) as failure:
        raise ConfigError(
            f"means, labels and weights must be numbers, with equally many coordinates in every mean ({failure})"
        ) from None
    return IsotropicMixture(means, labels, normalized(weights), variance)


def from_covariance(
    means: np.ndarray, covariance: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> tuple[SpectralMixture, np.ndarray]:
    """Return a mixture from any coordinates, moved to the eigenbasis of its covariance.

    Args:
        means: (C, N). covariance: (N, N), symmetric; or (C, N, N), one for each cluster. labels, weights: (C,).

    Returns: the mixture, and the eigenvectors (N, N) in columns; x in the old coordinates is eigenvectors @ x. For
        covariances that do not commute, the eigenvectors are the identity.

    Raises:
        ConfigError: a covariance is not positive semi-definite beyond rounding.
    """
    weights = normalized(weights)
    if covariance.ndim == 2:
        eigenvalues, eigenvectors = _eigenbasis(covariance)
        return SpectralMixture(means @ eigenvectors, labels, weights, _positive(eigenvalues)), eigenvectors
    # with these weights, two different spectra do not agree by chance
    anyhow = np.random.default_rng(0).uniform(0.5, 1.5, len(covariance))
    eigenvectors = _eigenbasis(np.tensordot(anyhow, covariance, 1))[1]
    turned = eigenvectors.T @ covariance @ eigenvectors
    spectra = np.diagonal(turned, axis1=1, axis2=2)
    if np.abs(turned - spectra[:, None] * np.eye(len(eigenvectors))).max() <= _COMMUTING * np.abs(spectra).max():
        spectra = np.stack([_positive(values) for values in spectra])
        return SpectralMixture(means @ eigenvectors, labels, weights, spectra), eigenvectors
    parts = [_eigenbasis(one) for one in covariance]
    spectra, bases = np.stack([_positive(values) for values, _ in parts]), np.stack([basis for _, basis in parts])
    return SpectralMixture(np.asarray(means, float), labels, weights, spectra, bases), np.eye(len(eigenvectors))


def _eigenbasis(covariance):
    """Return eigenvalues, and eigenvectors in columns, each with its largest component positive, since LAPACK's sign
    varies.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    largest = np.abs(eigenvectors).argmax(axis=0)
    return eigenvalues, eigenvectors * np.sign(eigenvectors[largest, np.arange(len(largest))])


def _positive(eigenvalues):
    """Return eigenvalues of a covariance, with zero for eigenvalues that are zero up to rounding."""
    rounding = len(eigenvalues) * np.finfo(float).eps * np.max(np.abs(eigenvalues))
    if np.min(eigenvalues) < -rounding:
        raise ConfigError(
            f"the covariance has the eigenvalue {np.min(eigenvalues):.3g}: give a positive semi-definite covariance"
        )
    return np.where(eigenvalues > rounding, eigenvalues, 0.0)


def random_mixture(
    rng: np.random.Generator,
    dimension: int,
    clusters_per_class: int,
    positive_fraction: float = 0.5,
    custom_covariances: bool = False,
) -> tuple[SpectralMixture, np.ndarray]:
    """Return a mixture with random means and a random covariance F^T F.

    F has iid N(0, 1/N) entries, and a mean has iid N(0, 1/N) coordinates.

    Args:
        custom_covariances: whether each cluster has an independent covariance.

    Source: refinetti2021, arbitrary covariance.
    """
    draws = (2 * clusters_per_class, dimension, dimension) if custom_covariances else (dimension, dimension)
    F = rng.standard_normal(draws) / np.sqrt(dimension)
    means = rng.standard_normal((2 * clusters_per_class, dimension)) / np.sqrt(dimension)
    labels = np.repeat([-1.0, 1.0], clusters_per_class)
    return from_covariance(means, np.swapaxes(F, -1, -2) @ F, labels, class_weights(labels, positive_fraction))


def pooled_clusters(classes: np.ndarray, class_labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return clusters in which all classes with the same label are pooled, for `image_mixture`.

    Args:
        classes: (n,) class of each image. class_labels: (number of classes,) -1 or +1.

    Returns: the cluster (n,) of each image, 0 for label -1 and 1 for +1, and the labels (2,) of these clusters.

    Source: refinetti2021, odd against even digits, for which its code adds a ridge of 1e-4.
    """
    return (class_labels[classes] > 0).astype(int), np.array([-1.0, 1.0])


def image_mixture(
    images: np.ndarray, clusters: np.ndarray, labels: np.ndarray, ridge: float = 1e-5
) -> tuple[SpectralMixture, np.ndarray]:
    """Return the mixture with the means of groups of images and the average of their covariances.

    Pixels are centred over the whole set and divided by one global standard deviation. All clusters have equal weights.

    Args:
        images: (n, N) pixels. clusters: (n,) number of each image's cluster, 0..C-1. labels: (C,) label of a cluster.
        ridge: added to the diagonal of the covariance, in units of the normalised pixel variance.

    Raises:
        ConfigError: a cluster has no image.

    Source: refinetti2021, mixtures of MNIST and Fashion-MNIST.
    """
    if missing := sorted(set(range(len(labels))) - set(np.unique(clusters).tolist())):
        raise ConfigError(f"cluster {missing[0]} has no image: give images for it, or fewer labels")
    pixels = images - images.mean(axis=0)
    pixels /= pixels.std(ddof=1)
    groups = [pixels[clusters == cluster] for cluster in range(len(labels))]
    means = np.stack([group.mean(axis=0) for group in groups])
    covariance = sum(
        (group - mean).T @ (group - mean) / len(group) for group, mean in zip(groups, means, strict=True)
    ) / len(labels)
    covariance.flat[:: len(covariance) + 1] += ridge
    return from_covariance(means, covariance, np.asarray(labels, float), np.full(len(labels), 1 / len(labels)))
