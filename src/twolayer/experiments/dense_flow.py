"""A dense normalising flow of random weights."""

import xarray as xr

from twolayer.config import RandomFlow
from twolayer.experiments.latent_generator_results import latent_generator_to_dataset, made_from
from twolayer.model.flows import DenseFlow


def run(config: RandomFlow) -> xr.Dataset:
    """Its weights and permutations."""
    flow = made_from(config.seed, DenseFlow, dimension=config.dimension, couplings=config.couplings)
    return latent_generator_to_dataset(flow)
