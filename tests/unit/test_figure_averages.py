"""Averages over runs, with their errors."""

import numpy as np
import pytest
import xarray as xr
from judged import outcomes

from twolayer.figures.averages import median_with_error
from twolayer.figures.one_step.convergence import fluctuation_check


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


@pytest.mark.parametrize(("exponent", "status"), [(0.5, "pass"), (1.0, "fail"), (0.0, "fail")])
def test_fluctuations_that_do_not_fall_like_one_over_the_root_are_found(exponent, status):
    rng, sizes = np.random.default_rng(0), np.array([100.0, 200, 400, 1000, 4000])
    errors = [
        xr.DataArray(1 + size**-exponent * rng.standard_normal((seeds, 2, 3)), dims=("seed", "activation", "beta"))
        for size, seeds in zip(sizes, (100, 60, 30, 12, 4), strict=True)
    ]
    (outcome,) = outcomes([fluctuation_check(sizes, errors, "network")])
    assert outcome.status == status
