"""Covariances of the teacher's and the student's features as results, and conversion back.

A result also defines how samples of the features are drawn.
"""

import numpy as np
import xarray as xr

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.labelled_data import LabelledData
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.input_features import InputFeatures
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.results.types import kind_of, marked

GAUSSIAN = "Gaussian covariates"
LATENT_FEATURES = "random features of a Gaussian latent"
MIXTURE_FEATURES = "random features of a mixture"
GENERATED_FEATURES = "random features of generated inputs"
SAMPLES = "a set of samples"
SPECTRUM = "independent Gaussian covariates"
KINDS = (GAUSSIAN, SPECTRUM, LATENT_FEATURES, MIXTURE_FEATURES, GENERATED_FEATURES, SAMPLES)


def gaussian_to_dataset(feature_covariances: CovariateModel) -> xr.Dataset:
    """Return covariances with the dimensions `latent` of the teacher's features and `feature` of the student's."""
    return marked(_covariances(feature_covariances), GAUSSIAN)


def spectrum_to_dataset(power: float, eigenvalues: np.ndarray, alignments: np.ndarray) -> xr.Dataset:
    """Return independent features: their eigenvalues and alignments (d,), and the power of the teacher's field."""
    of_features = {"eigenvalues": ("feature", eigenvalues), "alignments": ("feature", alignments)}
    return marked(xr.Dataset({**of_features, "power": power}), SPECTRUM)


def latent_features_to_dataset(
    feature_covariances: CovariateModel, projection: np.ndarray, feature_mean: np.ndarray, activation: ActivationLike
) -> xr.Dataset:
    """Return covariances with the random features of a latent: projection (D, d), and their mean (d,)."""
    return marked(_with_features(feature_covariances, projection, feature_mean, activation), LATENT_FEATURES)


def mixture_features_to_dataset(
    feature_covariances: CovariateModel,
    projection: np.ndarray,
    feature_mean: np.ndarray,
    activation: ActivationLike,
    mixture: IsotropicMixture,
) -> xr.Dataset:
    """Return covariances with the random features of a mixture."""
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
    """Return covariances with the random features of generated inputs, and the mean (N,) of the inputs."""
    dataset = _with_features(feature_covariances, projection, feature_mean, activation)
    return marked(dataset.assign(input_mean=("input", input_mean)), GENERATED_FEATURES)


def samples_to_dataset(feature_covariances: CovariateModel, field: np.ndarray, features: np.ndarray) -> xr.Dataset:
    """Return covariances with all samples: the teacher's field (n,) and the features (n, d), stored in single
    precision.
    """
    samples = {"field": ("sample", field), "features": (("sample", "feature"), features.astype(np.float32))}
    return marked(_covariances(feature_covariances).assign(samples), SAMPLES)


def dataset_covariate_model(dataset: xr.Dataset) -> CovariateModel:
    """Return the covariances from any of these results."""
    if kind_of(dataset, *KINDS) == SPECTRUM:
        eigenvalues = dataset.eigenvalues.values
        correlation = np.sqrt(dataset.alignments.values * (1 / len(eigenvalues)))[None]
        return CovariateModel(np.array([[float(dataset.power)]]), correlation, np.diag(eigenvalues), np.ones(1))
    return CovariateModel(*(dataset[name].values for name in ("Psi", "Phi", "Omega", "teacher")))


def dataset_labelled_data(dataset: xr.Dataset) -> LabelledData:
    """Return a set of samples with two labels."""
    kind_of(dataset, SAMPLES)
    classes = dataset.classes.values.astype(int) if "classes" in dataset else None
    return LabelledData.of(dataset_covariate_model(dataset), dataset.field.values, dataset.features.values, classes)


def dataset_features(dataset: xr.Dataset) -> InputFeatures:
    """Return the random features of generated inputs."""
    kind_of(dataset, GENERATED_FEATURES)
    activation = as_activation(dataset.attrs["activation"])
    return InputFeatures(dataset.projection.values, dataset.input_mean.values, activation, dataset.feature_mean.values)


def needs_generator(dataset: xr.Dataset) -> bool:
    """Return whether samples of these covariates are drawn from a generator."""
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
