"""Gaussian covariates with variances that follow a power law."""

import xarray as xr

from twolayer.experiments.feature_covariances.parameters import GaussianFeatureCovariances
from twolayer.model.teachers.feature_covariances import power_law_covariances
from twolayer.results.feature_covariances import gaussian_to_dataset


def run(config: GaussianFeatureCovariances) -> xr.Dataset:
    """Return the covariances."""
    return gaussian_to_dataset(power_law_covariances(config.dimension, config.exponent))
