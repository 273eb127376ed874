"""A mixture after random features, in the space of the clusters' mean features."""

import numpy as np
import xarray as xr

from twolayer.experiments.features.parameters import FeatureSample
from twolayer.experiments.mixtures.geometry import build
from twolayer.model.activations import as_activation
from twolayer.model.feature_count import feature_count
from twolayer.simulation.random_features import feature_cloud
from twolayer.theory.random_features import random_projection


def run(config: FeatureSample) -> xr.Dataset:
    """Points of each cluster, and their mean and covariance in closed form."""
    rng = np.random.default_rng(config.seed)
    features = feature_count(config.features_per_dimension, config.input_dimension)
    projection = random_projection(rng, config.input_dimension, features)
    mixture = build(config.geometry, config.sigma, config.input_dimension)
    activation = as_activation(config.activation)
    cloud = feature_cloud(mixture, projection, config.samples, rng=rng, activation=activation)
    variables = {
        "points": (("cluster", "sample", "axis"), cloud.points),
        "means": (("cluster", "axis"), cloud.means),
        "covariances": (("cluster", "axis", "other_axis"), cloud.covariances),
        "labels": ("cluster", mixture.labels),
        "sampled_means": (("cluster", "axis"), cloud.points.mean(axis=1)),
        "sampled_means_sem": (("cluster", "axis"), cloud.points.std(axis=1, ddof=1) / np.sqrt(config.samples)),
        "sigma": config.sigma,
    }
    return xr.Dataset(variables).assign(input_dimension=config.input_dimension, features=features)
