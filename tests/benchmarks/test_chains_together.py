"""The order-parameter chains of 8 and of 64 networks at once, 2000 steps each, against one after the other."""

import numpy as np
import pytest

from twolayer.model.activations import RELU
from twolayer.model.learning import Learning
from twolayer.model.mixtures import circle
from twolayer.simulation.chains_together import order_parameter_chains
from twolayer.simulation.order_parameter_chain import order_parameter_chain
from twolayer.theory.mixture_equations import IsotropicState

N, STEPS = 1000, 2000
RULES = Learning(0.1, 0.01, False)


def state(hidden):
    weights = np.random.default_rng(0).standard_normal((hidden, hidden + 2)) / 10
    v = np.where(np.arange(hidden) % 2, -1.0, 1.0)
    return IsotropicState(weights @ weights.T, weights[:, :2].T.copy(), v)


def together(start, mixture, networks, options):
    rng = np.random.default_rng(1)
    return order_parameter_chains(mixture, [start] * networks, [RULES] * networks, **options, rng=rng).Q[-1]


def alone(start, mixture, networks, options):
    streams = np.random.default_rng(2).spawn(networks)
    return np.array([order_parameter_chain(mixture, start, RULES, **options, rng=rng).Q[-1] for rng in streams])


@pytest.mark.benchmark(group="chains of order parameters, 2000 steps")
@pytest.mark.parametrize("hidden", [2, 8])
@pytest.mark.parametrize("networks", [8, 64])
@pytest.mark.parametrize("ours", [together, alone])
def test_chains(benchmark, ours, networks, hidden):
    options = {"activation": RELU, "dimension": N, "times": np.array([STEPS / N])}
    found = benchmark(ours, state(hidden), circle(2, 0.5), networks, options)
    assert np.all(np.isfinite(found))
