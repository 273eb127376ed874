"""Steps of online SGD, compiled against textbook numpy: 784 inputs, four hidden units, one round is 2000 steps."""

import numpy as np
import pytest

from twolayer.model.activations import RELU
from twolayer.model.learning import Learning
from twolayer.model.mixtures import random_mixture
from twolayer.model.networks import Network
from twolayer.simulation.online_sgd import online_sgd

DIMENSION, HIDDEN, STEPS = 784, 4, 2000
LEARNING_RATE, WEIGHT_DECAY = 0.1, 0.01


def textbook(mixture, W, v, rng):
    cumulative, deviations = np.cumsum(mixture.weights), np.sqrt(mixture.eigenvalues)
    decay = 1 - LEARNING_RATE * WEIGHT_DECAY / DIMENSION
    for _ in range(STEPS):
        cluster = np.searchsorted(cumulative, rng.random(), side="right")
        x = mixture.means[cluster] + deviations * rng.standard_normal(DIMENSION)
        fields = W @ x / np.sqrt(DIMENSION)
        error = mixture.labels[cluster] - v @ np.maximum(fields, 0)
        gain = LEARNING_RATE / np.sqrt(DIMENSION) * error * v * (fields > 0)
        v = decay * v + LEARNING_RATE / DIMENSION * error * np.maximum(fields, 0)
        W = decay * W + np.outer(gain, x)
    return W


def compiled(mixture, W, v, rng):
    start, learning, times = Network(W, v, RELU), Learning(LEARNING_RATE, WEIGHT_DECAY), np.array([STEPS / DIMENSION])
    return online_sgd(mixture, start, learning, times=times, rng=rng).end.W


@pytest.fixture(scope="module")
def problem():
    mixture, _ = random_mixture(np.random.default_rng(0), DIMENSION, 2)
    rng = np.random.default_rng(1)
    problem = mixture, rng.standard_normal((HIDDEN, DIMENSION)), rng.standard_normal(HIDDEN)
    reference = textbook(*problem, np.random.default_rng(2))
    np.testing.assert_allclose(compiled(*problem, np.random.default_rng(2)), reference, rtol=1e-9, atol=1e-9)
    return problem


@pytest.mark.benchmark(group="online SGD, 2000 steps, N=784, K=4")
@pytest.mark.parametrize("steps", [compiled, textbook])
def test_steps(benchmark, problem, steps):
    benchmark(lambda: steps(*problem, np.random.default_rng(2)))
