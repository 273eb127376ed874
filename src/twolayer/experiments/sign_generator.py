"""A random network of sign units."""

import xarray as xr

from twolayer.config import SignGenerator
from twolayer.experiments.latent_generator_results import latent_generator_to_dataset, made_from
from twolayer.model.sign_network import SignNetwork


def run(config: SignGenerator) -> xr.Dataset:
    """Its weights."""
    return latent_generator_to_dataset(made_from(config.seed, SignNetwork, widths=config.widths))
