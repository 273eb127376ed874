"""Online SGD from a four-layer sign network, D = 100, N = 1000, against textbook numpy; a round is 2000 steps."""

import numpy as np
import pytest
import torch
from scipy.special import erf

from twolayer.model.generators.dense_network import SignNetwork
from twolayer.model.networks.activations import ERF
from twolayer.model.networks.learning import Learning
from twolayer.model.teachers.teacher_student import InputMoments, initial_teacher_student
from twolayer.simulation.teacher_student.generator_sgd import generator_sgd

N, D, STEPS, RATE = 1000, 100, 2000, 0.2


def textbook(generator, moments, start, rng):
    layers = [layer.numpy().astype(float) for layer in generator.layers]
    W, v, B, A = start.W.copy(), start.v.copy(), start.B, start.A
    for _ in range(STEPS):
        latent = rng.standard_normal(D)
        x = latent
        for layer in layers:
            x = np.sign(layer @ x)
        fields = W @ x / np.sqrt(N)
        delta = v @ erf(fields / np.sqrt(2)) - A @ erf(B @ latent / np.sqrt(2 * D))
        gain = RATE / np.sqrt(N) * delta * v * np.sqrt(2 / np.pi) * np.exp(-(fields**2) / 2)
        v = v - RATE / N * delta * erf(fields / np.sqrt(2))
        W = W - np.outer(gain, x)
    return W @ W.T / N


def compiled(generator, moments, start, rng):
    options = {"activation": ERF, "moments": moments, "times": np.array([STEPS / N]), "test_samples": 1}
    return generator_sgd(generator, start, Learning(RATE), **options, rng=rng).order_parameters.Q[-1]


@pytest.fixture(scope="module")
def problem():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        generator = SignNetwork([D] * 4 + [N])
    moments = InputMoments(np.zeros(N), np.zeros(D), np.eye(N), np.zeros((N, D)))
    problem = generator, moments, initial_teacher_student(np.random.default_rng(1), 2, 2, N, D)
    distribution = [
        np.mean([steps(*problem, np.random.default_rng(seed)) for seed in range(4)], axis=0)
        for steps in (compiled, textbook)
    ]
    np.testing.assert_allclose(*distribution, atol=0.02)  # other inputs, the same distribution
    return problem


@pytest.mark.benchmark(group="SGD from a sign network, 2000 steps, D=100, N=1000, K=M=2")
@pytest.mark.parametrize("steps", [compiled, textbook])
def test_steps(benchmark, one_thread, problem, steps):
    benchmark(lambda: steps(*problem, np.random.default_rng(2)))
