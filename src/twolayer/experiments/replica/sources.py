"""Samples of the features of a result."""

from typing import TYPE_CHECKING

import xarray as xr

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.networks.activations import as_activation
from twolayer.results.feature_covariances import (
    GAUSSIAN,
    GENERATED_FEATURES,
    KINDS,
    LATENT_FEATURES,
    SAMPLES,
    SPECTRUM,
    dataset_covariate_model,
    dataset_features,
)
from twolayer.results.mixture import stored_variance
from twolayer.results.types import kind_of
from twolayer.simulation.convex.convex_learning import (
    Source,
    empirical_source,
    gaussian_source,
    mixture_feature_source,
    random_feature_source,
)

if TYPE_CHECKING:
    from twolayer.model.generators.latent_generators import LatentGenerator


def dataset_source(dataset: xr.Dataset, generator: "LatentGenerator | None" = None) -> Source:
    """Return a source of samples of these covariates.

    Args:
        generator: generator of the inputs, for features of generated inputs.
    """
    kind = kind_of(dataset, *(KINDS if generator is None else (GENERATED_FEATURES,)))
    if kind in (GAUSSIAN, SPECTRUM):
        return gaussian_source(dataset_covariate_model(dataset))
    if kind == SAMPLES:
        return empirical_source(dataset.field.values, dataset.features.values)
    if kind == GENERATED_FEATURES:
        from twolayer.simulation.convex.generated_features import generated_feature_source  # needs torch

        return generated_feature_source(generator, dataset_features(dataset), dataset.teacher.values)
    projection, mean, name = dataset.projection.values, dataset.feature_mean.values, dataset.attrs["activation"]
    if kind == LATENT_FEATURES:
        return random_feature_source(projection, dataset.teacher.values, as_activation(name), mean)
    clusters = (dataset[part].values for part in ("means", "labels", "weights"))
    mixture = IsotropicMixture(*clusters, stored_variance(dataset))
    return mixture_feature_source(mixture, projection, as_activation(name), mean)
