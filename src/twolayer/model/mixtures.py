"""Gaussian mixtures: clusters with a label each and one covariance common to all.

Everything is stated for the input x itself: a cluster's mean is E[x], where refinetti2021 writes mu / sqrt N.
"""

from dataclasses import dataclass

import numpy as np

from twolayer.errors import ConfigError


def _check_clusters(means, labels, weights):
    if not len(means) == len(labels) == len(weights):
        raise ConfigError(
            f"a mixture needs one label and one weight for each mean, but has {len(means)} means, "
            f"{len(labels)} labels and {len(weights)} weights"
        )
    if not set(np.unique(labels)) <= {-1.0, 1.0}:
        raise ConfigError(f"cluster labels are {np.unique(labels).tolist()}: use -1 and +1")
    if np.min(weights) < 0 or not np.isclose(np.sum(weights), 1.0, rtol=0, atol=1e-12):
        raise ConfigError(f"cluster weights {np.asarray(weights).tolist()} are no probabilities: make them sum to 1")


@dataclass(frozen=True)
class IsotropicMixture:
    """Clusters N(mean, variance * identity) whose means span a few dimensions.

    Attributes:
        means: (C, P) cluster means in an orthonormal basis of a space that holds them all.
        labels: (C,) -1 or +1.
        weights: (C,) prior probabilities.
        variance: noise variance of every coordinate of x.
    """

    means: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    variance: float

    def __post_init__(self):
        _check_clusters(self.means, self.labels, self.weights)
        if not self.variance > 0:
            raise ConfigError(f"noise variance is {self.variance}: it must be positive")

    def embed(self, dimension: int) -> "SpectralMixture":
        """The same mixture in `dimension` coordinates, of which the first P hold the means."""
        clusters, plane = self.means.shape
        if dimension < plane:
            raise ConfigError(f"dimension is {dimension}, but the means span {plane} dimensions: raise the dimension")
        means = np.zeros((clusters, dimension))
        means[:, :plane] = self.means
        return SpectralMixture(means, self.labels, self.weights, np.full(dimension, self.variance))


@dataclass(frozen=True)
class SpectralMixture:
    """Clusters N(mean, Omega) in the eigenbasis of their common covariance Omega.

    Attributes:
        means: (C, N) cluster means, in the eigenbasis.
        labels: (C,) -1 or +1.
        weights: (C,) prior probabilities.
        eigenvalues: (N,) of Omega.
    """

    means: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    eigenvalues: np.ndarray

    def __post_init__(self):
        _check_clusters(self.means, self.labels, self.weights)
        if self.means.shape[1:] != self.eigenvalues.shape:
            raise ConfigError(
                f"means have shape {self.means.shape} where the covariance has {len(self.eigenvalues)} eigenvalues: "
                "give every mean one coordinate an eigenvalue"
            )
        if np.min(self.eigenvalues) < 0:
            raise ConfigError(
                f"the common covariance has the eigenvalue {np.min(self.eigenvalues):.3g}: "
                "give a positive semi-definite covariance"
            )

    @property
    def dimension(self) -> int:
        """Input dimension N."""
        return len(self.eigenvalues)


def class_weights(labels: np.ndarray, positive_fraction: float) -> np.ndarray:
    """Priors with `positive_fraction` of all inputs labelled +1, uniform within a class."""
    weights = np.where(labels > 0, positive_fraction, 1 - positive_fraction)
    return weights / np.where(labels > 0, np.sum(labels > 0), np.sum(labels < 0))


def circle(clusters_per_class: int, variance: float, positive_fraction: float = 0.5) -> IsotropicMixture:
    """Unit-length means on a circle, labels alternating with the angle; two clusters a class make the XOR mixture.

    Source: refinetti2021, low signal-to-noise regime; clusters of label -1 come first.
    """
    if clusters_per_class < 1:
        raise ConfigError(f"clusters per class is {clusters_per_class}: it must be at least 1")
    steps = np.arange(clusters_per_class)
    angles = 2 * np.pi * np.concatenate([steps, steps + 0.5]) / clusters_per_class
    means = np.round(np.stack([np.cos(angles), np.sin(angles)], axis=1), 15)  # exact zeros on the axes
    labels = np.repeat([-1.0, 1.0], clusters_per_class)
    return IsotropicMixture(means, labels, class_weights(labels, positive_fraction), variance)


def xor(variance: float) -> IsotropicMixture:
    """Label -1 at +-e1, label +1 at +-e2.

    Returns: means in the order (+e1, -e1, +e2, -e2).
    Source: refinetti2021, low signal-to-noise regime.
    """
    return circle(2, variance)


def from_covariance(
    means: np.ndarray, covariance: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> tuple[SpectralMixture, np.ndarray]:
    """A mixture given in any coordinates, moved to the eigenbasis of its covariance.

    Args:
        means: (C, N). covariance: (N, N), symmetric. labels, weights: (C,).

    Returns: the mixture, and the eigenvectors (N, N) in columns; x in the old coordinates is eigenvectors @ x.

    Raises:
        ConfigError: the covariance is not positive semi-definite beyond rounding.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    rounding = len(eigenvalues) * np.finfo(float).eps * np.max(np.abs(eigenvalues))
    if eigenvalues[0] < -rounding:
        raise ConfigError(
            f"the common covariance has the eigenvalue {eigenvalues[0]:.3g}: give a positive semi-definite covariance"
        )
    eigenvalues = np.maximum(eigenvalues, 0.0)  # what is left below zero is rounding
    return SpectralMixture(means @ eigenvectors, labels, weights, eigenvalues), eigenvectors


def random_mixture(
    rng: np.random.Generator, dimension: int, clusters_per_class: int, positive_fraction: float = 0.5
) -> tuple[SpectralMixture, np.ndarray]:
    """Random means and a random covariance F^T F, F with iid N(0, 1/N) entries; a mean has iid N(0, 1/N) coordinates.

    Source: refinetti2021, arbitrary covariance.
    """
    F = rng.standard_normal((dimension, dimension)) / np.sqrt(dimension)
    means = rng.standard_normal((2 * clusters_per_class, dimension)) / np.sqrt(dimension)
    labels = np.repeat([-1.0, 1.0], clusters_per_class)
    return from_covariance(means, F.T @ F, labels, class_weights(labels, positive_fraction))


def image_mixture(
    images: np.ndarray, clusters: np.ndarray, labels: np.ndarray, ridge: float = 1e-5
) -> tuple[SpectralMixture, np.ndarray]:
    """The mixture with the means of groups of images and the average of their covariances.

    Pixels are centred over the whole set and divided by one global standard deviation. All clusters weigh the same.

    Args:
        images: (n, N) pixels. clusters: (n,) number of each image's cluster, 0..C-1. labels: (C,) label of a cluster.
        ridge: added to the diagonal of the covariance, in units of the normalised pixel variance.

    Source: refinetti2021, mixtures of MNIST and Fashion-MNIST.
    """
    pixels = images - images.mean(axis=0)
    pixels /= pixels.std(ddof=1)
    groups = [pixels[clusters == cluster] for cluster in range(len(labels))]
    means = np.stack([group.mean(axis=0) for group in groups])
    covariance = sum(
        (group - mean).T @ (group - mean) / len(group) for group, mean in zip(groups, means, strict=True)
    ) / len(labels)
    covariance.flat[:: len(covariance) + 1] += ridge
    return from_covariance(means, covariance, np.asarray(labels, float), np.full(len(labels), 1 / len(labels)))
