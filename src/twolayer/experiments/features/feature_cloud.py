"""A mixture after random features, in the space that the clusters' mean features span."""

import numpy as np
import xarray as xr

from twolayer.experiments.features.parameters import FeatureSample
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.feature_count import feature_count
from twolayer.model.networks.learning import wrong_signs
from twolayer.simulation.features.random_features import feature_cloud
from twolayer.theory.mixtures.random_features import gaussian_class_errors, random_projection


def run(config: FeatureSample) -> xr.Dataset:
    """Return points of each cluster, and their mean and covariance in closed form."""
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
    sizes = {"input_dimension": config.input_dimension, "features": features}
    return xr.Dataset(variables | _separation(cloud, mixture)).assign(sizes)


def _separation(cloud, mixture):
    """Return the class error of the linear readout of the points with least squared error, in theory and on the
    points."""
    weights, labels, means = mixture.weights, mixture.labels, cloud.means  # these are zero on average
    offset = weights @ labels
    second_moment = np.tensordot(weights, cloud.covariances, 1) + (weights * means.T) @ means
    readout = np.linalg.solve(second_moment, (weights * (labels - offset)) @ means)
    variances = np.einsum("i,aij,j->a", readout, cloud.covariances, readout)
    output = offset + cloud.points @ readout
    wrong = wrong_signs(output, labels[:, None]).mean(axis=1)
    expected = gaussian_class_errors(labels, offset + means @ readout, variances)
    error = np.sqrt(np.sum(weights**2 * expected * (1 - expected)) / cloud.points.shape[1])
    return {
        "closed_class_error": weights @ expected,
        "simulated_class_error": weights @ wrong,
        "simulated_class_error_sem": error,
    }
