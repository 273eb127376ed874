"""Moments of two classes of generated images, and examples."""

import numpy as np
import xarray as xr

from twolayer.experiments.generated_images.parameters import ClassStatistics
from twolayer.model.generators.conditional_generator import PIXELS
from twolayer.model.mixtures.noisy_images import centred_images, class_moments, noisy_images
from twolayer.model.random.streams import Stream
from twolayer.progress import track
from twolayer.results.conditional_generator import generate, generated_batches, generator_from_dataset
from twolayer.simulation.training.devices import device_named

JUDGED_IMAGES = 1000  # number of images of each class for the accuracy


def run(config: ClassStatistics, generator: xr.Dataset) -> xr.Dataset:
    """Return mean and trace of each class, its separation from the other class, and examples: original, centred, noisy.

    `noisy_power` is the mean power of a pixel, for other images than the moments. Its standard error includes both sets
    of images, because the trace that scales the images also has a standard error.
    """
    network, classes = generator_from_dataset(generator, device_named(config.device)), list(config.classes)
    learned = generator.sel({"class": classes})
    *streams, stream = (Stream(rng) for rng in np.random.default_rng(config.seed).spawn(3))
    moments = [
        class_moments(track(generated_batches(network, label, config.samples, numbers), f"class {label}, batches"))
        for label, numbers in zip(classes, streams, strict=True)
    ]
    images = [generate(network, label, config.examples, stream) for label in classes]
    noisy = noisy_images(stream, images, moments, PIXELS**2, keep_means=False)
    examples = {"generated": images, "centred": centred_images(images, moments, False), "noisy": np.split(noisy, 2)}
    shape = len(classes), config.examples, PIXELS, PIXELS
    means, traces = (np.array([getattr(moment, name) for moment in moments]) for name in ("mean", "trace"))
    distances = np.linalg.norm(means - means.mean(axis=0), axis=1)
    nearest_mean_accuracy = _nearest_mean_accuracy(network, classes, learned.image_mean.values, stream)
    powers = _noisy_powers(network, classes, moments, stream)
    return xr.Dataset(
        {
            "mean": (("class", "pixel"), means),
            "distance": ("class", distances),
            "trace": ("class", traces),
            "trace_fraction": ("class", traces / learned.image_trace.values),
            "nearest_mean_accuracy": ("class", nearest_mean_accuracy),
            "noisy_power": ("class", powers.mean(axis=1)),
            "noisy_power_sem": ("class", powers.std(axis=1, ddof=1) * np.sqrt(1 / JUDGED_IMAGES + 1 / config.samples)),
            **{name: (("class", "example", "row", "column"), np.reshape(v, shape)) for name, v in examples.items()},
            **generator[["images", "parameters"]].data_vars,
        },
        coords={"class": classes},
    )


def _nearest_mean_accuracy(network, classes, means, stream):
    """Return the fraction of either class's images that are closer to the mean of their class than to the other
    mean."""
    fractions = []
    for label, mean, other in zip(classes, means, means[::-1], strict=True):
        images = generate(network, label, JUDGED_IMAGES, stream)
        fractions.append(np.mean(images @ (mean - other) > (mean @ mean - other @ other) / 2))
    return np.array(fractions)


def _noisy_powers(network, classes, moments, stream):
    """Return mean squares (class, image) over the pixels of images with noise."""
    images = [generate(network, label, JUDGED_IMAGES, stream) for label in classes]
    noisy = noisy_images(stream, images, moments, PIXELS**2, keep_means=False)
    return np.mean(noisy**2, axis=1).reshape(2, JUDGED_IMAGES)
