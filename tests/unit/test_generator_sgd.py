"""Online SGD on generated inputs against the same steps written out."""

import math

import numpy as np
import pytest
import torch
from scipy.special import erf

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.generators.dense_network import SignNetwork
from twolayer.model.generators.latent_generators import sampled_batches
from twolayer.model.networks.activations import ERF
from twolayer.model.networks.learning import Learning
from twolayer.model.teachers.teacher_student import InputMoments, initial_teacher_student
from twolayer.simulation.teacher_student.generator_sgd import generator_sgd

N, D, RATE = 30, 10, 0.3
TIMES = np.array([0, 0.5, 2])


@pytest.fixture
def generator():
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return SignNetwork([D, D, N])


@pytest.fixture
def moments():
    rng = np.random.default_rng(2)  # any will do: they centre the inputs and measure, no more
    root = rng.standard_normal((N, N))
    return InputMoments(rng.standard_normal(N) / 3, rng.standard_normal(D) / 3, root @ root.T, root[:, :D])


def networks():
    return initial_teacher_student(np.random.default_rng(3), 2, 3, N, D)


def path_of(generator, moments, learning, activation=ERF, times=TIMES, seed=4):
    options = {"activation": activation, "moments": moments, "times": times, "test_samples": 50}
    return generator_sgd(generator, networks(), learning, **options, rng=np.random.default_rng(seed))


def written_out(generator, moments, start, rng, test_samples, train_second_layer):
    """Q, R, v and the test error at each time."""
    W, v, B, A = start.W.copy(), start.v.copy(), start.B, start.A
    test = list(sampled_batches(generator, test_samples, rng))
    records = []
    for count in np.diff(np.rint(TIMES * N).astype(int), prepend=0):
        for latents, inputs in sampled_batches(generator, count, rng):
            for c, x in zip(latents - moments.latent_mean, inputs - moments.mean, strict=True):
                fields = W @ x / math.sqrt(N)
                delta = v @ erf(fields / math.sqrt(2)) - A @ erf(B @ c / math.sqrt(2 * D))
                slopes = math.sqrt(2 / math.pi) * np.exp(-(fields**2) / 2)
                old = v.copy()
                if train_second_layer:
                    v -= RATE / N * delta * erf(fields / math.sqrt(2))
                W -= RATE / math.sqrt(N) * delta * np.outer(old * slopes, x)
        C, X = (np.concatenate(parts) for parts in zip(*test, strict=True))
        output = erf((X - moments.mean) @ W.T / math.sqrt(2 * N)) @ v
        label = erf((C - moments.latent_mean) @ B.T / math.sqrt(2 * D)) @ A
        Q, R = W @ moments.Omega @ W.T / N, W @ moments.Phi @ B.T / math.sqrt(N * D)
        records.append((Q, R, v.copy(), np.mean((output - label) ** 2) / 2))
    return [np.stack(record) for record in zip(*records, strict=True)]


@pytest.mark.parametrize("train_second_layer", [True, False])
def test_steps_are_those_of_the_paper(generator, moments, train_second_layer):
    start = networks()
    path = path_of(generator, moments, Learning(RATE, train_second_layer=train_second_layer))
    Q, R, v, error = written_out(generator, moments, start, np.random.default_rng(4), 50, train_second_layer)
    np.testing.assert_allclose(path.order_parameters.Q, Q, rtol=1e-10)
    np.testing.assert_allclose(path.order_parameters.R, R, atol=1e-10)
    np.testing.assert_allclose(path.order_parameters.T, start.B @ start.B.T / D, rtol=1e-12)
    np.testing.assert_allclose(path.v, v, rtol=1e-10)
    np.testing.assert_allclose(path.test_pmse, error, rtol=1e-5)  # fields of the test set in single precision
    np.testing.assert_array_equal(path.v[-1] == start.v, not train_second_layer)


def test_divergence_ends_in_a_sentence(generator, moments):
    with pytest.raises(NotConverged, match=r"diverged at step .* lower the learning rate, which is 1000"):
        path_of(generator, moments, Learning(1000.0), times=np.array([0, 100.0]))


def test_any_function_learns_and_none_is_taken_for_linear(generator, moments):
    known, own, linear = (
        path_of(generator, moments, Learning(RATE), activation) for activation in ("tanh", np.tanh, "linear")
    )
    np.testing.assert_allclose(own.order_parameters.Q, known.order_parameters.Q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(own.test_pmse, known.test_pmse, rtol=1e-5)
    assert np.abs(own.order_parameters.Q[-1] - linear.order_parameters.Q[-1]).max() > 0.01


@pytest.mark.parametrize(
    ("learning", "activation", "message"),
    [
        (Learning(RATE), "sign", "'sign', whose slope is zero: use one with a slope for online SGD"),
        (Learning(RATE, 0.1), ERF, "weight_decay is 0.1: learning from a teacher has none"),
    ],
)
def test_what_cannot_be_learnt(generator, moments, learning, activation, message):
    with pytest.raises(ConfigError, match=message):
        path_of(generator, moments, learning, activation)
