"""A Gaussian mixture, as a class of the library."""

import dataclasses
import math
from collections.abc import Collection
from typing import Annotated, Any

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, shown
from twolayer.experiments.classes.class_mixture import isotropic_classes
from twolayer.experiments.classes.parameters import ClassMixture
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.model.mixtures.clusters import Clusters
from twolayer.model.mixtures.gaussian_mixtures import draw_clusters, draw_inputs
from twolayer.model.mixtures.standard_mixtures import from_covariance
from twolayer.parameters import Array, Bounds, Count, Positive, Seed, checked
from twolayer.results.mixture import (
    ISOTROPIC,
    classes_to_dataset,
    in_input_coordinates,
    is_isotropic,
    isotropic_mixture,
    isotropic_to_dataset,
    known_dimension,
    spectral_mixture,
    spectral_to_dataset,
)


@checked
class Mixture(Geometry):
    """Clusters with labels and Gaussian noise, which is isotropic or has a covariance, common or one for each cluster.

    Give either means and labels, or a named shape. Functions take the object as `mixture`, and also the results of
    `isotropic_mixture`, `random_mixture` and `image_mixture`.

    Attributes:
        shape: `xor`; `circle`, with labels alternating (two clusters per class are the XOR mixture); `three_clusters`
            on a line; or `custom`, the default if means are given.
        clusters_per_class: number of clusters of each class on a circle.
        regime: regime of the signal-to-noise ratio of a named shape: `low`, where means have length 1, `high` or
            `mixed`.
        positive_fraction: prior probability of label +1 of a named shape.
        means: one row for each cluster, in orthonormal coordinates of any space that contains the means, or with a
            covariance in all N coordinates.
        labels: labels of the clusters, -1 or 1; or, for `replica` and `convex_learning`, the numbers of classes from 0.
        weights: prior probabilities of the clusters; by default equal.
        spreads: standard deviation of isotropic noise in each cluster, in units of sigma, if it differs between
            clusters.
        sigma: standard deviation of the noise in every direction.
        covariance: (N, N) covariance of the noise, which replaces sigma; or (C, N, N), one for each cluster.
        dimension: N; None leaves the choice to the student.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[1, 0], [-1, 0]], labels=[1, -1], sigma=0.5, dimension=100)
        >>> inputs, labels = mixture.sample(1000, seed=0)
        >>> inputs.shape, labels.shape
        ((1000, 100), (1000,))
    """

    labels: tuple[Annotated[int, Bounds(at_least=-1, at_most=1000)], ...] | None = None
    sigma: Positive | None = None
    covariance: Array | None = None
    dimension: Count | None = None

    def __post_init__(self):
        super().__post_init__()
        if (self.sigma is None) == (self.covariance is None):
            raise ConfigError("a mixture has isotropic noise or any other: give either sigma or covariance")
        if self.covariance is not None:
            self._check_covariance()
        elif self.means and self.dimension is not None and self.dimension < len(self.means[0]):
            raise ConfigError(
                f"dimension is {self.dimension}, but the means span {len(self.means[0])} dimensions: raise it"
            )

    @property
    def has_classes(self) -> bool:
        """Whether the labels are the numbers of classes, from 0."""
        return self.labels is not None and bool(set(self.labels) - {-1, 1})

    def _check_clusters(self):
        if not self.has_classes:
            return super()._check_clusters()
        if self.covariance is None and self.sigma is not None:
            return isotropic_classes(self._classes)
        return ClassMixture(means=self.means, labels=self.labels, sigma=1.0)

    def _check_spreads(self):
        if not self.has_classes:  # the check of the clusters includes the spreads of classes
            super()._check_spreads()

    @property
    def _classes(self):
        names = ("means", "labels", "sigma", "weights", "spreads")
        return ClassMixture(**{name: getattr(self, name) for name in names}, input_dimension=self.dimension)

    def _check_covariance(self):
        if self.shape != "custom":
            raise ConfigError(f"covariance is given for the shape {self.shape!r}: give means in all its coordinates")
        C, N, shape = len(self.means), len(self.means[0]), self.covariance.shape
        if shape not in ((N, N), (C, N, N)):
            raise ConfigError(
                f"covariance has shape {shape}, but means have {N} coordinates: it must be ({N}, {N}), or "
                f"({C}, {N}, {N}) for one in each cluster"
            )
        if self.spreads is not None:
            raise ConfigError("spreads is given with covariance: leave it out, or give a covariance for each cluster")
        if not np.allclose(self.covariance, np.swapaxes(self.covariance, -1, -2)):
            raise ConfigError("covariance is not symmetric: make it equal to its transpose")
        if self.dimension not in (None, N):
            raise ConfigError(f"dimension is {self.dimension}, but means have {N} coordinates: leave it out")

    @property
    def geometry(self) -> Geometry:
        """Return the arrangement of the clusters, without the noise."""
        return Geometry(**{field.name: getattr(self, field.name) for field in dataclasses.fields(Geometry)})

    def dataset(self) -> xr.Dataset:
        """Return the mixture as the result of a task.

        Raises:
            ConfigError: the numbers do not define a mixture.
        """
        if self.has_classes:
            return classes_to_dataset(self._clusters())
        if self.covariance is None:
            return isotropic_to_dataset(build(self.geometry, self.sigma, self.dimension), self.dimension)
        means, labels, weights = (np.asarray(part, float) for part in (self.means, self.labels, self.weights))
        return spectral_to_dataset(*from_covariance(means, self.covariance, labels, weights))

    def sample(self, samples: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Draw inputs (n, N) and their labels (n,).

        If the noise is isotropic, the means are in the first coordinates of the inputs.

        Args:
            samples: number n. seed: seed of the draw.

        Returns:
            The inputs, and the label or the number of the class of each.

        Raises:
            ConfigError: the mixture has no dimension, or an argument is not allowed.

        Example:
            >>> import twolayer as tl
            >>> inputs, labels = tl.Mixture(shape="xor", sigma=0.2, dimension=50).sample(10, seed=1)
            >>> inputs.shape, labels.shape
            ((10, 50), (10,))
        """
        wanted = _Draw(samples=samples, seed=seed)
        unlabelled = dataclasses.replace(self, labels=(1,) * len(self.labels)) if self.has_classes else self
        dataset, rng = unlabelled.dataset(), np.random.default_rng(wanted.seed)
        if (dimension := known_dimension(dataset)) is None:
            raise ConfigError("the mixture has no dimension, which its inputs need: give a dimension")
        mixture = isotropic_mixture(dataset) if is_isotropic(dataset) else spectral_mixture(dataset, dimension)
        clusters = draw_clusters(mixture, wanted.samples, rng)
        labels = np.asarray(self.labels) if self.has_classes else mixture.labels
        return in_input_coordinates(draw_inputs(mixture, clusters, dimension, rng), dataset), labels[clusters]

    def _clusters(self):
        if self.covariance is None:
            return isotropic_classes(self._classes)
        means, weights = np.asarray(self.means, float), np.asarray(self.weights, float)
        modes = from_covariance(means, self.covariance, np.ones(len(means)), weights)[0]
        if modes.bases is not None:
            raise ConfigError(
                "covariances of the clusters do not commute, but the equations of classes use common eigenvectors: "
                "give covariances that commute, as one for all clusters"
            )
        variances = np.broadcast_to(modes.eigenvalues, modes.means.shape)
        return Clusters(modes.means, variances, np.asarray(self.labels), modes.weights)


@checked
class _Draw:
    """Arguments of a sample of a mixture."""

    samples: Count
    seed: Seed


def mixture_parameters(given: Any, fields: Collection[str]) -> dict[str, Any]:
    """Return the parameters of a task that an isotropic mixture defines: geometry, sigma and, if it has one, dimension.

    Args:
        given: a Mixture, or a result with a mixture. fields: names of the task's parameters.

    Raises:
        ConfigError: it is not an isotropic mixture.
    """
    found = _of_mixture(given) if isinstance(given, Mixture) else _of_result(given)
    dimension = found.pop("dimension")
    if dimension is not None:
        found |= {"input_dimension": dimension, "simulated_dimension": dimension}
    return {name: value for name, value in found.items() if name in fields}


def _of_mixture(mixture):
    if mixture.has_classes:
        raise ConfigError(
            "mixture has classes as labels, which only replica and convex_learning allow: give labels -1 and 1"
        )
    if mixture.sigma is None:
        raise ConfigError("mixture has a covariance, but the noise must be isotropic: give a mixture with sigma")
    return {"geometry": mixture.geometry, "sigma": mixture.sigma, "dimension": mixture.dimension}


def _of_result(given):
    if not isinstance(given, xr.Dataset) or given.attrs.get("kind") != ISOTROPIC:
        raise ConfigError(f"mixture is {shown(given)}: give a Mixture with a sigma, or a result of isotropic_mixture")
    mixture = isotropic_mixture(given)
    geometry = Geometry(means=mixture.means, labels=mixture.labels, weights=mixture.weights)
    sigma = math.sqrt(mixture.weights @ mixture.variances)
    if np.ndim(mixture.variance) > 0:
        geometry = dataclasses.replace(geometry, spreads=np.sqrt(mixture.variance) / sigma)
    return {"geometry": geometry, "sigma": sigma, "dimension": known_dimension(given)}
