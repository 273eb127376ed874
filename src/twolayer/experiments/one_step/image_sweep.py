"""Errors of networks after one gradient step on noisy images of two classes, and of their Hermite models."""

import numpy as np
import torch
import xarray as xr

from twolayer.experiments.one_step.one_step import sweep
from twolayer.experiments.one_step.one_step_data import TEST_SAMPLES
from twolayer.experiments.one_step.parameters import ImageSweep
from twolayer.model.noisy_images import ClassMoments, noisy_images
from twolayer.model.spiked_mixtures import Samples, component_labels
from twolayer.results.conditional_generator import generate, generator_from_dataset
from twolayer.simulation.one_step import Data


def run(config: ImageSweep, generator: xr.Dataset, statistics: xr.Dataset) -> xr.Dataset:
    """Errors at every point, for the classes of the statistics; and the size of the generator and of its images."""
    network, classes = generator_from_dataset(generator, torch.device("cpu")), statistics["class"].values
    moments = [ClassMoments(*pair) for pair in zip(statistics["mean"].values, statistics.trace.values, strict=True)]
    dimension = statistics.sizes["pixel"]

    def samples(size, stream):
        sizes = np.array([size // 2, size - size // 2])
        images = [generate(network, int(label), count, stream) for label, count in zip(classes, sizes, strict=True)]
        inputs = noisy_images(stream, images, moments, dimension, config.keep_means)
        return Samples(inputs, component_labels(sizes))

    def draw(_, stream):
        sets = [samples(size, stream) for size in (config.samples, config.samples, TEST_SAMPLES * config.samples)]
        return Data(*sets, trace=2 * dimension, scale=1.0)  # images and noise have a variance of n each

    def degree_and_step(point):
        return config.degree, dimension ** point.get("step_exponent", config.step_exponent)

    return sweep(config, draw, degree_and_step).assign(generator[["images", "parameters"]].data_vars)
