"""Averages over runs, and over points for the check type `pooled`."""

from collections.abc import Iterable

import numpy as np
import xarray as xr
from scipy.stats import norm


def mean_and_error(samples: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the mean over runs, and the standard error of this mean."""
    return samples.mean("seed"), samples.std("seed", ddof=1) / np.sqrt(samples.sizes["seed"])


def largest_of(count: int, chance: float) -> float:
    """Return the bound that the largest of `count` absolute normal numbers exceeds with this probability."""
    return float(norm.isf(chance / (2 * count)))


def as_draws(value: xr.DataArray, reference: xr.DataArray) -> xr.DataArray:
    """Convert points with independent errors to draws of one number, with the value in units of the reference.

    The number is 1 if the two sides agree. The weight of a point is the size of its reference, so that points with
    small references, whose relative errors are large, do not dominate.

    Args:
        value: at points whose errors are independent, such as errors on fresh samples. reference: at the same points.

    Returns:
        One draw for each point, along `seed`.
    """
    value, reference = xr.align(*xr.broadcast(value, reference), join="inner")
    draws = 1 + (value - reference) / abs(reference).mean()
    return xr.DataArray(draws.values.ravel(), dims="seed")


def joined(draws: Iterable[xr.DataArray]) -> xr.DataArray:
    """Join the draws of several comparisons."""
    return xr.DataArray(np.concatenate([one.values for one in draws]), dims="seed")
