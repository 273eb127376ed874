"""Random features of a Gaussian latent, as Gaussian covariates."""

import numpy as np
import xarray as xr

from twolayer.experiments.feature_covariances.parameters import RandomFeatureCovariances
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.hermite_expansion import converged_expansion
from twolayer.model.teachers.feature_covariances import random_feature_covariances
from twolayer.results.feature_covariances import latent_features_to_dataset
from twolayer.theory.mixtures.random_features import random_projection


def run(config: RandomFeatureCovariances) -> xr.Dataset:
    """Return the covariances, with the projection and a teacher, both drawn at random."""
    rng = np.random.default_rng(config.seed)
    projection = random_projection(rng, config.latent_dimension, config.features)
    teacher = rng.standard_normal(config.latent_dimension)
    expansion, _ = converged_expansion(as_activation(config.activation).value, 1.0, config.degree)
    feature_covariances = random_feature_covariances(projection, teacher, expansion)
    mean = np.full(config.features, expansion.coefficients[0])
    return latent_features_to_dataset(feature_covariances, projection, mean, config.activation)
