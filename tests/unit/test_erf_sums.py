"""Noise of tanh and sigmoid units from sums of erf units, against quasi-random points."""

import numpy as np
import pytest

from twolayer.model.networks.activations import as_activation
from twolayer.theory.averages.erf_sums import MOST_UNITS, sigmoid_noise, tanh_noise
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.averages.series_units import signal_products
from twolayer.theory.averages.units import unit_averages

SUMS = {"tanh": tanh_noise, "sigmoid": sigmoid_noise}


def problem(hidden, clusters=3):
    rng = np.random.default_rng(hidden)
    root = rng.standard_normal((hidden, hidden))
    labels = rng.choice([-1.0, 1.0], clusters)
    return rng.standard_normal((clusters, hidden)), root @ root.T / hidden, rng.standard_normal(hidden), labels


@pytest.mark.parametrize("hidden", [1, 2])
@pytest.mark.parametrize("name", SUMS)
def test_sums_agree_with_points(name, hidden):
    M, covariance, v, labels = problem(hidden)
    points = [sobol_nodes(hidden, 15, seed).points(covariance) for seed in range(4)]
    sampled = np.array([signal_products(as_activation(name), M, v, labels, one) for one in points])
    spread = np.abs(sampled - sampled.mean(axis=0)).max()
    summed = SUMS[name](M, covariance, v, labels)
    assert np.abs(summed - sampled.mean(axis=0)).max() <= 2 * spread + 2e-5 * np.abs(summed).max()


@pytest.mark.parametrize("name", SUMS)
def test_few_units_need_no_nodes(name):
    units = unit_averages(as_activation(name))
    assert not units.needs_nodes(MOST_UNITS)
    assert units.needs_nodes(MOST_UNITS + 1)
    M, covariance, v, labels = problem(MOST_UNITS)
    noise = units.local_fields(M, covariance, v, labels[:, None], None)[2]
    np.testing.assert_array_equal(noise, SUMS[name](M, covariance, v, labels))
