"""A mixture with the same noise in every direction."""

import xarray as xr

from twolayer.experiments.mixture_inputs.parameters import IsotropicClusters
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.results.mixture import isotropic_to_dataset


def run(config: IsotropicClusters) -> xr.Dataset:
    """Return the clusters in orthonormal coordinates of the space that their means span."""
    mixture = build(config.geometry, config.sigma, config.input_dimension)
    return isotropic_to_dataset(mixture, config.input_dimension)
