"""Smoothed densities of the features on the circle."""

import numpy as np
import xarray as xr

from twolayer.experiments.circle.parameters import FeatureDensity
from twolayer.results.descents import flow_quantiles, snapshots_at
from twolayer.simulation.mean_field.distances import smoothed_density


def run(config: FeatureDensity, descent: xr.Dataset, flow: xr.Dataset) -> xr.Dataset:
    """Return the densities of a network for each seed, and of its mean-field limit with the same kernel."""
    angles = -np.pi + (np.arange(config.points) + 0.5) * 2 * np.pi / config.points
    kept = snapshots_at(descent.feature_angle, config.iterations).values
    limit = flow_quantiles(flow, float(descent.ridge), str(descent.regularization.item()))
    quantiles = limit.sel(iteration=list(config.iterations))
    return xr.Dataset(
        {
            "density": (("seed", "iteration", "angle"), _densities(kept, angles, config.bandwidth)),
            "flow_density": (("iteration", "angle"), _densities(quantiles.values, angles, config.bandwidth)),
        },
        coords={"seed": descent.seed, "iteration": list(config.iterations), "angle": angles},
    )


def _densities(features, angles, bandwidth):
    return np.apply_along_axis(smoothed_density, -1, features, angles, bandwidth)
