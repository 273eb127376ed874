"""Steps of online SGD on the XOR mixture: SGD in order parameters, the weights compiled, and textbook numpy.

One round is 5000 steps of one network, or 500 steps of each of 64. Only SGD in order parameters allows a million
inputs.
"""

import numpy as np
import pytest

from twolayer.model.mixtures.standard_mixtures import xor
from twolayer.model.networks.activations import RELU
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.simulation.mixtures.online_sgd import online_sgd
from twolayer.simulation.mixtures.order_parameter_sgd import order_parameter_paths
from twolayer.theory.mixtures.mixture_equations import IsotropicState

STEPS, MIXTURE = 5000, xor(0.05)
NETWORKS, THEIR_STEPS = 64, 500
LEARNING_RATE, WEIGHT_DECAY = 0.1, 0.01


def textbook(W, v, dimension, steps=STEPS):
    rng, means, cumulative = np.random.default_rng(2), MIXTURE.embed(dimension).means, np.cumsum(MIXTURE.weights)
    decay = 1 - LEARNING_RATE * WEIGHT_DECAY / dimension
    for _ in range(steps):
        cluster = np.searchsorted(cumulative, rng.random(), side="right")
        x = means[cluster] + np.sqrt(MIXTURE.variance) * rng.standard_normal(dimension)
        fields = W @ x / np.sqrt(dimension)
        error = MIXTURE.labels[cluster] - v @ np.maximum(fields, 0)
        gain = LEARNING_RATE / np.sqrt(dimension) * error * v * (fields > 0)
        v = decay * v + LEARNING_RATE / dimension * error * np.maximum(fields, 0)
        W = decay * W + np.outer(gain, x)
    return W @ W.T / dimension


def compiled(W, v, dimension):
    mixture, times, rng = MIXTURE.embed(dimension), np.array([STEPS / dimension]), np.random.default_rng(2)
    run = online_sgd(mixture, Network(W, v, RELU), Learning(LEARNING_RATE, WEIGHT_DECAY), times=times, rng=rng)
    return run.Q[0] / MIXTURE.variance


def chain(W, v, dimension, steps=STEPS, networks=1):
    starts = [IsotropicState.of_network(Network(W, v, RELU), 2)] * networks
    times, rng = np.array([steps / dimension]), np.random.default_rng(2)
    options = {"activation": RELU, "dimension": dimension, "times": times, "rng": rng}
    return order_parameter_paths(MIXTURE, starts, Learning(LEARNING_RATE, WEIGHT_DECAY), **options)[0].Q[0]


def start(hidden):
    """Weights in 500 dimensions, whose overlaps serve the chain in a million as well."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((hidden, 500)), rng.standard_normal(hidden)


@pytest.mark.benchmark(group="online SGD of a mixture, 5000 steps")
@pytest.mark.parametrize("hidden", [4, 8, 16, 32])
@pytest.mark.parametrize(("steps", "dimension"), [(chain, 500), (chain, 1_000_000), (compiled, 500), (textbook, 500)])
def test_steps(benchmark, steps, dimension, hidden):
    W, v = start(hidden)
    Q = benchmark(lambda: steps(W, v, dimension))
    if dimension == 500:  # SGD in order parameters agrees in distribution only
        np.testing.assert_allclose(Q, compiled(W, v, 500), rtol=0, atol=0.3 if steps is chain else 1e-9)


@pytest.mark.benchmark(group="online SGD of 64 networks, 500 steps each")
@pytest.mark.parametrize("hidden", [4, 8])
@pytest.mark.parametrize("steps", [chain, textbook])
def test_many_networks(benchmark, steps, hidden):
    W, v = start(hidden)
    if steps is chain:
        Q = benchmark(lambda: chain(W, v, 500, THEIR_STEPS, NETWORKS))
    else:
        networks = NETWORKS if benchmark.enabled else 1
        Q = benchmark(lambda: [textbook(W, v, 500, THEIR_STEPS) for _ in range(networks)].pop())
    np.testing.assert_allclose(Q, textbook(W, v, 500, THEIR_STEPS), rtol=0, atol=0.3 if steps is chain else 1e-9)
