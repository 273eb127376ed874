"""Images and results that all tasks for training a generator on images share."""

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
    """Return the training images (n, colours, size, size) uint8.

    Raises:
        ConfigError: there are fewer images than one batch.
    """
    pixels, _ = load(images, config.dataset, "train")
    if len(pixels) < config.batch_size:
        raise ConfigError(f"batch_size is {config.batch_size}: use at most {len(pixels)}, the number of images")
    return square_images(pixels, config.size, config.grey)


def flat(pixels: np.ndarray, device: torch.device) -> Tensor:
    """Return images (n, N) in the form of a generator's outputs."""
    return torch.from_numpy(pixels.reshape(len(pixels), -1)).to(device)


def learned(
    generator: LatentGenerator, course: xr.Dataset, pixels: np.ndarray, config: TrainedGenerator | TrainedFlow
) -> xr.Dataset:
    """Return the trained generator, the losses during training, and examples, see `with_examples`."""
    result = with_examples(generator, pixels, config.seed, f"{len(pixels):,} images of {TITLES[config.dataset]}")
    return xr.merge([result, course], combine_attrs="no_conflicts")


def with_examples(generator: LatentGenerator, pixels: np.ndarray, seed: int, trained_on: str) -> xr.Dataset:
    """Return a generator with examples: original images in [-1, 1], and generated ones.

    Args:
        pixels: (n, colours, size, size) uint8, the training images. seed: seed of the examples.
        trained_on: description of the training images, for a title.
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
