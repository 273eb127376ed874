"""Points of a mixture in the space of its means."""

import numpy as np
import xarray as xr

from twolayer.experiments.mixture_inputs.parameters import MixtureSample
from twolayer.experiments.mixture_inputs.shapes import build


def run(config: MixtureSample) -> xr.Dataset:
    """Return cluster means, and the same number of points of each cluster."""
    mixture = build(config.geometry, config.sigma)
    clusters, axes = mixture.means.shape
    rng = np.random.default_rng(config.seed)
    noise = np.sqrt(mixture.variances)[:, None, None] * rng.standard_normal((clusters, config.samples, axes))
    return xr.Dataset(
        {
            "points": (("cluster", "sample", "axis"), mixture.means[:, None, :] + noise),
            "means": (("cluster", "axis"), mixture.means),
            "labels": ("cluster", mixture.labels),
            "sigma": config.sigma,
        }
    )
