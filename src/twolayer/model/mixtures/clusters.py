"""Gaussian clusters in the common modes of their covariances, with labels -1 and 1 or the numbers of classes."""

from dataclasses import dataclass

import numpy as np

from twolayer.errors import ConfigError


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters N(mean, covariance) whose covariances commute.

    Attributes:
        means: (C, J) in the common modes. variances: (C, J) eigenvalues of the covariances.
        labels: (C,) -1 and 1, or numbers of classes from 0.
        weights: (C,) probabilities.
        isotropic: whether each cluster has one variance, so that the J modes represent any number of directions.
        dimension: N of isotropic clusters, if it is known.
    """

    means: np.ndarray
    variances: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    isotropic: bool = False
    dimension: int | None = None

    @property
    def strong_ridge(self) -> float:
        """Return a ridge, for one sample per feature, at which hardly anything is learned."""
        return 2 * float(np.mean(self.weights @ self.variances)) + 2 * float(np.max(np.sum(self.means**2, axis=1)))

    @property
    def class_count(self) -> int:
        """K, the number of classes of clusters whose labels are numbers of classes.

        Raises:
            ConfigError: there is only one class, or a class has no cluster with a positive weight.
        """
        self.require_two_labels()
        classes = self.labels.astype(int)
        K = classes.max() + 1
        if missing := sorted(set(range(K)) - set(classes[self.weights > 0].tolist())):
            raise ConfigError(
                f"class {missing[0]} has no cluster: give labels from 0 to {K - 1}, with positive weights"
            )
        return K

    def require_two_labels(self) -> None:
        """Raise an error if all inputs have the same label.

        Raises:
            ConfigError: they have the same label.
        """
        if len(np.unique(self.labels[self.weights > 0])) < 2:
            raise ConfigError("all labels of the mixture are the same: give clusters of two labels, of positive weight")

    def spread_over(self, dimension: int | None) -> "Clusters":
        """Return the clusters in a number of dimensions.

        Args:
            dimension: N; None selects the dimension of the clusters.

        Raises:
            ConfigError: there is no dimension, or it differs from the clusters' dimension, or it is too small for the
                means.
        """
        known = self.dimension if self.isotropic else self.means.shape[1]
        N = known if dimension is None else dimension
        if N is None:
            raise ConfigError(
                "the mixture has no dimension: give the argument dimension, or a mixture with a dimension"
            )
        if known not in (None, N):
            raise ConfigError(f"dimension is {N}, but the mixture has dimension {known}: leave it out")
        if self.means.shape[1] > N:
            raise ConfigError(f"dimension is {N}, but the means span {self.means.shape[1]} dimensions: raise it")
        if not self.isotropic:
            return self
        means = np.pad(self.means, ((0, 0), (0, N - self.means.shape[1])))
        return Clusters(means, np.tile(self.variances[:, :1], N), self.labels, self.weights, True, N)

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return inputs (n, J) and their labels (n,)."""
        chosen = rng.choice(len(self.weights), size=n, p=self.weights)
        noise = rng.standard_normal((n, self.means.shape[1]))
        return self.means[chosen] + np.sqrt(self.variances[chosen]) * noise, self.labels[chosen]
