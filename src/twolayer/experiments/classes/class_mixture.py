"""A mixture of several classes."""

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.classes.parameters import ClassMixture
from twolayer.model.mixtures.clusters import Clusters
from twolayer.model.mixtures.standard_mixtures import from_means
from twolayer.results.mixture import classes_to_dataset


def run(config: ClassMixture) -> xr.Dataset:
    """Return the clusters in orthonormal coordinates of the space that holds their means."""
    return classes_to_dataset(isotropic_classes(config))


def isotropic_classes(config: ClassMixture) -> Clusters:
    """Return clusters with the same noise in every direction.

    Raises:
        ConfigError: the parameters do not define a mixture, or a class has no cluster.
    """
    C = len(config.means)
    weights = config.weights or (1 / C,) * C
    if len(config.labels) != C:
        raise ConfigError(
            f"labels has {len(config.labels)} values, but the mixture has {C} means: give one label for each mean"
        )
    mixture = from_means(config.means, np.ones(C), weights, config.sigma**2)  # checks means and weights
    spreads = np.array(config.spreads or (1.0,) * C)
    if len(spreads) != C:
        raise ConfigError(
            f"spreads has {len(spreads)} values, but the mixture has {C} clusters: give one spread for each cluster"
        )
    variances = np.broadcast_to((config.sigma * spreads[:, None]) ** 2, mixture.means.shape)
    labels = np.array(config.labels)
    clusters = Clusters(mixture.means, variances, labels, mixture.weights, True, config.input_dimension)
    if config.input_dimension is not None:
        clusters.spread_over(config.input_dimension)
    _ = clusters.class_count
    return clusters
