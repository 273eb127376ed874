"""A set of samples with two labels, and its properties for Gaussian theories."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import SpectralMixture
from twolayer.model.mixtures.standard_mixtures import from_covariance
from twolayer.model.teachers.feature_covariances import CovariateModel

_FIELD_NODES = 24  # number of nodes of the quadrature of a linear field
_STEEPEST = 0.999  # largest share of the field in the argument of the sign


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Samples with their moments.

    Attributes:
        features: (n, d), centred, in single precision. labels: (n,) -1 or 1. classes: (n,) numbers of their classes,
            each with one label.
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
        """Return the set of samples with a field of two values, which are the default classes.

        Raises:
            ConfigError: the field has more values, or the classes have samples of both labels.
        """
        if len(np.unique(field)) != 2:
            raise ConfigError(
                f"the labels take {len(np.unique(field))} values: learning of classes needs two, give their sign"
            )
        labels = np.sign(field - (field.min() + field.max()) / 2)
        return cls(
            features, labels, (labels > 0).astype(int) if classes is None else classes, feature_covariances.Omega
        )

    @property
    def positive(self) -> float:
        """Fraction of the samples with label 1."""
        return float(np.mean(self.labels > 0))

    @property
    def correlation(self) -> np.ndarray:
        """E y v (d,)."""
        return self.labels @ self.features / len(self.labels)

    @property
    def r_squared(self) -> float:
        """Fraction of the labels' variance that a linear function of the features explains, corrected for chance.

        From n samples, a linear function explains a fraction d / n even of pure noise. Ezekiel's correction removes it.
        """
        n, d = self.features.shape
        c, variance = self.correlation, 4 * self.positive * (1 - self.positive)
        raw = float(c @ np.linalg.lstsq(self.Omega, c, rcond=1e-10)[0]) / variance
        return 1 - (1 - raw) * (n - 1) / (n - d - 1)

    def groups(self, gaussians: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the group of each sample (n,), and labels and weights of the groups, for `classes` or `labels`."""
        number, group = np.unique(self.classes if gaussians == "classes" else self.labels, return_inverse=True)
        signs = np.array([self.labels[group == one].mean() for one in range(len(number))])
        return group, np.sign(signs), np.bincount(group) / len(group)

    def clusters(self, gaussians: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return means (C, d), labels and weights (C,) of the mixture, and its common covariance, see `DataMixture`."""
        if gaussians == "one":
            return self._field_clusters()
        group, labels, weights = self.groups(gaussians)
        sums = np.zeros((len(labels), self.features.shape[1]))
        for one in range(len(labels)):
            sums[one] = self.features[group == one].mean(axis=0, dtype=float)
        return sums, labels, weights, self.Omega - (sums.T * weights) @ sums

    def mixture(self, gaussians: str) -> tuple[SpectralMixture, np.ndarray]:
        """Return the mixture in the eigenbasis of the covariance, and the eigenvectors (d, d) in columns.

        Raises:
            ConfigError: the covariance is zero, or has a negative eigenvalue.
        """
        if gaussians == "one" and self.features.shape[1] == 1:
            raise ConfigError(
                "gaussians is 'one', whose clusters have no noise along the direction of the labels, but the set has "
                "no other feature: set gaussians to 'labels', or give two features"
            )
        means, labels, weights, covariance = self.clusters(gaussians)
        eigenvalues = np.linalg.eigvalsh(covariance)
        if eigenvalues[0] < -1e-8 * eigenvalues[-1]:
            raise ConfigError(f"the covariance of the set has the eigenvalue {eigenvalues[0]:.3g}: give more samples")
        # rounding errors of single precision
        covariance = covariance + max(0.0, -eigenvalues[0]) * np.eye(len(covariance))
        return from_covariance(means, covariance, labels, weights)

    def field_distribution(self) -> "FieldDistribution":
        """Return the distribution of one Gaussian for all samples with their correlation of labels and features."""
        c, p = self.correlation, self.positive
        power = float(c @ np.linalg.lstsq(self.Omega, c, rcond=1e-10)[0])
        direction = c / math.sqrt(power) if power > 0 else np.zeros_like(c)  # the labels may have no correlation
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
    """Gaussian features with labels sign(s nu + sqrt(1 - s^2) noise + z), for a field nu ~ N(0, 1).

    Attributes:
        direction: (d,) E nu v. share: s. quantile: z.
        exact: whether the labels have the requested correlation with the features: a field of Gaussian features
            explains at most 2 / pi of its sign, if both signs are equally frequent.
    """

    direction: np.ndarray
    share: float
    quantile: float
    exact: bool

    def positive(self, nu: np.ndarray) -> np.ndarray:
        """Return the probability of label 1."""
        return ndtr((self.share * nu + self.quantile) / math.sqrt(1 - self.share**2))
