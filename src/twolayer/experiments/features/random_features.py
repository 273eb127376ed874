"""Error of random features against the noise of a mixture, in closed form and on fresh samples."""

from functools import partial

import numpy as np
import xarray as xr

from twolayer.experiments.features.parameters import RandomFeatures
from twolayer.experiments.mixture_inputs.bayes_errors import bayes_errors
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.experiments.sweeps import sweep, unconverged
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.feature_count import feature_count
from twolayer.progress import track
from twolayer.simulation.features.random_features import simulate_readout
from twolayer.theory.mixtures.random_features import optimal_readout, projection_overlaps, random_projection

_CLOSED = ("pmse", "class_error", "converged")
_SIMULATED = (
    "closed_pmse",
    "closed_class_error",
    "simulated_pmse",
    "simulated_pmse_sem",
    "simulated_class_error",
    "simulated_class_error_sem",
    "closed_converged",
)


def run(config: RandomFeatures) -> xr.Dataset:
    """Return errors of every projection at every noise level, and simulated errors at the simulated levels."""
    ratios = list(config.features_per_dimension)
    streams = np.random.default_rng(config.seed).spawn(len(ratios))
    with sweep() as point:
        found = [_ratio(config, *one, point) for one in zip(ratios, streams, strict=True)]
    dataset = xr.concat(found, "ratio")
    least = bayes_errors(config.geometry, np.array(config.sigma), config.input_dimension)
    return dataset.assign(least).assign_coords(ratio=ratios).assign(input_dimension=config.input_dimension)


def _ratio(config, ratio, rng, point):
    """Return the results of all projections with this number of features per input dimension."""
    features = feature_count(ratio, config.input_dimension)
    streams = track(rng.spawn(config.projections), "projections")
    projections = [
        _projection(config, features, stream, partial(point, ratio=ratio, projection=number))
        for number, stream in enumerate(streams)
    ]
    return xr.concat(projections, "projection")


def _projection(config, features, rng, point):
    """Return the results of one projection."""
    projection = config.weight_scale * random_projection(rng, config.input_dimension, features)
    overlaps = projection_overlaps(projection)
    activation = as_activation(config.activation)

    def best(sigma):
        mixture, order = build(config.geometry, sigma, config.input_dimension), config.overlap_order
        return mixture, optimal_readout(mixture, projection, overlaps, overlap_order=order, activation=activation)

    rows = unconverged(len(_CLOSED), [len(config.sigma)]).T
    for row, sigma in zip(rows, config.sigma, strict=True):
        with point(sigma=sigma):
            _, readout = best(sigma)
            row[:] = readout.pmse, readout.class_error, 1.0
    dataset = _columns(rows, _CLOSED, sigma=config.sigma)
    if config.simulated_sigma is None:
        return dataset
    rows = unconverged(len(_SIMULATED), [len(config.simulated_sigma)]).T
    for row, sigma in zip(rows, config.simulated_sigma, strict=True):
        with point(closed_sigma=sigma):
            mixture, readout = best(sigma)
            errors = simulate_readout(
                mixture, projection, readout, samples=config.simulated_samples, rng=rng, activation=activation
            )
            row[:] = readout.pmse, readout.class_error, *vars(errors).values(), 1.0
    return dataset.merge(_columns(rows, _SIMULATED, closed_sigma=config.simulated_sigma))


def _columns(rows, names, **axis):
    """Return variables (points, variables) along an axis, name=points."""
    (along,) = axis
    return xr.Dataset(
        {name: (along, column) for name, column in zip(names, rows.T, strict=True)}, {along: list(axis[along])}
    )
