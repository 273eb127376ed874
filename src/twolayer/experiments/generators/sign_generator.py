"""A random network of sign units."""

import xarray as xr

from twolayer.experiments.generators.parameters import SignGenerator
from twolayer.model.generators.dense_network import SignNetwork
from twolayer.results.generator import latent_generator_to_dataset, made_from


def run(config: SignGenerator) -> xr.Dataset:
    """Return the weights of the generator."""
    return latent_generator_to_dataset(made_from(config.seed, SignNetwork, widths=config.widths))
