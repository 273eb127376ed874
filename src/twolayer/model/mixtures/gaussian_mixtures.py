"""Gaussian mixtures: clusters with labels, and a common covariance or one covariance for each cluster.

Everything is defined for the input x: a cluster's mean is E[x], which refinetti2021 writes as mu / sqrt N.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from twolayer.errors import ConfigError

_ROUNDING = 1e-9  # deviation of means from opposite and orthogonal ones, relative to their length
_EXACT, _SINGLE = 1e-12, 1e-6  # deviation from 1 of the sum of probabilities in double and in single precision


def _check_clusters(means, labels, weights):
    if means.ndim != 2 or 0 in means.shape:
        raise ConfigError(
            f"cluster means have shape {means.shape}: give one row for each cluster, with one or more coordinates"
        )
    if not np.all(np.isfinite(means)):
        raise ConfigError(f"the mean of cluster {np.argmin(np.isfinite(means).all(axis=1))} is not finite: correct it")
    if not np.shape(labels) == np.shape(weights) == means.shape[:1]:
        raise ConfigError(
            f"a mixture needs one label and one weight for each mean, but has {len(means)} means, labels of shape "
            f"{np.shape(labels)} and weights of shape {np.shape(weights)}"
        )
    if not set(np.unique(labels)) <= {-1.0, 1.0}:
        raise ConfigError(f"cluster labels are {np.unique(labels).tolist()}: use -1 and +1")
    if np.min(weights) < 0 or not np.isclose(np.sum(weights), 1.0, rtol=0, atol=_EXACT):
        raise ConfigError(
            f"cluster weights {np.asarray(weights).tolist()} are not probabilities: give weights of at least 0 "
            "with the sum 1"
        )


def normalized(weights: np.ndarray) -> np.ndarray:
    """Return weights that sum to 1 in double precision, if they do in single precision; others are not changed."""
    total = np.sum(weights)
    return weights / total if _EXACT < abs(total - 1) <= _SINGLE else weights


@dataclass(frozen=True, eq=False)
class IsotropicMixture:
    """Clusters N(mean, variance * identity) whose means span a few dimensions.

    Attributes:
        means: (C, P) cluster means in an orthonormal basis of a space that contains them.
        labels: (C,) -1 or +1.
        weights: (C,) prior probabilities.
        variance: noise variance of every coordinate of x except a constant one; or (C,), one for each cluster.
        constant_input: whether the last coordinate of all means belongs to an input without noise.
    """

    means: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    variance: float | np.ndarray
    constant_input: bool = False

    def __post_init__(self):
        _check_clusters(self.means, self.labels, self.weights)
        if np.shape(self.variance) not in ((), (len(self.means),)):
            raise ConfigError(f"noise variance is {self.variance}: give one number for all clusters, or one for each")
        if not np.all((np.asarray(self.variance) > 0) & np.isfinite(self.variance)):
            raise ConfigError(f"noise variance is {self.variance}: it must be positive and finite")

    def with_constant_input(self) -> "IsotropicMixture":
        """Return the mixture with a further input that is always 1; a hidden unit's weight for it is its bias.

        Source: refinetti2021, whose code has biases as an option, with the learning rates of the first layer.
        """
        return replace(self, means=np.pad(self.means, ((0, 0), (0, 1)), constant_values=1.0), constant_input=True)

    @cached_property
    def variances(self) -> np.ndarray:
        """The noise variance (C,) of each cluster."""
        return np.broadcast_to(self.variance, len(self.means))

    @cached_property
    def noise(self) -> np.ndarray:
        """The variance (C, P) of the noise of each coordinate of the means."""
        noise = np.tile(self.variances[:, None], self.means.shape[1])
        if self.constant_input:
            noise[:, -1] = 0.0
        return noise

    def noise_of(self, clusters: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """Return noise (n, N) of inputs of these clusters (n,), from standard normal numbers (n, N)."""
        return np.sqrt(self.variances[clusters])[:, None] * normals

    def embed(self, dimension: int) -> "SpectralMixture":
        """Return the mixture in `dimension` coordinates, of which the first P contain the means."""
        clusters, plane = self.means.shape
        if dimension < plane:
            raise ConfigError(f"dimension is {dimension}, but the means span {plane} dimensions: raise the dimension")
        means = np.zeros((clusters, dimension))
        means[:, :plane] = self.means
        eigenvalues = np.tile(self.variances[:, None], dimension)
        eigenvalues[:, :plane] = self.noise
        common = eigenvalues[0] if np.ndim(self.variance) == 0 else eigenvalues
        return SpectralMixture(means, self.labels, self.weights, common)


@dataclass(frozen=True, eq=False)
class SpectralMixture:
    """Clusters N(mean, Omega) in the eigenbasis of their covariance Omega, or N(mean_a, Omega_a).

    Attributes:
        means: (C, N) cluster means, in the eigenbasis.
        labels: (C,) -1 or +1.
        weights: (C,) prior probabilities.
        eigenvalues: (N,) eigenvalues of Omega; or (C, N), of the Omega_a of each cluster.
        bases: (C, N, N) eigenvectors of each Omega_a, in columns, if there is no common eigenbasis. Covariances that
            commute share the eigenbasis of the means.
    """

    means: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    eigenvalues: np.ndarray
    bases: np.ndarray | None = None

    def __post_init__(self):
        _check_clusters(self.means, self.labels, self.weights)
        if self.eigenvalues.shape not in (self.means.shape[1:], self.means.shape):
            raise ConfigError(
                f"means have shape {self.means.shape}, but the covariance has {self.eigenvalues.shape[-1]} "
                "eigenvalues: give every mean one coordinate for each eigenvalue"
            )
        if np.min(self.eigenvalues) < 0:
            raise ConfigError(
                f"the covariance has the eigenvalue {np.min(self.eigenvalues):.3g}: "
                "give a positive semi-definite covariance"
            )
        if len(still := np.flatnonzero(np.max(self.spectra, axis=1) == 0)):
            raise ConfigError(
                f"the covariance of cluster {still[0]} (counted from 0) is zero: give each cluster noise in a direction"
            )

    @property
    def dimension(self) -> int:
        """Input dimension N."""
        return self.means.shape[1]

    @property
    def spectra(self) -> np.ndarray:
        """The eigenvalues (C, N) of each cluster."""
        return np.broadcast_to(self.eigenvalues, self.means.shape)

    @property
    def one_covariance(self) -> bool:
        """Whether all clusters have the same covariance."""
        return self.eigenvalues.ndim == 1

    @property
    def covariances(self) -> np.ndarray:
        """The covariance (C, N, N) of each cluster, in the coordinates of the means."""
        clusters = range(len(self.means))
        return np.stack([np.diag(self.spectra[a]) if self.bases is None else self._turned(a) for a in clusters])

    def _turned(self, cluster):
        basis = self.bases[cluster]
        return basis * self.spectra[cluster] @ basis.T

    def require_common_basis(self, what: str) -> None:
        """Raise an error if the covariances do not commute.

        Raises:
            ConfigError: the covariances do not commute.
        """
        if self.bases is not None:
            raise ConfigError(
                f"the covariances of the clusters do not commute, and {what} need a common eigenbasis: simulate this "
                "mixture, with online_sgd"
            )

    def noise_of(self, clusters: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """Return noise (n, N) of inputs of these clusters (n,), from standard normal numbers (n, N)."""
        noise = np.sqrt(self.eigenvalues if self.one_covariance else self.eigenvalues[clusters]) * normals
        if self.bases is not None:
            for cluster, basis in enumerate(self.bases):
                noise[clusters == cluster] = noise[clusters == cluster] @ basis.T
        return noise

    def seen_through(self, cluster: int, directions: np.ndarray) -> np.ndarray:
        """Return coordinates (N, n) of directions (N, n) along the standard normal numbers of a cluster's noise."""
        turned = directions if self.bases is None else self.bases[cluster].T @ directions
        return np.sqrt(self.spectra[cluster])[:, None] * turned


def draw_clusters(mixture: IsotropicMixture | SpectralMixture, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the cluster of each of several samples."""
    return rng.choice(len(mixture.weights), size=samples, p=mixture.weights)


def draw_inputs(
    mixture: IsotropicMixture | SpectralMixture, clusters: np.ndarray, dimension: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw inputs (n, N) from the given clusters (n,); the means are their first coordinates.

    Raises:
        ConfigError: the dimension is smaller than the dimension of the means.
    """
    if dimension < (least := mixture.means.shape[1]):
        raise ConfigError(f"dimension is {dimension}, but the means span {least} dimensions: raise the dimension")
    x = mixture.noise_of(clusters, rng.standard_normal((len(clusters), dimension)))
    x[:, :least] += mixture.means[clusters]
    return x


def is_even(mixture: IsotropicMixture | SpectralMixture) -> bool:
    """Return whether x and -x have the same distribution in each class, so that each cluster has a mirror image.

    An odd network, f(-x) = -f(x), then misclassifies one of x and -x: its class error is always one half.

    Source: refinetti2021; XOR with erf units.
    """
    means, labels, weights = mixture.means, mixture.labels, mixture.weights
    mirrored = np.abs(means[:, None] + means).max(axis=-1) <= 1e-12 * np.abs(means).max()
    alike = (labels[:, None] == labels) & np.isclose(weights[:, None], weights)
    return bool((mirrored & alike & _same_noise(mixture)).any(axis=1).all())


def _same_noise(mixture):
    """Return (C, C) whether two clusters have the same covariance."""
    if isinstance(mixture, IsotropicMixture):
        return np.isclose(mixture.variances[:, None], mixture.variances, rtol=1e-12)
    if mixture.one_covariance:
        return np.True_
    roots = (
        mixture.spectra
        if mixture.bases is None
        else np.stack(
            [((basis * values) @ basis.T).ravel() for basis, values in zip(mixture.bases, mixture.spectra, strict=True)]
        )
    )
    largest = np.abs(roots).max()
    return np.array([[np.abs(one - other).max() <= 1e-12 * largest for other in roots] for one in roots])


def crossed_axes(mixture: IsotropicMixture) -> np.ndarray | None:
    """Return unit vectors (2, P) along a and b if the means are +-a with label -1 and +-b with label +1, else None.

    The vectors a and b must be orthogonal and of the same length. The clusters may have any order.
    """
    negative, positive = (mixture.means[mixture.labels == label] for label in (-1, 1))
    if mixture.constant_input or not len(negative) == len(positive) == 2:
        return None
    length = np.linalg.norm(negative[0])
    pairs = np.stack([negative, positive])
    axes, opposite = pairs[:, 0], np.allclose(pairs[:, 1], -pairs[:, 0], rtol=0, atol=_ROUNDING * length)
    crossed = np.allclose(axes @ axes.T, length**2 * np.eye(2), rtol=0, atol=_ROUNDING * length**2)
    return axes / length if length > 0 and opposite and crossed else None


def xor_axes(mixture: IsotropicMixture) -> np.ndarray | None:
    """Return the means (2, P) of a cluster with label -1 and one with label +1 if the mixture is XOR, else None.

    XOR has four clusters of the same weight and noise, in any coordinates and order. Its means are +-a with label -1
    and +-b with label +1, where a and b are orthonormal.
    """
    alike = all(np.allclose(values, values[0], rtol=1e-9) for values in (mixture.weights, mixture.variances))
    lengths = np.linalg.norm(mixture.means, axis=1)
    return crossed_axes(mixture) if alike and np.allclose(lengths, 1, rtol=0, atol=_ROUNDING) else None
