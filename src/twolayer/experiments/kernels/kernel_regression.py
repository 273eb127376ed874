"""Errors of kernel ridge regression, and of ridge regression on random features, on samples of a mixture."""

import numpy as np
import xarray as xr

from twolayer.experiments.kernels.parameters import KernelRegression
from twolayer.experiments.mixture_inputs.bayes_errors import bayes_errors
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.model.mixtures.gaussian_mixtures import draw_clusters, draw_inputs
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.kernels import kernel
from twolayer.progress import track
from twolayer.simulation.features.kernel_regression import errors, feature_outputs, gaussian_directions, kernel_outputs


def run(config: KernelRegression) -> xr.Dataset:
    """Return errors on fresh samples of each set, at every noise level and number of samples."""
    streams = np.random.default_rng(config.seed).spawn(config.seeds)
    sets = [
        xr.concat([_level(config, sigma, rng) for sigma in config.sigma], "sigma")
        for rng in track(streams, "sets of samples")
    ]
    least = bayes_errors(config.geometry, np.array(config.sigma), config.input_dimension)
    dataset = xr.concat(sets, "seed").assign_coords(seed=np.arange(1, config.seeds + 1), sigma=list(config.sigma))
    return dataset.assign(least).assign(input_dimension=config.input_dimension)


def _level(config, sigma, rng):
    """Return errors at one noise level, with separate samples and features."""
    return xr.concat([_set(config, sigma, n, rng) for n in config.samples], "samples").assign_coords(
        samples=list(config.samples)
    )


def _set(config, sigma, n, rng):
    """Return errors of one set of training samples."""
    D, mixture = config.input_dimension, build(config.geometry, sigma, config.input_dimension)
    clusters = draw_clusters(mixture, n + config.test_samples, rng)
    inputs, labels = draw_inputs(mixture, clusters, D, rng), mixture.labels[clusters]
    function = kernel(config.kernel, config.activation)
    outputs = kernel_outputs(function, inputs[:n], labels[:n], config.ridge, inputs[n:])
    dataset = xr.Dataset(dict(zip(("pmse", "class_error"), errors(outputs, labels[n:]), strict=True)))
    if config.features is None:
        return dataset
    activation = as_activation(config.activation)
    by_features = []
    for F in config.features:
        z = activation(inputs @ gaussian_directions(D, F, rng))
        by_features.append(errors(feature_outputs(z[:n], labels[:n], config.ridge, z[n:]), labels[n:]))
    pmse, class_error = np.array(by_features).T
    variables = {"feature_pmse": ("features", pmse), "feature_class_error": ("features", class_error)}
    return dataset.merge(xr.Dataset(variables, coords={"features": list(config.features)}))
