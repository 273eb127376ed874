"""The published convolutional generator."""

from pathlib import Path

import xarray as xr

from twolayer.experiments.generators.image_learning import with_examples
from twolayer.experiments.generators.parameters import PublishedGenerator
from twolayer.model.data.images import SIZE, TITLES, load, square_images
from twolayer.model.generators.published_generators import published_generator


def run(config: PublishedGenerator, images: Path) -> xr.Dataset:
    """Return the weights of the published generator, and examples of its training images and of generated images."""
    generator = published_generator(images, config.dataset)
    pixels = square_images(load(images, config.dataset, "train")[0], SIZE)
    return with_examples(generator, pixels, config.seed, f"{TITLES[config.dataset]}, as published")
