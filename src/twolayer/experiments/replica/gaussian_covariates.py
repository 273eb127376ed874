"""Gaussian covariates with variances that fall like a power."""

import xarray as xr

from twolayer.experiments.replica.parameters import GaussianCovariates
from twolayer.model.teachers.feature_covariances import power_law_covariates
from twolayer.results.covariates import gaussian_to_dataset


def run(config: GaussianCovariates) -> xr.Dataset:
    """The covariances."""
    return gaussian_to_dataset(power_law_covariates(config.dimension, config.exponent))
