"""Online SGD on Gaussian inputs of an image's size, along the modes of their covariance, against textbook numpy."""

import numpy as np
import pytest
from scipy.special import erf

from twolayer.model.networks.activations import ERF
from twolayer.model.networks.learning import Learning
from twolayer.model.teachers.teacher_student import InputMoments, initial_teacher_student
from twolayer.simulation.teacher_student.gaussian_equivalent_sgd import JointDistribution, gaussian_equivalent_sgd

N, D, STEPS, RATE = 3072, 100, 2000, 0.2


def textbook(moments, distribution, start, rng):
    W, v, A = start.W.copy(), start.v.copy(), start.A
    for _ in range(STEPS):
        x = distribution.deviations * rng.standard_normal(N)
        nu = distribution.gain @ x + distribution.rest @ rng.standard_normal(len(A))
        fields = W @ x / np.sqrt(N)
        delta = v @ erf(fields / np.sqrt(2)) - A @ erf(nu / np.sqrt(2))
        gain = RATE / np.sqrt(N) * delta * v * np.sqrt(2 / np.pi) * np.exp(-(fields**2) / 2)
        v = v - RATE / N * delta * erf(fields / np.sqrt(2))
        W = W - np.outer(gain, x)
    return (W * distribution.deviations**2) @ W.T / N


def compiled(moments, distribution, start, rng):
    options = {"activation": ERF, "times": np.array([STEPS / N])}
    return gaussian_equivalent_sgd(moments, start, Learning(RATE), **options, rng=rng).order_parameters.Q[-1]


@pytest.fixture(scope="module")
def problem():
    """Return a problem whose modes are coordinates. Each of the first D modes corresponds to a latent."""
    variances, Phi = np.linspace(0.1, 2, N), np.zeros((N, D))
    Phi[:D] = 0.8 * np.diag(np.sqrt(variances[:D]))
    moments = InputMoments(np.zeros(N), np.zeros(D), np.diag(variances), Phi)
    start = initial_teacher_student(np.random.default_rng(1), 2, 2, N, D)
    gain = start.B @ Phi.T / np.sqrt(D) / variances
    rest = np.linalg.cholesky(start.B @ start.B.T / D - (gain * variances) @ gain.T)
    distribution = JointDistribution(np.eye(N), np.sqrt(variances), gain, rest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JointDistribution, "of", lambda B, moments: distribution)
        found = [
            np.mean([steps(moments, distribution, start, np.random.default_rng(seed)) for seed in range(4)], axis=0)
            for steps in (compiled, textbook)
        ]
        np.testing.assert_allclose(*found, atol=0.02)  # other inputs, the same distribution
        yield moments, distribution, start


@pytest.mark.benchmark(group="SGD on Gaussian inputs, 2000 steps, D=100, N=3072, K=M=2")
@pytest.mark.parametrize("steps", [compiled, textbook])
def test_steps(benchmark, problem, steps):
    benchmark(lambda: steps(*problem, np.random.default_rng(2)))
