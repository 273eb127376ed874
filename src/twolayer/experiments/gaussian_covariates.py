"""Gaussian covariates with variances that fall like a power."""

import xarray as xr

from twolayer.config import GaussianCovariates
from twolayer.experiments.covariate_results import covariates_to_dataset
from twolayer.model.covariates import power_law_covariates


def run(config: GaussianCovariates) -> xr.Dataset:
    """The covariances."""
    return covariates_to_dataset(power_law_covariates(config.dimension, config.exponent))
