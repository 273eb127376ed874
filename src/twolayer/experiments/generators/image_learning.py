"""What the tasks that train a generator on images have in common: the images, and the result."""

from pathlib import Path

import numpy as np
import torch
import xarray as xr
from torch import Tensor

from twolayer.errors import ConfigError
from twolayer.experiments.generators.parameters import TrainedFlow, TrainedGenerator
from twolayer.model.data.images import TITLES, load, square_images
from twolayer.model.generators.latent_generators import LatentGenerator
from twolayer.results.generator import EXAMPLES, generated_images, latent_generator_to_dataset


def training_images(config: TrainedGenerator | TrainedFlow, images: Path) -> np.ndarray:
    """(n, colours, size, size) uint8.

    Raises:
        ConfigError: there are fewer than a batch.
    """
    pixels, _ = load(images, config.dataset, "train")
    if len(pixels) < config.batch_size:
        raise ConfigError(f"batch_size is {config.batch_size}: there are {len(pixels)} images, take fewer at a time")
    return square_images(pixels, config.size, config.grey)


def flat(pixels: np.ndarray, device: torch.device) -> Tensor:
    """(n, N), as generators give images."""
    return torch.from_numpy(pixels.reshape(len(pixels), -1)).to(device)


def learned(
    generator: LatentGenerator, course: xr.Dataset, pixels: np.ndarray, config: TrainedGenerator | TrainedFlow
) -> xr.Dataset:
    """The trained generator, the losses on its way, and examples, see `with_examples`."""
    result = with_examples(generator, pixels, config.seed, f"{len(pixels):,} images of {TITLES[config.dataset]}")
    return xr.merge([result, course], combine_attrs="no_conflicts")


def with_examples(generator: LatentGenerator, pixels: np.ndarray, seed: int, trained_on: str) -> xr.Dataset:
    """A generator with examples: originals in [-1, 1], and generated ones.

    Args:
        pixels: (n, colours, size, size) uint8, that it learned from. seed: of the examples.
        trained_on: the same in words, for a title.
    """
    rng = np.random.default_rng(seed)
    real = pixels[rng.choice(len(pixels), min(EXAMPLES, len(pixels)), replace=False)] / 127.5 - 1
    original = xr.DataArray(real, dims=("training_example", "colour", "row", "column"))
    generated = generated_images(generator, rng)
    examples = {
        "original": original,
        "generated": generated,
        "brightness_gap": abs(generated.mean() - original.mean()),
        "images": len(pixels),
    }
    return latent_generator_to_dataset(generator).assign(examples).assign_attrs(trained_on=trained_on)
