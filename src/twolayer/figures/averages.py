"""Averages over runs, and over points for the check type `pooled`."""

from collections.abc import Iterable, Sequence

import numpy as np
import xarray as xr

from twolayer.figures.significance import normal_limit


def mean_and_error(samples: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the mean over runs, and the standard error of this mean."""
    return samples.mean("seed"), samples.std("seed", ddof=1) / np.sqrt(samples.sizes["seed"])


def median_with_error(samples: np.ndarray, name: str) -> xr.DataArray:
    """Return the median of independent samples, as an array with this name, and its standard error `<name>_sem`.

    The error is half the distance of the order statistics that a count of samples below the median reaches within one
    standard deviation. It holds for any continuous distribution, and samples may be infinite.
    """
    ordered = np.sort(samples)
    middle, reach = 0.5 * (len(ordered) - 1), 0.5 * np.sqrt(len(ordered))
    low, high = (ordered[int(np.clip(round(place), 0, len(ordered) - 1))] for place in (middle - reach, middle + reach))
    return xr.DataArray(np.median(ordered), {f"{name}_sem": (high - low) / 2}, name=name)


def largest_of(count: int, chance: float) -> float:
    """Return the bound that the largest of `count` absolute normal numbers exceeds with this probability."""
    return float(normal_limit(chance / (2 * count)))


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


def spread_exponent(sizes: np.ndarray, errors: Sequence[xr.DataArray]) -> xr.DataArray:
    """Return the exponent with which a standard deviation over seeds grows with a size, and its error `exponent_sem`.

    The logarithm of a standard deviation of S normal numbers has the variance 1 / (2 (S - 1)).

    Args:
        errors: values at each of the sizes, along `seed`.
    """
    x = np.log(sizes)
    weights = np.array([2.0 * one.sizes["seed"] - 2 for one in errors])
    x = x - np.average(x, weights=weights)
    total = np.sum(weights * x**2)
    spreads = [np.log(one.std("seed", ddof=1)).reset_coords(drop=True) for one in errors]
    slope = sum(spread * factor for spread, factor in zip(spreads, weights * x / total, strict=True))
    return slope.rename("exponent").assign_coords(exponent_sem=float(total**-0.5))
