"""Averages over runs, with their errors."""

import numpy as np
import pytest

from twolayer.figures.averages import median_with_error


@pytest.mark.parametrize("draw", ["lognormal", "exponential", "standard_normal"])
@pytest.mark.parametrize("size", [50, 294, 1001])
def test_the_error_of_a_median_is_the_spread_of_medians(draw, size):
    """From both sides, to a sixth: the error of the mean error over 400 draws is below five percent."""
    rng = np.random.default_rng(size)
    found = [median_with_error(getattr(rng, draw)(size=size), "time") for _ in range(400)]
    errors = np.array([float(one.time_sem) for one in found])
    assert np.std([float(one) for one in found]) / errors.mean() == pytest.approx(1, abs=0.17)


def test_a_part_of_the_samples_may_be_infinite():
    samples = np.concatenate([np.arange(1.0, 71.0), np.full(30, np.inf)])
    found = median_with_error(samples, "time")
    assert float(found) == 50.5
    assert 4 < float(found.time_sem) < 6
