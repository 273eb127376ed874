"""Errors of the readout of random features along its online training, in theory."""

import math

import numpy as np
import xarray as xr

from twolayer.experiments.features.input_mixture import mixture_of_inputs
from twolayer.experiments.features.parameters import ReadoutCurve
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.feature_count import feature_count
from twolayer.simulation.mixtures.stepping import log_times, measurement_steps
from twolayer.theory.mixtures.random_features import (
    evaluate_readout,
    feature_covariance,
    feature_moments,
    noise_overlaps,
    optimal_readout,
    random_projection,
)
from twolayer.theory.mixtures.readout_training import ReadoutLearning


def run(config: ReadoutCurve, mixture: xr.Dataset) -> xr.Dataset:
    """Return mean errors against time, and errors of the best readout of the same features."""
    (inputs, D), schedule, activation = mixture_of_inputs(mixture), config.schedule, as_activation(config.activation)
    F = feature_count(config.features_per_dimension, D)
    projection = random_projection(np.random.default_rng(config.seed), D, F)
    distribution = {"overlap_order": config.overlap_order, "activation": activation}
    overlaps, moments = noise_overlaps(inputs, projection), feature_moments(inputs, projection, **distribution)
    lower = feature_covariance(overlaps, moments.coefficients, moments.variance, moments.mean, inputs.weights)
    second_moment = np.tril(lower) + np.tril(lower, -1).T
    learning = ReadoutLearning(second_moment, (inputs.weights * inputs.labels) @ moments.mean, learning_of(schedule))
    steps = measurement_steps(log_times(schedule.first_time, schedule.last_time, schedule.measurements, D), D)
    start = np.zeros(F)
    mean = [
        evaluate_readout(inputs, moments, overlaps, weights=weights / math.sqrt(F))
        for weights in learning.mean_weights(start, steps)
    ]
    best = optimal_readout(inputs, projection, overlaps, **distribution, with_offset=False)
    variables = {
        "pmse": ("time", learning.mean_pmse(start, steps)),
        "mean_pmse": ("time", [one.pmse for one in mean]),
        "mean_class_error": ("time", [one.class_error for one in mean]),
        "optimum_pmse": best.pmse,
        "optimum_class_error": best.class_error,
        "input_dimension": D,
        "features": F,
    }
    if not schedule.weight_decay:
        variables["stationary_pmse"] = learning.stationary_pmse()
    return xr.Dataset(variables, coords={"time": steps / D})
