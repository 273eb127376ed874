"""Error of random features of any mixture against their number, in closed form and on fresh inputs."""

import numpy as np
import xarray as xr

from twolayer.experiments.features.input_mixture import mixture_of_inputs
from twolayer.experiments.features.parameters import FeatureReadout
from twolayer.experiments.sweeps import completed, sweep
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.feature_count import feature_count
from twolayer.progress import track
from twolayer.results.mixture import spectral_mixture
from twolayer.simulation.features.random_features import simulate_readout
from twolayer.theory.mixtures.bayes_error import bayes_error
from twolayer.theory.mixtures.random_features import noise_overlaps, optimal_readout, random_projection


def run(config: FeatureReadout, mixture: xr.Dataset) -> xr.Dataset:
    """Return errors of the best readout of every projection, and the least error of any classifier."""
    inputs, dimension = mixture_of_inputs(mixture)
    counts = [feature_count(ratio, dimension) for ratio in config.features_per_dimension]
    streams = np.random.default_rng(config.seed).spawn(len(counts))
    shape, found = (len(counts), config.projections), {}
    with sweep() as point:
        for place, stream in enumerate(track(streams, "numbers of features")):
            for projection, rng in enumerate(stream.spawn(config.projections)):
                with point(ratio=config.features_per_dimension[place], projection=projection):
                    found[place, projection] = _projection(config, inputs, dimension, counts[place], rng)
    rows = completed(found, np.ndindex(shape))
    variables = {name: (("ratio", "projection"), np.reshape([row[name] for row in rows], shape)) for name in rows[0]}
    bayes, error = bayes_error(spectral_mixture(mixture, dimension))
    dataset = xr.Dataset(variables, {"ratio": list(config.features_per_dimension)})
    return dataset.assign(input_dimension=dimension, bayes_error=bayes, bayes_error_sem=error)


def _projection(config, mixture, dimension, features, rng):
    """Return the best readout of one projection."""
    projection, activation = random_projection(rng, dimension, features), as_activation(config.activation)
    overlaps = noise_overlaps(mixture, projection)
    distribution = {"overlap_order": config.overlap_order, "activation": activation}
    readout = optimal_readout(mixture, projection, overlaps, **distribution)
    tried = simulate_readout(
        mixture, projection, readout, samples=config.simulated_samples, rng=rng, activation=activation
    )
    return {
        "pmse": readout.pmse,
        "class_error": readout.class_error,
        "simulated_pmse": tried.pmse,
        "simulated_pmse_sem": tried.pmse_error,
        "simulated_class_error": tried.class_error,
        "simulated_class_error_sem": tried.class_error_error,
    }
