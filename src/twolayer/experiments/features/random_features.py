"""Error of random features against the noise of a mixture, in closed form and on fresh samples."""

import numpy as np
import xarray as xr

from twolayer.experiments.features.parameters import RandomFeatures
from twolayer.experiments.mixture_inputs.bayes_errors import bayes_errors
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.feature_count import feature_count
from twolayer.progress import track
from twolayer.simulation.features.random_features import simulate_readout
from twolayer.theory.mixtures.random_features import optimal_readout, projection_overlaps, random_projection


def run(config: RandomFeatures) -> xr.Dataset:
    """Return errors of every projection at every noise level, and simulated errors at the simulated levels."""
    ratios = list(config.features_per_dimension)
    streams = np.random.default_rng(config.seed).spawn(len(ratios))
    dataset = xr.concat([_ratio(config, *point) for point in zip(ratios, streams, strict=True)], "ratio")
    least = bayes_errors(config.geometry, np.array(config.sigma), config.input_dimension)
    return dataset.assign(least).assign_coords(ratio=ratios).assign(input_dimension=config.input_dimension)


def _ratio(config, ratio, rng):
    """Return the results of all projections with this number of features per input dimension."""
    features = feature_count(ratio, config.input_dimension)
    streams = track(rng.spawn(config.projections), "projections")
    return xr.concat([_projection(config, features, stream) for stream in streams], "projection")


def _projection(config, features, rng):
    """Return the results of one projection."""
    projection = config.weight_scale * random_projection(rng, config.input_dimension, features)
    overlaps = projection_overlaps(projection)
    activation = as_activation(config.activation)

    def best(sigma):
        mixture, order = build(config.geometry, sigma, config.input_dimension), config.overlap_order
        return mixture, optimal_readout(mixture, projection, overlaps, overlap_order=order, activation=activation)

    readouts = [best(sigma)[1] for sigma in config.sigma]
    columns = {
        "pmse": ("sigma", [readout.pmse for readout in readouts]),
        "class_error": ("sigma", [readout.class_error for readout in readouts]),
    }
    dataset = xr.Dataset(columns, coords={"sigma": list(config.sigma)})
    if config.simulated_sigma is None:
        return dataset
    tried = [best(sigma) for sigma in config.simulated_sigma]
    simulated = [
        simulate_readout(mixture, projection, readout, samples=config.simulated_samples, rng=rng, activation=activation)
        for mixture, readout in tried
    ]
    columns = {
        "closed_pmse": ("closed_sigma", [readout.pmse for _, readout in tried]),
        "closed_class_error": ("closed_sigma", [readout.class_error for _, readout in tried]),
        "simulated_pmse": ("closed_sigma", [errors.pmse for errors in simulated]),
        "simulated_pmse_sem": ("closed_sigma", [errors.pmse_error for errors in simulated]),
        "simulated_class_error": ("closed_sigma", [errors.class_error for errors in simulated]),
        "simulated_class_error_sem": ("closed_sigma", [errors.class_error_error for errors in simulated]),
    }
    return dataset.merge(xr.Dataset(columns, coords={"closed_sigma": list(config.simulated_sigma)}))
