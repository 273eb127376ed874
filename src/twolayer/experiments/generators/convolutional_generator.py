"""A convolutional generator with random weights."""

import numpy as np
import torch
import xarray as xr

from twolayer.experiments.generators.parameters import RandomConvolutions
from twolayer.model.generators.convolutional_generator import ConvolutionalGenerator, calibrate
from twolayer.results.generator import generated_images, latent_generator_to_dataset, made_from


def run(config: RandomConvolutions) -> xr.Dataset:
    """Return the weights and statistics of the generator, and examples of its images."""
    sizes = {name: value for name, value in vars(config).items() if name != "seed"}
    generator = made_from(config.seed, ConvolutionalGenerator, **sizes)
    calibrate(generator, torch.Generator().manual_seed(config.seed))
    images = generated_images(generator, np.random.default_rng(config.seed))
    return latent_generator_to_dataset(generator).assign(generated=images)
