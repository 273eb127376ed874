"""Points of a circle mixture in the plane of its means."""

import numpy as np
import xarray as xr

from twolayer.config import MixtureSample
from twolayer.model.mixtures import circle


def run(config: MixtureSample) -> xr.Dataset:
    """Cluster means, and the same number of points of each cluster."""
    mixture = circle(config.clusters_per_class, config.sigma**2)
    clusters, plane = mixture.means.shape
    rng = np.random.default_rng(config.seed)
    noise = config.sigma * rng.standard_normal((clusters, config.samples, plane))
    return xr.Dataset(
        {
            "points": (("cluster", "sample", "axis"), mixture.means[:, None, :] + noise),
            "means": (("cluster", "axis"), mixture.means),
            "labels": ("cluster", mixture.labels),
            "sigma": config.sigma,
        }
    )
