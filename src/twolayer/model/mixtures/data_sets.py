"""A set of samples of two labels, and what Gaussian theories take of it."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import SpectralMixture, from_covariance
from twolayer.model.teachers.feature_covariances import CovariateModel

_FIELD_NODES = 24  # of the quadrature of a linear field
_STEEPEST = 0.999  # share of the field in what the label is the sign of


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Samples with their moments.

    Attributes:
        features: (n, d), centred, in single precision. labels: (n,) -1 or 1. classes: (n,) numbers of their classes,
            each of one label.
        Omega: (d, d) covariance of the features.
    """

    features: np.ndarray
    labels: np.ndarray
    classes: np.ndarray
    Omega: np.ndarray

    @classmethod
    def of(
        cls, feature_covariances: CovariateModel, field: np.ndarray, features: np.ndarray, classes: np.ndarray | None
    ) -> "LabelledData":
        """The set of samples with a field of two values; without classes, the labels are these.

        Raises:
            ConfigError: the field has more values, or the classes have samples of both labels.
        """
        if len(np.unique(field)) != 2:
            raise ConfigError(
                f"the labels take {len(np.unique(field))} values: classes are learnt from two, give the sign of yours"
            )
        labels = np.sign(field - (field.min() + field.max()) / 2)
        return cls(
            features, labels, (labels > 0).astype(int) if classes is None else classes, feature_covariances.Omega
        )

    @property
    def positive(self) -> float:
        """Fraction of the samples of label 1."""
        return float(np.mean(self.labels > 0))

    @property
    def correlation(self) -> np.ndarray:
        """(d,) E y v."""
        return self.labels @ self.features / len(self.labels)

    @property
    def r_squared(self) -> float:
        """Fraction of the labels' variance that a linear function of the features explains, corrected for chance.

        Of so many samples alone even pure noise would be explained to d / n, for which Ezekiel's correction makes up.
        """
        n, d = self.features.shape
        c, variance = self.correlation, 4 * self.positive * (1 - self.positive)
        raw = float(c @ np.linalg.lstsq(self.Omega, c, rcond=1e-10)[0]) / variance
        return 1 - (1 - raw) * (n - 1) / (n - d - 1)

    def groups(self, gaussians: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The group of each sample (n,), and labels and weights of the groups, for `classes` or `labels`."""
        number, group = np.unique(self.classes if gaussians == "classes" else self.labels, return_inverse=True)
        signs = np.array([self.labels[group == one].mean() for one in range(len(number))])
        return group, np.sign(signs), np.bincount(group) / len(group)

    def clusters(self, gaussians: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Means (C, d), labels and weights (C,) of the mixture, and its one covariance, see `DataMixture`."""
        if gaussians == "one":
            return self._field_clusters()
        group, labels, weights = self.groups(gaussians)
        sums = np.zeros((len(labels), self.features.shape[1]))
        for one in range(len(labels)):
            sums[one] = self.features[group == one].mean(axis=0, dtype=float)
        return sums, labels, weights, self.Omega - (sums.T * weights) @ sums

    def mixture(self, gaussians: str) -> tuple[SpectralMixture, np.ndarray]:
        """The same in the eigenbasis of the covariance, and the eigenvectors (d, d) in columns."""
        means, labels, weights, covariance = self.clusters(gaussians)
        eigenvalues = np.linalg.eigvalsh(covariance)
        if eigenvalues[0] < -1e-8 * eigenvalues[-1]:
            raise ConfigError(f"the covariance of the set has the eigenvalue {eigenvalues[0]:.3g}: give more samples")
        covariance = covariance + max(0.0, -eigenvalues[0]) * np.eye(len(covariance))  # rounding of single precision
        return from_covariance(means, covariance, labels, weights)

    def field_distribution(self) -> "FieldDistribution":
        """The distribution of one Gaussian for all samples that has their correlation of labels and features."""
        c, p = self.correlation, self.positive
        power = float(c @ np.linalg.lstsq(self.Omega, c, rcond=1e-10)[0])
        direction = c / math.sqrt(power) if power > 0 else np.zeros_like(c)  # of labels without any correlation
        quantile = float(ndtri(p))
        largest = 2 * math.exp(-(quantile**2) / 2) / math.sqrt(2 * math.pi)  # E nu y without noise
        wanted = math.sqrt(max(self.r_squared, 0.0) * 4 * p * (1 - p)) / largest
        return FieldDistribution(direction, min(wanted, _STEEPEST), quantile, wanted <= _STEEPEST)

    def _field_clusters(self):
        distribution = self.field_distribution()
        nu, weights = np.polynomial.hermite_e.hermegauss(_FIELD_NODES)
        positive = distribution.positive(nu)
        weights = np.concatenate([weights * positive, weights * (1 - positive)])
        labels = np.repeat([1.0, -1.0], _FIELD_NODES)
        means = np.outer(np.tile(nu, 2), distribution.direction)
        return (
            means,
            labels,
            weights / weights.sum(),
            self.Omega - np.outer(distribution.direction, distribution.direction),
        )


@dataclass(frozen=True, eq=False)
class FieldDistribution:
    """Gaussian features with labels sign(s nu + sqrt(1 - s^2) noise + z) of a field nu ~ N(0, 1).

    Attributes:
        direction: (d,) E nu v. share: s. quantile: z.
        exact: whether the labels have the requested correlation with the features: no field of Gaussian
            features explains more of its sign than 2 / pi, where both are as frequent.
    """

    direction: np.ndarray
    share: float
    quantile: float
    exact: bool

    def positive(self, nu: np.ndarray) -> np.ndarray:
        """Probability of label 1."""
        return ndtr((self.share * nu + self.quantile) / math.sqrt(1 - self.share**2))
