"""Covariances of sign networks against samples and their limits."""

import math
from itertools import pairwise

import numpy as np
import pytest
from sign_moments import linearised_sign_moments

from twolayer.theory.teacher_student.sign_covariances import exact_sign_moments


def random_layers(*widths):
    rng = np.random.default_rng(0)
    return [rng.standard_normal((out, into)) / math.sqrt(into) for into, out in pairwise(widths)]


def test_one_layer_against_samples():
    """Each entry is the mean of 2 10^5 independent numbers of variance at most 1."""
    (F,), samples = random_layers(3, 5), 200_000
    c = np.random.default_rng(1).standard_normal((samples, 3))
    x, moments = np.sign(c @ F.T), exact_sign_moments(F)
    assert np.abs(x.T @ x / samples - moments.Omega).max() < 5 / math.sqrt(samples)
    assert np.abs(x.T @ c / samples - moments.Phi).max() < 5 / math.sqrt(samples)
    assert np.diag(moments.Omega) == pytest.approx(1, abs=1e-15)


def test_linearised_law_becomes_exact_as_the_latent_grows():
    gaps = []
    for latent in (100, 1600):
        (F,) = random_layers(latent, 50)
        exact, linearised = exact_sign_moments(F), linearised_sign_moments([F])
        gaps.append(np.abs(exact.Omega - linearised.Omega).max())
    assert gaps[0] / gaps[1] > 8  # as 1 / D


@pytest.mark.slow
def test_two_layers_against_samples():
    """Corrections to the recursion are of the order of 1 / sqrt D in single entries, and average out over them."""
    layers, samples = random_layers(200, 200, 40), 40_000
    c = np.random.default_rng(1).standard_normal((samples, 200))
    x = c
    for F in layers:
        x = np.sign(x @ F.T)
    moments = linearised_sign_moments(layers)
    for sampled, matrix in ((x.T @ x / samples, moments.Omega), (x.T @ c / samples, moments.Phi)):
        off = ~np.eye(*matrix.shape, dtype=bool)
        slope = (sampled[off] @ matrix[off]) / (matrix[off] @ matrix[off])
        assert slope == pytest.approx(1, abs=0.05)
        assert np.corrcoef(sampled[off], matrix[off])[0, 1] > 0.95
