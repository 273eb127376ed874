"""How samples of covariates are drawn that a result holds."""

import xarray as xr

from twolayer.model.activations import activation_named
from twolayer.model.input_features import InputFeatures
from twolayer.model.mixtures import IsotropicMixture
from twolayer.results.covariates import dataset_covariates
from twolayer.results.latent_generator import dataset_latent_generator
from twolayer.simulation.convex_learning import (
    Source,
    empirical_source,
    gaussian_source,
    generated_feature_source,
    mixture_feature_source,
    random_feature_source,
)


def dataset_source(dataset: xr.Dataset) -> Source:
    """How samples of these covariates are drawn."""
    if "features" in dataset:
        return empirical_source(dataset.field.values, dataset.features.values)
    if "projection" not in dataset:
        return gaussian_source(dataset_covariates(dataset))
    if "architecture" in dataset.attrs:
        return generated_feature_source(
            dataset_latent_generator(dataset), dataset_features(dataset), dataset.teacher.values
        )
    projection, mean, name = dataset.projection.values, dataset.feature_mean.values, dataset.attrs["activation"]
    if "means" not in dataset:
        return random_feature_source(projection, dataset.teacher.values, activation_named(name), mean)
    clusters = (dataset[part].values for part in ("means", "labels", "weights"))
    mixture = IsotropicMixture(*clusters, float(dataset.variance))
    return mixture_feature_source(mixture, projection, activation_named(name), mean)


def dataset_features(dataset: xr.Dataset) -> InputFeatures:
    """The features of generated inputs."""
    activation = activation_named(dataset.attrs["activation"])
    return InputFeatures(dataset.projection.values, dataset.input_mean.values, activation, dataset.feature_mean.values)
