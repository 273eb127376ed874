"""Moments of a stream agree with moments of all samples, and their errors with the scatter."""

import numpy as np
import pytest

from twolayer.errors import DataError
from twolayer.simulation.teacher_student.moments import StreamedMoments


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def streamed(inputs, latents, cuts):
    moments = StreamedMoments(inputs.shape[1], latents.shape[1])
    for X, C in zip(np.split(inputs, cuts), np.split(latents, cuts), strict=True):
        moments.update(X, C)
    return moments.result()


@pytest.mark.parametrize("cuts", [[], [1, 2, 3, 50], [100, 150]])
def test_a_stream_has_the_moments_of_the_whole(rng, cuts):
    latents = rng.standard_normal((200, 3))
    inputs = 100 + latents @ rng.standard_normal((3, 5)) + rng.standard_normal((200, 5))  # a mean that would cancel
    moments = streamed(inputs, latents, cuts)
    joint = np.cov(inputs.T, latents.T, bias=True)
    np.testing.assert_allclose(moments.mean, inputs.mean(0), rtol=1e-14)
    np.testing.assert_allclose(moments.latent_mean, latents.mean(0), atol=1e-14)
    np.testing.assert_allclose(moments.Omega, joint[:5, :5], rtol=1e-11)
    np.testing.assert_allclose(moments.Phi, joint[:5, 5:], rtol=1e-11)


def test_standard_errors_are_those_of_repeated_draws(rng):
    mixing = rng.standard_normal((3, 5))
    Omega, Phi = mixing.T @ mixing + np.eye(5), mixing.T
    distances, errors = [], []
    for _ in range(300):
        latents = rng.standard_normal((400, 3))
        moments = streamed(latents @ mixing + rng.standard_normal((400, 5)), latents, [200])
        distances.append([np.sum((moments.Omega - Omega) ** 2), np.sum((moments.Phi - Phi) ** 2)])
        errors.append([moments.Omega_error**2, moments.Phi_error**2])
    np.testing.assert_allclose(np.mean(errors, 0), np.mean(distances, 0), rtol=0.15)


def test_single_precision_is_accumulated_in_double(rng):
    inputs = (1000 + rng.standard_normal((5000, 2))).astype(np.float32)
    moments = streamed(inputs, inputs, range(100, 5000, 100))
    np.testing.assert_allclose(moments.Omega, np.cov(inputs.T.astype(float), bias=True), rtol=1e-9)


def test_one_sample_has_no_covariance():
    moments = StreamedMoments(2, 1)
    moments.update(np.ones((1, 2)), np.ones((1, 1)))
    with pytest.raises(DataError, match="at least two"):
        moments.result()
