"""What the tasks that train a generator on images have in common: the images, and the result."""

from pathlib import Path

import numpy as np
import torch
import xarray as xr
from torch import Tensor

from twolayer.errors import ConfigError
from twolayer.experiments.generators.parameters import TrainedFlow, TrainedGenerator
from twolayer.model.images import TITLES, load
from twolayer.model.latent_generators import LatentGenerator
from twolayer.model.square_images import square_images
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
    """The trained generator, the losses on its way, and examples: originals in [-1, 1], and generated ones.

    The attribute `trained_on` says in words what it learned from.
    """
    rng = np.random.default_rng(config.seed)
    real = pixels[rng.choice(len(pixels), min(EXAMPLES, len(pixels)), replace=False)] / 127.5 - 1
    original = xr.DataArray(real, dims=("original_example", "colour", "row", "column"))
    generated = generated_images(generator, rng)
    examples = {
        "original": original,
        "generated": generated,
        "brightness_gap": abs(generated.mean() - original.mean()),
        "images": len(pixels),
    }
    trained_on = f"{len(pixels):,} images of {TITLES[config.dataset]}"
    result = xr.merge([latent_generator_to_dataset(generator), course], combine_attrs="no_conflicts")
    return result.assign(examples).assign_attrs(trained_on=trained_on)
