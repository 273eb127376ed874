"""Covariates as results, and back: the covariances of the teacher's and the student's features, and how samples of
them are drawn."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from twolayer.model.mixtures.data_sets import LabelledData
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.input_features import InputFeatures
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.parameters import ActivationLike
from twolayer.results.mixture import stored_variance
from twolayer.results.types import kind_of, marked
from twolayer.simulation.convex.convex_learning import (
    Source,
    empirical_source,
    gaussian_source,
    mixture_feature_source,
    random_feature_source,
)

if TYPE_CHECKING:
    from twolayer.model.generators.latent_generators import LatentGenerator

GAUSSIAN = "Gaussian covariates"
LATENT_FEATURES = "random features of a Gaussian latent"
MIXTURE_FEATURES = "random features of a mixture"
GENERATED_FEATURES = "random features of generated inputs"
SAMPLES = "a set of samples"
KINDS = (GAUSSIAN, LATENT_FEATURES, MIXTURE_FEATURES, GENERATED_FEATURES, SAMPLES)


def gaussian_to_dataset(feature_covariances: CovariateModel) -> xr.Dataset:
    """Covariances with the dimensions `latent` of the teacher's features and `feature` of the student's."""
    return marked(_covariances(feature_covariances), GAUSSIAN)


def latent_features_to_dataset(
    feature_covariances: CovariateModel, projection: np.ndarray, feature_mean: np.ndarray, activation: ActivationLike
) -> xr.Dataset:
    """The same, with what makes the random features: projection (D, d), and their mean (d,)."""
    return marked(_with_features(feature_covariances, projection, feature_mean, activation), LATENT_FEATURES)


def mixture_features_to_dataset(
    feature_covariances: CovariateModel,
    projection: np.ndarray,
    feature_mean: np.ndarray,
    activation: ActivationLike,
    mixture: IsotropicMixture,
) -> xr.Dataset:
    """The same, with the mixture that the features see."""
    clusters = {"means": (("cluster", "axis"), mixture.means), "variance": ("cluster", mixture.variances)}
    of_each = {"labels": ("cluster", mixture.labels), "weights": ("cluster", mixture.weights)}
    dataset = _with_features(feature_covariances, projection, feature_mean, activation)
    return marked(dataset.assign(clusters | of_each), MIXTURE_FEATURES)


def generated_features_to_dataset(
    feature_covariances: CovariateModel,
    projection: np.ndarray,
    feature_mean: np.ndarray,
    activation: ActivationLike,
    input_mean: np.ndarray,
) -> xr.Dataset:
    """The same, with the mean (N,) of the inputs that the features see."""
    dataset = _with_features(feature_covariances, projection, feature_mean, activation)
    return marked(dataset.assign(input_mean=("input", input_mean)), GENERATED_FEATURES)


def samples_to_dataset(feature_covariances: CovariateModel, field: np.ndarray, features: np.ndarray) -> xr.Dataset:
    """Covariances with all samples that there are: the teacher's field (n,) and the features (n, d), which are stored
    in single precision."""
    samples = {"field": ("sample", field), "features": (("sample", "feature"), features.astype(np.float32))}
    return marked(_covariances(feature_covariances).assign(samples), SAMPLES)


def dataset_covariate_model(dataset: xr.Dataset) -> CovariateModel:
    """The covariances that any of these wrote."""
    kind_of(dataset, *KINDS)
    return CovariateModel(*(dataset[name].values for name in ("Psi", "Phi", "Omega", "teacher")))


def dataset_labelled_data(dataset: xr.Dataset) -> LabelledData:
    """A set of samples of two labels."""
    kind_of(dataset, SAMPLES)
    classes = dataset.classes.values.astype(int) if "classes" in dataset else None
    return LabelledData.of(dataset_covariate_model(dataset), dataset.field.values, dataset.features.values, classes)


def dataset_features(dataset: xr.Dataset) -> InputFeatures:
    """The random features of generated inputs."""
    kind_of(dataset, GENERATED_FEATURES)
    activation = as_activation(dataset.attrs["activation"])
    return InputFeatures(dataset.projection.values, dataset.input_mean.values, activation, dataset.feature_mean.values)


def dataset_source(dataset: xr.Dataset, generator: "LatentGenerator | None" = None) -> Source:
    """How samples of these covariates are drawn.

    Args:
        generator: of the inputs that the features see, for covariates of that kind.
    """
    kind = kind_of(dataset, *(KINDS if generator is None else (GENERATED_FEATURES,)))
    if kind == GAUSSIAN:
        return gaussian_source(dataset_covariate_model(dataset))
    if kind == SAMPLES:
        return empirical_source(dataset.field.values, dataset.features.values)
    if kind == GENERATED_FEATURES:
        from twolayer.simulation.convex.convex_learning import generated_feature_source  # needs torch

        return generated_feature_source(generator, dataset_features(dataset), dataset.teacher.values)
    projection, mean, name = dataset.projection.values, dataset.feature_mean.values, dataset.attrs["activation"]
    if kind == LATENT_FEATURES:
        return random_feature_source(projection, dataset.teacher.values, as_activation(name), mean)
    clusters = (dataset[part].values for part in ("means", "labels", "weights"))
    mixture = IsotropicMixture(*clusters, stored_variance(dataset))
    return mixture_feature_source(mixture, projection, as_activation(name), mean)


def needs_generator(dataset: xr.Dataset) -> bool:
    """Whether samples of these covariates are drawn from a generator."""
    return kind_of(dataset, *KINDS) == GENERATED_FEATURES


def _covariances(feature_covariances):
    return xr.Dataset(
        {
            "Psi": (("latent", "other_latent"), feature_covariances.Psi),
            "Phi": (("latent", "feature"), feature_covariances.Phi),
            "Omega": (("feature", "other_feature"), feature_covariances.Omega),
            "teacher": ("latent", feature_covariances.teacher),
        }
    )


def _with_features(feature_covariances, projection, feature_mean, activation):
    features = {"projection": (("input", "feature"), projection), "feature_mean": ("feature", feature_mean)}
    return _covariances(feature_covariances).assign(features).assign_attrs(activation=activation)
