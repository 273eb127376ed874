"""A dense normalising flow with random weights."""

import xarray as xr

from twolayer.experiments.generators.parameters import RandomFlow
from twolayer.model.generators.flows import DenseFlow
from twolayer.results.generator import latent_generator_to_dataset, made_from


def run(config: RandomFlow) -> xr.Dataset:
    """Return the weights and permutations of the flow."""
    flow = made_from(config.seed, DenseFlow, dimension=config.dimension, couplings=config.couplings)
    return latent_generator_to_dataset(flow)
