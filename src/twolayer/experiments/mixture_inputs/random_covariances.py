"""A mixture with random means, and a random covariance of each cluster."""

import numpy as np
import xarray as xr

from twolayer.experiments.mixture_inputs.parameters import RandomCovariances
from twolayer.model.mixtures.standard_mixtures import random_mixture
from twolayer.results.mixture import spectral_to_dataset


def run(config: RandomCovariances) -> xr.Dataset:
    """Return the mixture, with an eigenbasis for each covariance."""
    rng = np.random.default_rng(config.seed)
    size = config.input_dimension, config.clusters_per_class
    return spectral_to_dataset(random_mixture(rng, *size, custom_covariances=True)[0])
