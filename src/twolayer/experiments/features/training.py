"""Online training of the readout of random features, for any mixture."""

import numpy as np
import xarray as xr

from twolayer.experiments.features.parameters import FeatureTraining, ReadoutTraining
from twolayer.experiments.mixtures.schedule import learning_of
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.feature_count import feature_count
from twolayer.progress import track
from twolayer.simulation.features.random_features import train_readout
from twolayer.simulation.mixtures.stepping import log_times
from twolayer.theory.mixtures.random_features import noise_overlaps, optimal_readout, random_projection

_OVERLAP_ORDER = 4  # beyond it, the covariance of the features does not change


def trained(
    config: ReadoutTraining | FeatureTraining, mixture: IsotropicMixture | SpectralMixture, dimension: int
) -> xr.Dataset:
    """Return errors of the readout against time for each data stream, and errors of the best readout of its
    features."""
    rng, schedule, activation = np.random.default_rng(config.seed), config.schedule, as_activation(config.activation)
    features = feature_count(config.features_per_dimension, dimension)
    projection = random_projection(rng, dimension, features)
    times = log_times(schedule.first_time, schedule.last_time, schedule.measurements, dimension)
    options = {"initial_weights": np.zeros(features), "times": times, "activation": activation}
    runs = [
        train_readout(mixture, projection, learning_of(schedule), **options, rng=stream)
        for stream in track(rng.spawn(config.seeds), "simulations")
    ]
    overlaps, distribution = (
        noise_overlaps(mixture, projection),
        {"overlap_order": _OVERLAP_ORDER, "activation": activation},
    )
    best = optimal_readout(mixture, projection, overlaps, **distribution, with_offset=False)
    variables = {
        "pmse": (("seed", "time"), np.stack([run.pmse for run in runs])),
        "class_error": (("seed", "time"), np.stack([run.class_error for run in runs])),
        "optimum_pmse": best.pmse,
        "optimum_class_error": best.class_error,
    }
    return xr.Dataset(variables, coords={"time": times})
