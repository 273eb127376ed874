"""Replica equations of logistic regression: Newton's method against the textbook's plain iteration; d = 500."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import erfc, expit

from twolayer.model.teachers.feature_covariances import power_law_covariances
from twolayer.theory.replica.convex_theory import ConvexTheory
from twolayer.theory.replica.replica_equations import covariate_spectrum, mode_overlaps

SAMPLE_RATIO, RIDGE = 2.0, 1e-4


def textbook(spectrum):
    """V, q and m by iteration from a weak response, with a bracketed proximal point at every node."""
    xi, weights = np.polynomial.hermite_e.hermegauss(101)
    weights /= math.sqrt(2 * math.pi)
    V, q, m = 1000.0, 1.0, 0.1
    for _ in range(300):
        omega, mean = math.sqrt(q) * xi, m / math.sqrt(q) * xi
        variance = spectrum.power - m**2 / q
        x = np.array([brentq(lambda x, w=w, V=V: x - w - V * expit(-x), w, w + V) for w in omega])
        f, Z = expit(-x), erfc(-mean / math.sqrt(2 * variance))
        k = f * (1 - f)
        density = np.exp(-(mean**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        averages = (weights @ (Z * k / (1 + V * k)), weights @ (Z * f**2), weights @ (2 * density * f))
        before, (V, q, m) = (V, q, m), mode_overlaps(spectrum, RIDGE, *(SAMPLE_RATIO * part for part in averages))
        if np.allclose(before, (V, q, m), rtol=1e-6, atol=0):
            return V, q, m
    raise AssertionError("the plain iteration did not converge")


def newton(spectrum):
    overlaps = ConvexTheory(spectrum, "logistic").solve(SAMPLE_RATIO, RIDGE)
    return overlaps.V, overlaps.q, overlaps.m


@pytest.fixture(scope="module")
def spectrum():
    spectrum = covariate_spectrum(power_law_covariances(500, 0.6))
    np.testing.assert_allclose(newton(spectrum), textbook(spectrum), rtol=1e-3)
    return spectrum


@pytest.mark.benchmark(group="replica, logistic regression, ridge 1e-4")
@pytest.mark.parametrize("way", [newton, textbook])
def test_logistic_fixed_point(benchmark, spectrum, way):
    benchmark.pedantic(way, (spectrum,), rounds=3, warmup_rounds=1)


@pytest.mark.benchmark(group="replica, ridge regression")
@pytest.mark.parametrize("d", [250, 500, 1000])
def test_ridge_fixed_point(benchmark, d):
    spectrum = covariate_spectrum(power_law_covariances(d, 0.6))
    benchmark(ConvexTheory(spectrum, "square").solve, SAMPLE_RATIO, RIDGE)
