"""Samples of two classes of generated images with noise."""

from collections.abc import Callable

import numpy as np
import torch
import xarray as xr

from twolayer.experiments.generated_images.parameters import ImageSweep, ImageTheory
from twolayer.model.mixtures.noisy_images import ClassMoments, noisy_images
from twolayer.model.mixtures.spiked_mixtures import Samples, component_labels
from twolayer.model.random.streams import Stream
from twolayer.results.conditional_generator import generate, generator_from_dataset


def image_source(
    config: ImageSweep | ImageTheory, generator: xr.Dataset, statistics: xr.Dataset
) -> Callable[[int, Stream], Samples]:
    """Return a source of samples, half of them from either class of the statistics."""
    network, classes = generator_from_dataset(generator, torch.device("cpu")), statistics["class"].values
    moments = [ClassMoments(*pair) for pair in zip(statistics["mean"].values, statistics.trace.values, strict=True)]
    dimension = statistics.sizes["pixel"]

    def samples(size, stream):
        sizes = np.array([size // 2, size - size // 2])
        images = [generate(network, int(label), count, stream) for label, count in zip(classes, sizes, strict=True)]
        inputs = noisy_images(stream, images, moments, dimension, config.keep_means)
        return Samples(inputs, component_labels(sizes))

    return samples
