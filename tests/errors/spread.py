"""Comparison of a stated standard error with the spread of repeated draws, from both sides."""

from collections.abc import Callable

import numpy as np
from scipy.stats import chi2

_FALSE_ALARM = 1e-5  # probability that a correct standard error fails in one comparison, for normal estimates
_WIDEST = 2.0  # ratio of the spread to the stated error that every comparison must detect


def limits(freedom: float, comparisons: int = 1) -> tuple[float, float]:
    """Smallest and largest allowed ratio of the spread to the stated error, for that many degrees of freedom."""
    chance = _FALSE_ALARM / comparisons
    low, high = np.sqrt(chi2.ppf([chance / 2, 1 - chance / 2], freedom) / freedom)
    return float(low), float(high)


def repeated(draw: Callable[[int], tuple], draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and stated errors (draws, points) of an estimate that is drawn with the seeds 0, 1, ..."""
    found = [[np.ravel(part).astype(float) for part in draw(seed)] for seed in range(draws)]
    values, errors = (np.array(part) for part in zip(*found, strict=True))
    return values, np.broadcast_to(errors, values.shape)


def assert_spread(
    values: np.ndarray, errors: np.ndarray, *, expected: float | np.ndarray | None = None, independent: int = 1
) -> None:
    """Compare the spread of the values with the stated errors, at each point and for all points together.

    The mean square deviation of a normal estimate, divided by its variance and multiplied by the degrees of freedom,
    has a chi-square distribution. The limits follow from its quantiles.

    Args:
        values, errors: (draws, points).
        expected: the mean of the values where it is known, by default the mean of the draws.
        independent: number of points that are independent of each other. Other points narrow no limit.
    """
    freedom = len(values) if expected is not None else len(values) - 1
    centre = values.mean(axis=0) if expected is None else expected
    ratios = np.sum((values - centre) ** 2, axis=0) / freedom / np.mean(errors**2, axis=0)
    _assert_within(float(np.sqrt(ratios.mean())), limits(freedom * independent), "all points")
    for point, ratio in enumerate(np.sqrt(ratios)):
        _assert_within(float(ratio), limits(freedom, len(ratios)), f"point {point}")


def _assert_within(ratio, allowed, where):
    low, high = allowed
    assert 1 / _WIDEST < low < high < _WIDEST, "too few draws to detect a wrong standard error"
    assert low < ratio < high, f"{where}: the spread is {ratio:.3g} stated errors (allowed: {low:.3g} to {high:.3g})"
