"""Random features of a mixture, as covariates, and their best readout in closed form."""

import numpy as np
import xarray as xr

from twolayer.experiments.feature_covariances.parameters import MixtureFeatureCovariances
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.feature_count import feature_count
from twolayer.results.feature_covariances import mixture_features_to_dataset
from twolayer.theory.mixtures.random_features import optimal_readout, projection_overlaps, random_projection
from twolayer.theory.one_step.mixture_features import mixture_feature_covariances


def run(config: MixtureFeatureCovariances) -> xr.Dataset:
    """Return the covariances, and the error `pmse` of the readout for infinitely many samples."""
    mixture = build(config.geometry, config.sigma, config.input_dimension)
    features = feature_count(config.features_per_dimension, config.input_dimension)
    projection = random_projection(np.random.default_rng(config.seed), config.input_dimension, features)
    distribution = {"overlap_order": config.overlap_order, "activation": as_activation(config.activation)}
    feature_covariances, mean = mixture_feature_covariances(mixture, projection, **distribution)
    overlaps = projection_overlaps(projection)
    readout = optimal_readout(mixture, projection, overlaps, ridge=config.ridge, **distribution)
    dataset = mixture_features_to_dataset(feature_covariances, projection, mean, config.activation, mixture)
    return dataset.assign(pmse=readout.pmse)
