"""A mixture with random means and a random covariance."""

import numpy as np
import xarray as xr

from twolayer.experiments.mixture_inputs.parameters import RandomMixture
from twolayer.model.mixtures.standard_mixtures import random_mixture
from twolayer.results.mixture import spectral_to_dataset


def run(config: RandomMixture) -> xr.Dataset:
    """Return the mixture in the eigenbasis of its covariance."""
    rng = np.random.default_rng(config.seed)
    mixture, _ = random_mixture(rng, config.input_dimension, config.clusters_per_class)
    return spectral_to_dataset(mixture)
