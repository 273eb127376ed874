"""The few directions in which the clusters of a mixture differ.

Directions of the common eigenbasis form a group if their eigenvalues have the same ratios in all clusters, since they
can be rotated into each other. From each group a classifier needs the directions that the means span, and the sum of
squares over all others. That sum is chi-squared in each cluster up to its scale. It carries no information if the
ratios are one.
"""

from dataclasses import dataclass

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture

_COINCIDENT = 1e-12  # part of their largest distance at which means count as equal
_BISECTIONS = 16  # steps of the search for a direction, which may be approximate
_SAME_RATIO = 1e-10  # relative difference at which ratios of eigenvalues count as equal
_FAR = 1.0  # distance beyond which the covariances of two distributions are not compared


@dataclass(frozen=True, eq=False)
class ClustersSeen:
    """The clusters in r directions, and the sums of squares over G groups of other directions.

    Attributes:
        means: (C, r). deviations: (C, r) of the noise along the axes of each cluster.
        bases: (C, r, r) these axes in columns, or None if they are the coordinate axes.
        squares: (C, G) variances of the directions of each group. freedoms: (G,) their numbers.
    """

    means: np.ndarray
    deviations: np.ndarray
    bases: np.ndarray | None
    squares: np.ndarray
    freedoms: np.ndarray

    def noise(self, cluster: int, normals: np.ndarray) -> np.ndarray:
        """Return noise (..., r) of a cluster, from standard normal numbers (..., r)."""
        noise = normals * self.deviations[cluster]
        return noise if self.bases is None else noise @ self.bases[cluster].T

    def whitened(self, cluster: int, x: np.ndarray) -> np.ndarray:
        """Return the standard normal numbers (..., r) for which the noise of a cluster is x (..., r)."""
        turned = x if self.bases is None else x @ self.bases[cluster]
        return turned / self.deviations[cluster]

    def crossing(self, cluster: int, other: int, level: float) -> np.ndarray:
        """Return the step (r,) from a cluster's mean to the likeliest place of confusion with another cluster.

        The place is on the curve between the means on which a product of powers of the two densities is largest.

        Args:
            level: logarithm of the ratio of the other's density to the cluster's, without the exponents.
        """
        step, low, high = self.means[other] - self.means[cluster], 0.0, 1.0
        precision, others = self._precision(cluster), self._precision(other)
        for _ in range(_BISECTIONS):
            part = 0.5 * (low + high)
            at = _solve((1 - part) * precision + part * others, _times(part * others, step))
            gain = np.sum(self.whitened(cluster, at) ** 2) - np.sum(self.whitened(other, at - step) ** 2)
            low, high = (low, part) if level + 0.5 * gain > 0 else (part, high)
        return at

    def _precision(self, cluster):
        """Return the inverse of a cluster's covariance, or (r,) its diagonal if it is diagonal."""
        inverse = self.deviations[cluster] ** -2
        return inverse if self.bases is None else (self.bases[cluster] * inverse) @ self.bases[cluster].T

    def distances(self) -> np.ndarray:
        """Return the distances (C, C) between the distributions of two clusters if they are small, and infinity
        otherwise.

        The squared distance is twice their relative entropy to leading order: the squared distance of the means in
            units of the noise, plus half the squared relative differences of the variances.
        """
        count = len(self.means)
        logs = np.log(self.deviations)
        volumes, roots = self.log_volumes(), 0.5 * np.log(self.squares)
        found = np.zeros((count, count))
        for a in range(count):
            steps = self.whitened(a, self.means - self.means[a])
            squared = np.sum(steps**2, axis=1) + 2 * (roots - roots[a]) ** 2 @ self.freedoms
            if self.bases is None:
                squared += 2 * np.sum((logs - logs[a]) ** 2, axis=1)
            else:
                near = (squared < _FAR**2) & (np.abs(volumes - volumes[a]) < _FAR * len(logs[a]))
                squared += np.array([self._shape_difference(a, b) if near[b] else np.inf for b in range(count)])
            found[a] = np.sqrt(squared)
        found = np.maximum(found, found.T)
        return np.where(found < _FAR, found, np.inf)

    def _shape_difference(self, a, b):
        """Return half the squared difference between b's covariance, in units of a's, and the identity."""
        root = self.whitened(a, (self.bases[b] * self.deviations[b]).T)
        return 0.5 * np.sum((root.T @ root - np.eye(len(root))) ** 2)

    @property
    def one_covariance(self) -> bool:
        """Whether the clusters differ only in their means."""
        return self.bases is None and not self.squares.size and not np.ptp(self.deviations, axis=0).any()

    def of(self, chosen: np.ndarray) -> "ClustersSeen":
        """Return some of the clusters."""
        bases = None if self.bases is None else self.bases[chosen]
        return ClustersSeen(self.means[chosen], self.deviations[chosen], bases, self.squares[chosen], self.freedoms)

    def log_volumes(self) -> np.ndarray:
        """Return the logarithms (C,) of the product of all standard deviations."""
        return np.log(self.deviations).sum(axis=1) + 0.5 * np.log(self.squares) @ self.freedoms


def _times(matrix, vector):
    return matrix * vector if matrix.ndim == 1 else matrix @ vector


def _solve(matrix, vector):
    return vector / matrix if matrix.ndim == 1 else np.linalg.solve(matrix, vector)


def clusters_seen(mixture: IsotropicMixture | SpectralMixture) -> ClustersSeen:
    """Return the clusters, in units of the first cluster's noise.

    Raises:
        ConfigError: the clusters differ along a direction without noise; or clusters of an isotropic mixture without a
            dimension differ in their noise. The error of the latter falls to zero as the dimension grows.
    """
    if isinstance(mixture, IsotropicMixture):
        if np.ndim(mixture.variance) > 0:
            raise ConfigError(
                "clusters of different noise have a smaller error in more dimensions: give the mixture its dimension"
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
    rounding = _COINCIDENT * np.abs(mixture.means).max()
    if np.any(np.abs(differences[:, silent]) > rounding) or np.any(spectra[:, silent]):
        raise _silent()
    scale = np.sqrt(spectra[0, ~silent])
    return _grouped(differences[:, ~silent] / scale, spectra[:, ~silent] / scale**2)


def _silent():
    return ConfigError(
        "the clusters differ along a direction without noise, so that their Bayes error is zero: give every "
        "direction in which means or covariances differ a variance in all clusters"
    )


def _grouped(means, variances):
    """Return the clusters with means (C, N) and variances (C, N) of independent coordinates."""
    directions, deviations, squares, freedoms = [], [], [], []
    for group in _of_one_ratio(np.log(variances)):
        ratio, members = variances[:, group[0]], means[:, group]
        left, lengths, _ = np.linalg.svd(members, full_matrices=False)
        kept = lengths > _COINCIDENT * np.abs(means).max(initial=0.0)
        spanned, telling = left[:, kept] * lengths[kept], np.any(np.abs(ratio - 1) > _SAME_RATIO)
        if not telling:
            ratio = np.ones(len(means))
        if telling and spanned.shape[1] == 0:  # the lines need an axis
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


def _of_one_ratio(logs):
    """Return the numbers of the coordinates in each group of equal columns (C, N), as arrays; groups are sorted."""
    groups, rest = [], np.arange(logs.shape[1])
    while rest.size:
        alike = np.all(np.abs(logs[:, rest] - logs[:, rest[:1]]) <= _SAME_RATIO, axis=0)
        groups.append(rest[alike])
        rest = rest[~alike]
    order = np.lexsort([row[[group[0] for group in groups]] for row in logs[::-1]]) if groups else []
    return [groups[number] for number in order]
