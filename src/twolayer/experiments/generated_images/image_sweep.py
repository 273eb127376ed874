"""Errors of networks after one gradient step on noisy images of two classes, and of their Hermite models."""

import xarray as xr

from twolayer.experiments.generated_images.image_samples import image_source
from twolayer.experiments.generated_images.parameters import ImageSweep
from twolayer.experiments.one_step import one_step_data
from twolayer.experiments.one_step.one_step_simulation import errors_along
from twolayer.simulation.one_step.gradient_step import Data


def run(config: ImageSweep, generator: xr.Dataset, statistics: xr.Dataset) -> xr.Dataset:
    """Return errors at every point, for the classes of the statistics, and the size of the generator and of its
    images."""
    samples, dimension = image_source(config, generator, statistics), statistics.sizes["pixel"]

    def draw(_, stream):
        sets = [
            samples(size, stream)
            for size in (config.samples, config.samples, one_step_data.TEST_SAMPLES * config.samples)
        ]
        return Data(*sets, trace=2 * dimension, scale=1.0)  # images and noise have a variance of n each

    def degree_and_step(point, _):
        return config.degree, dimension ** point.get("step_exponent", config.step_exponent)

    return errors_along(config, draw, degree_and_step).assign(generator[["images", "parameters"]].data_vars)
