"""A mixture with the same noise in every direction."""

import xarray as xr

from twolayer.experiments.mixtures.geometry import build
from twolayer.experiments.mixtures.parameters import IsotropicClusters
from twolayer.results.mixture import isotropic_to_dataset


def run(config: IsotropicClusters) -> xr.Dataset:
    """The clusters in orthonormal coordinates of the space that holds their means."""
    mixture = build(config.geometry, config.sigma, config.input_dimension)
    return isotropic_to_dataset(mixture, config.input_dimension)
