"""A random network of dense layers."""

import xarray as xr

from twolayer.experiments.generators.parameters import DenseGenerator
from twolayer.model.generators.dense_network import DenseNetwork
from twolayer.results.generator import latent_generator_to_dataset, made_from


def run(config: DenseGenerator) -> xr.Dataset:
    """Return the weights of the generator."""
    network = made_from(config.seed, DenseNetwork, widths=config.widths, activation=config.activation)
    return latent_generator_to_dataset(network)
