"""The published conditional generator."""

from pathlib import Path

import xarray as xr

from twolayer.experiments.generated_images.image_moments import image_moments
from twolayer.experiments.generated_images.parameters import PublishedConditionalGan
from twolayer.model.data.images import load
from twolayer.model.generators.published_generators import published_generator
from twolayer.results.conditional_generator import generator_to_dataset


def run(config: PublishedConditionalGan, images: Path) -> xr.Dataset:
    """Return the weights of the generator, and the moments of its training images."""
    generator = published_generator(images, config.dataset)
    parameters = sum(weights.numel() for weights in generator.parameters())
    learned = generator_to_dataset(generator, generator.hidden, generator.channels)
    return learned.merge(image_moments(*load(images, config.dataset, "train"))).assign(parameters=parameters)
