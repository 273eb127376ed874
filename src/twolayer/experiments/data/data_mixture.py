"""The mixture of Gaussians with the moments of a set."""

import xarray as xr

from twolayer.experiments.data.parameters import DataMixture
from twolayer.results.feature_covariances import dataset_labelled_data
from twolayer.results.mixture import spectral_to_dataset


def run(config: DataMixture, data: xr.Dataset) -> xr.Dataset:
    """Return the mixture in the eigenbasis of its covariance, and that basis."""
    mixture, modes = dataset_labelled_data(data).mixture(config.gaussians)
    return spectral_to_dataset(mixture).assign(modes=(("feature", "mode"), modes))
