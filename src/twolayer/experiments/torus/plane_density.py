"""Smoothed densities of the features on the torus.

As in the paper the kernel knows nothing of the torus: what it smears over an edge of the cell is lost.
"""

import numpy as np
import xarray as xr
from scipy.stats import gaussian_kde

from twolayer.experiments.torus.parameters import PlaneDensity
from twolayer.model.torus import HALF_PERIOD
from twolayer.progress import track
from twolayer.results.snapshots import snapshots_at


def run(config: PlaneDensity, descent: xr.Dataset) -> xr.Dataset:
    """Densities at the snapshots of a network."""
    axis = np.linspace(-HALF_PERIOD, HALF_PERIOD, config.points)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij")).reshape(2, -1)
    features = snapshots_at(descent.feature, config.iterations).values
    density = [gaussian_kde(points.T)(grid).reshape(len(axis), -1) for points in track(features, "densities")]
    return xr.Dataset(
        {"density": (("iteration", "x", "y"), np.stack(density).astype(np.float32))},
        coords={"iteration": list(config.iterations), "x": axis, "y": axis},
    )
