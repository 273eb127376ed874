"""Errors of kernel ridge regression in theory, against noise and number of samples."""

import math
from functools import partial

import numpy as np
import xarray as xr

from twolayer.experiments.kernels.parameters import KernelTheory
from twolayer.experiments.mixture_inputs.bayes_errors import bayes_errors
from twolayer.experiments.sweeps import concatenated, sweep
from twolayer.model.networks.kernels import kernel
from twolayer.theory.kernels.kernel_learning import (
    everything,
    learned_by_features,
    learned_from_samples,
    mixed_xor_class_error,
    strong_xor_class_error,
    weak_three_clusters_class_error,
    weak_xor_class_error,
)
from twolayer.theory.kernels.kernel_modes import mixed_xor, strong_xor, weak_three_clusters, weak_xor

STRONG_NOISE = 2.0  # noise above which means of length sqrt D are weak compared with the noise of an input
_MIXTURES = {
    ("circle", "low"): (weak_xor, weak_xor_class_error),
    ("circle", "mixed"): (mixed_xor, mixed_xor_class_error),
    ("three_clusters", "low"): (weak_three_clusters, weak_three_clusters_class_error),
}


def run(config: KernelTheory) -> xr.Dataset:
    """Return errors of each number of samples and features at every noise level, and their limits."""
    levels = {}
    with sweep() as point:
        for sigma in config.sigma:
            with point(sigma=sigma):
                levels[sigma] = _level(config, sigma)
    least = bayes_errors(config.geometry, np.array(config.sigma), config.input_dimension)
    return (
        concatenated(levels, "sigma", list(config.sigma)).assign(least).assign(input_dimension=config.input_dimension)
    )


def _modes_of(config, sigma):
    """Return the modes at one noise level, and the class error that follows from the learned part."""
    function, D = kernel(config.kernel, config.activation), config.input_dimension
    if config.geometry.regime != "high":
        modes_of, class_error_of = _MIXTURES[config.geometry.shape, config.geometry.regime]
        return modes_of(function, sigma, D), partial(class_error_of, sigma=sigma)
    if sigma < STRONG_NOISE:
        return strong_xor(function, sigma, D), partial(strong_xor_class_error, sigma=sigma)
    length = math.sqrt(D)
    return weak_xor(function, sigma, D, length), partial(weak_xor_class_error, sigma=sigma / length)


def _level(config, sigma):
    """Return errors at one noise level."""
    modes, class_error_of = _modes_of(config, sigma)
    learned = [learned_from_samples(modes, n, config.ridge) for n in config.samples]
    limit = everything(modes)
    variables = {
        "pmse": ("samples", [one.pmse for one in learned]),
        "class_error": ("samples", [class_error_of(one) for one in learned]),
        "best_ridge": ("samples", [one.ridge for one in learned]),
        "effective_ridge": ("samples", [one.effective_ridge for one in learned]),
        "limit_pmse": limit.pmse,
        "limit_class_error": class_error_of(limit),
    }
    dataset = xr.Dataset(variables, coords={"samples": list(config.samples)})
    if config.features is None:
        return dataset
    readouts = [learned_by_features(modes, F) for F in config.features]
    variables = {
        "feature_pmse": ("features", [one.pmse for one in readouts]),
        "feature_class_error": ("features", [class_error_of(one) for one in readouts]),
    }
    return dataset.merge(xr.Dataset(variables, coords={"features": list(config.features)}))
