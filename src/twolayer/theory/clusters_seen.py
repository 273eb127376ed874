"""What a classifier can tell the clusters of a mixture apart by: the few directions in which they differ.

The directions of the common eigenbasis whose eigenvalues stand in the same ratios in all clusters can be turned into
each other. Of such a group, those that the means span remain, and of all others the sum of squares alone, which is
chi-squared in each cluster but for its scale; where the ratios are one, it tells nothing.
"""

from dataclasses import dataclass

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.mixtures import IsotropicMixture, SpectralMixture

_COINCIDENT = 1e-12  # part of their largest distance at which means are the same
_BISECTIONS = 16  # a direction need not be exact
_RATIO_DIGITS = 12  # to which ratios of eigenvalues are compared


@dataclass(frozen=True)
class ClustersSeen:
    """The clusters in r directions, and in the sums of squares over G groups of others.

    Attributes:
        means: (C, r). deviations: (C, r) of the noise along its axes.
        bases: (C, r, r) these axes in columns, or None where they are the coordinates.
        squares: (C, G) variances of the directions of each group. freedoms: (G,) their numbers.
    """

    means: np.ndarray
    deviations: np.ndarray
    bases: np.ndarray | None
    squares: np.ndarray
    freedoms: np.ndarray

    def noise(self, cluster: int, normals: np.ndarray) -> np.ndarray:
        """Noise (..., r) of a cluster, from standard normal numbers (..., r)."""
        noise = normals * self.deviations[cluster]
        return noise if self.bases is None else noise @ self.bases[cluster].T

    def whitened(self, cluster: int, x: np.ndarray) -> np.ndarray:
        """The standard normal numbers (..., r) from which the noise of a cluster would be x (..., r)."""
        turned = x if self.bases is None else x @ self.bases[cluster]
        return turned / self.deviations[cluster]

    def crossing(self, cluster: int, other: int, level: float) -> np.ndarray:
        """Where an input of a cluster is the likeliest to seem to be of another, as the step (r,) from its mean.

        Between the means, along the points where a product of powers of the two densities is the largest.

        Args:
            level: logarithm of the ratio of the other's density to the cluster's, but for the exponents.
        """
        step, low, high = self.means[other] - self.means[cluster], 0.0, 1.0
        own, others = self._precision(cluster), self._precision(other)
        for _ in range(_BISECTIONS):
            part = 0.5 * (low + high)
            at = _solve((1 - part) * own + part * others, _times(part * others, step))
            gain = np.sum(self.whitened(cluster, at) ** 2) - np.sum(self.whitened(other, at - step) ** 2)
            low, high = (low, part) if level + 0.5 * gain > 0 else (part, high)
        return at

    def _precision(self, cluster):
        """Inverse of a cluster's covariance, (r,) where that is diagonal."""
        inverse = self.deviations[cluster] ** -2
        return inverse if self.bases is None else (self.bases[cluster] * inverse) @ self.bases[cluster].T

    def by_cluster(self) -> list[np.ndarray]:
        """What belongs to each cluster, along a leading axis."""
        return [part for part in (self.means, self.deviations, self.squares, self.bases) if part is not None]

    def of(self, chosen: np.ndarray) -> "ClustersSeen":
        """Some of the clusters."""
        bases = None if self.bases is None else self.bases[chosen]
        return ClustersSeen(self.means[chosen], self.deviations[chosen], bases, self.squares[chosen], self.freedoms)

    def log_volumes(self) -> np.ndarray:
        """(C,) logarithm of the product of all standard deviations."""
        return np.log(self.deviations).sum(axis=1) + 0.5 * np.log(self.squares) @ self.freedoms


def _times(matrix, vector):
    return matrix * vector if matrix.ndim == 1 else matrix @ vector


def _solve(matrix, vector):
    return vector / matrix if matrix.ndim == 1 else np.linalg.solve(matrix, vector)


def clusters_seen(mixture: IsotropicMixture | SpectralMixture) -> ClustersSeen:
    """The clusters, in the units of the first one's noise.

    Raises:
        ConfigError: they differ along a direction without noise; or isotropic ones differ in their noise, which tells
            them apart the better the more dimensions there are, of which an isotropic mixture has any number.
    """
    if isinstance(mixture, IsotropicMixture):
        if np.ndim(mixture.variance) > 0:
            raise ConfigError(
                "clusters of different noise are the easier to tell apart the more dimensions they have: give the "
                "mixture its dimension"
            )
        mixture = SpectralMixture(mixture.means, mixture.labels, mixture.weights, mixture.noise[0])
    differences = mixture.means - mixture.means[np.argmax(mixture.weights)]
    spectra = mixture.spectra
    if mixture.bases is not None:
        if np.any(spectra == 0):
            raise _silent()
        nothing = np.empty((len(spectra), 0))
        return ClustersSeen(differences, np.sqrt(spectra), mixture.bases, nothing, np.empty(0))
    silent = np.any(spectra == 0, axis=0)
    if np.any(differences[:, silent]) or np.any(spectra[:, silent]):
        raise _silent()
    scale = np.sqrt(spectra[0, ~silent])
    return _grouped(differences[:, ~silent] / scale, spectra[:, ~silent] / scale**2)


def _silent():
    return ConfigError(
        "the clusters differ along a direction without noise, where nothing hides them from a classifier: give every "
        "direction in which means or covariances differ a variance in all clusters"
    )


def _grouped(means, variances):
    """The clusters with means (C, N) and variances (C, N) of independent coordinates."""
    ratios, group = np.unique(np.round(variances, _RATIO_DIGITS), axis=1, return_inverse=True)
    directions, deviations, squares, freedoms = [], [], [], []
    for number, ratio in enumerate(ratios.T):
        members = means[:, group.ravel() == number]
        left, lengths, _ = np.linalg.svd(members, full_matrices=False)
        kept = lengths > _COINCIDENT * np.abs(means).max(initial=0.0)
        spanned, telling = left[:, kept] * lengths[kept], np.any(ratio != 1)
        if telling and spanned.shape[1] == 0:  # an axis to draw lines along
            spanned = np.zeros((len(means), 1))
        directions.append(spanned)
        deviations.append(np.tile(np.sqrt(ratio)[:, None], spanned.shape[1]))
        if telling and members.shape[1] > spanned.shape[1]:
            squares.append(ratio)
            freedoms.append(members.shape[1] - spanned.shape[1])
    none = np.empty((len(means), 0))
    return ClustersSeen(
        np.hstack([none, *directions]),
        np.hstack([none, *deviations]),
        None,
        np.column_stack([none, *squares]),
        np.array(freedoms, float),
    )
