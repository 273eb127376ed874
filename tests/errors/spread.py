"""Comparison of a stated standard error with the spread of repeated draws, from both sides."""

from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy.stats import chi2

from twolayer.experiments import TASKS
from twolayer.parameters import parse

_FALSE_ALARM = 1e-5  # probability that a correct standard error fails in one comparison, for normal estimates
_WIDEST = 2.0  # ratio of the spread to the stated error that every comparison must detect


def make(task: str, params: dict, **inputs: xr.Dataset) -> xr.Dataset:
    """Run a task."""
    return TASKS[task].run(parse(TASKS[task].parameters, params, task), **inputs)


def limits(freedom: float) -> tuple[float, float]:
    """Smallest and largest allowed ratio of the spread to the stated error, for that many degrees of freedom."""
    low, high = np.sqrt(chi2.ppf([_FALSE_ALARM / 2, 1 - _FALSE_ALARM / 2], freedom) / freedom)
    return float(low), float(high)


def repeated(draw: Callable[[int], tuple], draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and stated errors (draws, points) of an estimate that is drawn with the seeds 0, 1, ..."""
    found = [[np.ravel(part).astype(float) for part in draw(seed)] for seed in range(draws)]
    values, errors = (np.array(part) for part in zip(*found, strict=True))
    return values, np.broadcast_to(errors, values.shape)


def assert_spread(
    values: np.ndarray, errors: np.ndarray, *, expected: float | np.ndarray | None = None, independent: int = 1
) -> None:
    """The values spread as the stated errors say: neither more nor less.

    The mean square deviation of a normal estimate, divided by its variance and multiplied by the degrees of freedom,
    has a chi-square distribution. The limits follow from its quantiles.

    Args:
        values, errors: (draws, points).
        expected: the mean of the values where it is known, by default the mean of the draws.
        independent: number of points that are independent of each other. Other points narrow no limit.
    """
    draws = len(values)
    freedom = (draws if expected is not None else draws - 1) * independent
    centre = values.mean(axis=0) if expected is None else expected
    squares = np.sum((values - centre) ** 2, axis=0) / (freedom / independent)
    ratio = float(np.sqrt(np.mean(squares / np.mean(errors**2, axis=0))))
    low, high = limits(freedom)
    assert 1 / _WIDEST < low < high < _WIDEST, "too few draws to detect a wrong standard error"
    assert low < ratio < high, f"the spread is {ratio:.3g} stated errors (allowed: {low:.3g} to {high:.3g})"
