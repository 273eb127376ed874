"""Moments of the training images of a conditional generator, class by class."""

import numpy as np
import xarray as xr

from twolayer.model.data.images import CLASSES
from twolayer.model.mixtures.noisy_images import class_moments


def image_moments(pixels: np.ndarray, classes: np.ndarray) -> xr.Dataset:
    """Return mean and trace of the covariance of each class, of pixels from 0 to 1, and the number of images.

    Args:
        pixels: (n, H, W) uint8. classes: (n,).
    """
    flat = pixels.reshape(len(pixels), -1) / 255
    moments = [class_moments([flat[classes == label]]) for label in range(CLASSES)]
    return xr.Dataset(
        {
            "image_mean": (("class", "pixel"), np.stack([moment.mean for moment in moments])),
            "image_trace": ("class", np.array([moment.trace for moment in moments])),
            "images": len(pixels),
        },
        coords={"class": np.arange(CLASSES)},
    )
