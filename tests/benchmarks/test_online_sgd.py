"""Steps of online SGD, compiled against textbook numpy: four hidden units, one round is 2000 steps."""

from functools import cache

import numpy as np
import pytest

from twolayer.model.mixtures.standard_mixtures import random_mixture
from twolayer.model.networks.activations import RELU
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.simulation.mixtures.online_sgd import online_sgd

HIDDEN, STEPS = 4, 2000
LEARNING_RATE, WEIGHT_DECAY = 0.1, 0.01


def textbook(mixture, W, v, rng):
    cumulative, deviations = np.cumsum(mixture.weights), np.sqrt(mixture.eigenvalues)
    dimension = mixture.dimension
    decay = 1 - LEARNING_RATE * WEIGHT_DECAY / dimension
    for _ in range(STEPS):
        cluster = np.searchsorted(cumulative, rng.random(), side="right")
        x = mixture.means[cluster] + deviations * rng.standard_normal(dimension)
        fields = W @ x / np.sqrt(dimension)
        error = mixture.labels[cluster] - v @ np.maximum(fields, 0)
        gain = LEARNING_RATE / np.sqrt(dimension) * error * v * (fields > 0)
        v = decay * v + LEARNING_RATE / dimension * error * np.maximum(fields, 0)
        W = decay * W + np.outer(gain, x)
    return W


def compiled(mixture, W, v, rng):
    start, learning = Network(W, v, RELU), Learning(LEARNING_RATE, WEIGHT_DECAY)
    times = np.array([STEPS / mixture.dimension])
    return online_sgd(mixture, start, learning, times=times, rng=rng).end.W


@cache
def problem(dimension):
    mixture, _ = random_mixture(np.random.default_rng(0), dimension, 2)
    rng = np.random.default_rng(1)
    problem = mixture, rng.standard_normal((HIDDEN, dimension)), rng.standard_normal(HIDDEN)
    reference = textbook(*problem, np.random.default_rng(2))
    np.testing.assert_allclose(compiled(*problem, np.random.default_rng(2)), reference, rtol=1e-9, atol=1e-9)
    return problem


@pytest.mark.benchmark(group="online SGD, 2000 steps, K=4")
@pytest.mark.parametrize("steps", [compiled, textbook])
@pytest.mark.parametrize("dimension", [196, 784, 3136])
def test_steps(benchmark, steps, dimension):
    drawn = problem(dimension if benchmark.enabled else 196)
    benchmark(lambda: steps(*drawn, np.random.default_rng(2)))
