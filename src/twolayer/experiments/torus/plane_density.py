"""Smoothed densities of the features on the torus.

As in the paper, the kernel is not periodic: density that it spreads over an edge of the cell is lost.
"""

import numpy as np
import xarray as xr
from scipy.stats import gaussian_kde

from twolayer.experiments.torus.parameters import PlaneDensity
from twolayer.model.teachers.teacher_distributions import HALF_PERIOD
from twolayer.progress import track
from twolayer.results.descents import snapshots_at


def run(config: PlaneDensity, descent: xr.Dataset) -> xr.Dataset:
    """Return densities at the snapshots of a network, and their properties from the features."""
    axis = np.linspace(-HALF_PERIOD, HALF_PERIOD, config.points)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij")).reshape(2, -1)
    features = snapshots_at(descent.feature, config.iterations).values
    values = np.stack([gaussian_kde(points.T)(grid) for points in track(features, "densities")])
    coordinates = {"iteration": list(config.iterations), "x": axis, "y": axis}
    density = xr.DataArray(values.reshape(-1, len(axis), len(axis)), coordinates, ("iteration", "x", "y"))
    plane, cell = ["x", "y"], (axis[1] - axis[0]) ** 2
    centre = [(density * density[name]).sum(plane) / density.sum(plane) for name in plane]
    return xr.Dataset(
        {
            "density": density.astype(np.float32),
            "mean_density": (density**2).sum(plane) * cell,
            "pair_density": ("iteration", [_pair_density(points) for points in features]),
            "centre": (("axis", "iteration"), np.stack(centre)),
            "feature_centre": (("iteration", "axis"), features.mean(axis=1)),
        },
        coords={"axis": plane},
    )


def _pair_density(points):
    """Return the density averaged over itself, from points (M, 2): Gaussians of twice Scott's covariance between all
    pairs.
    """
    covariance = 2 * np.cov(points.T) * len(points) ** (-1 / 3)
    differences = (points[:, None] - points).reshape(-1, 2)
    squares = (differences @ np.linalg.inv(covariance) * differences).sum(axis=1)
    return np.exp(-squares / 2).mean() / (2 * np.pi * np.sqrt(np.linalg.det(covariance)))
