"""Colours and short names in the figures of Gaussian mixtures."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from twolayer.figures.style import BLUE, PURPLE, RED

NETWORK, FEATURES, KERNEL, BAYES = BLUE, RED, PURPLE, "black"
CLASSES = {-1: BLUE, 1: RED}
DATA_SETS = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST"}
REGIMES = {"low": "low SNR", "high": "high SNR", "mixed": "mixed SNR"}


LEAST_POWER = 8  # smallest D sigma^2 at which the kernel theory of weak means is drawn


def valid(theory: xr.Dataset) -> xr.Dataset:
    """Return the kernel theory of weak means where its corrections, of order 1 / (D sigma^2), are small."""
    return theory.isel(sigma=np.flatnonzero(theory.input_dimension * theory.sigma**2 >= LEAST_POWER))


def label_classes(axes: Axes) -> None:
    """Add entries of the legend for the two classes."""
    for label, colour in CLASSES.items():
        axes.scatter([], [], s=12, color=colour, label=f"$y={label:+d}$")
