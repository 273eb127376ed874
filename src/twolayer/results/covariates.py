"""Covariates as a result, and back.

A result without a projection is Gaussian, one with a projection has random features: of a Gaussian latent or, where it
holds cluster means, of a mixture or, where it holds a generator, of generated inputs. One that holds a set of samples
stands for their empirical law.
"""

import numpy as np
import xarray as xr

from twolayer.model.covariates import Covariates
from twolayer.model.mixtures import IsotropicMixture


def covariates_to_dataset(covariates: Covariates) -> xr.Dataset:
    """Covariances with the dimensions `latent` of the teacher's features and `feature` of the student's."""
    variables = {
        "Psi": (("latent", "other_latent"), covariates.Psi),
        "Phi": (("latent", "feature"), covariates.Phi),
        "Omega": (("feature", "other_feature"), covariates.Omega),
        "teacher": ("latent", covariates.teacher),
    }
    return xr.Dataset(variables)


def with_features(dataset: xr.Dataset, projection: np.ndarray, feature_mean: np.ndarray, activation: str) -> xr.Dataset:
    """The same, with what the random features are made of."""
    features = {"projection": (("input", "feature"), projection), "feature_mean": ("feature", feature_mean)}
    return dataset.assign(features).assign_attrs(activation=activation)


def with_mixture(dataset: xr.Dataset, mixture: IsotropicMixture) -> xr.Dataset:
    """The same, with the mixture that the features see."""
    clusters = {"means": (("cluster", "axis"), mixture.means), "variance": mixture.variance}
    of_each = {"labels": ("cluster", mixture.labels), "weights": ("cluster", mixture.weights)}
    return dataset.assign(clusters | of_each)


def with_generator(dataset: xr.Dataset, generator: xr.Dataset, input_mean: np.ndarray) -> xr.Dataset:
    """The same, with the generator of the inputs that the features see; `generator` is its result."""
    return dataset.merge(generator).assign(input_mean=("input", input_mean)).assign_attrs(generator.attrs)


def with_samples(dataset: xr.Dataset, field: np.ndarray, features: np.ndarray) -> xr.Dataset:
    """The same, with all samples that there are: the teacher's field (n,) and the features (n, d), which are stored in
    single precision."""
    samples = {"field": ("sample", field), "features": (("sample", "feature"), features.astype(np.float32))}
    return dataset.assign(samples)


def dataset_covariates(dataset: xr.Dataset) -> Covariates:
    """What `covariates_to_dataset` wrote."""
    return Covariates(*(dataset[name].values for name in ("Psi", "Phi", "Omega", "teacher")))
