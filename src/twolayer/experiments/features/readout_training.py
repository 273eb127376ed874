"""Online training of the readout of random features."""

import numpy as np
import xarray as xr

from twolayer.experiments.features.parameters import ReadoutTraining
from twolayer.experiments.mixtures.geometry import build
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.model.activations import as_activation
from twolayer.model.feature_count import feature_count
from twolayer.progress import track
from twolayer.simulation.random_features import train_readout
from twolayer.simulation.stepping import log_times
from twolayer.theory.random_features import optimal_readout, projection_overlaps, random_projection

_OVERLAP_ORDER = 4  # beyond it, the covariance of the features does not change


def run(config: ReadoutTraining) -> xr.Dataset:
    """Errors of the readout against time for each data stream, and those of the best readout of the same features."""
    rng, schedule = np.random.default_rng(config.seed), config.schedule
    activation = as_activation(config.activation)
    mixture = build(config.geometry, config.sigma, config.input_dimension)
    features = feature_count(config.features_per_dimension, config.input_dimension)
    projection = random_projection(rng, config.input_dimension, features)
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, config.input_dimension)
    options = {"initial_weights": np.zeros(features), "times": times, "activation": activation}
    runs = [
        train_readout(mixture, projection, learning_of(schedule), **options, rng=stream)
        for stream in track(rng.spawn(config.seeds), "simulations")
    ]
    overlaps = projection_overlaps(projection)
    best = optimal_readout(
        mixture, projection, overlaps, overlap_order=_OVERLAP_ORDER, activation=activation, with_offset=False
    )
    variables = {
        "pmse": (("seed", "time"), np.stack([run.pmse for run in runs])),
        "class_error": (("seed", "time"), np.stack([run.class_error for run in runs])),
        "optimum_pmse": best.pmse,
        "optimum_class_error": best.class_error,
        "sigma": config.sigma,
    }
    return xr.Dataset(variables, coords={"time": times})
