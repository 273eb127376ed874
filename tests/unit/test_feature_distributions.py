import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erfc, eval_hermitenorm, ndtr

from twolayer.model.networks.activations import ERF
from twolayer.theory.averages.feature_distributions import erf_hermite, erf_moments, relu_hermite, relu_moments
from twolayer.theory.averages.gaussian_integrals import erf_pair, erf_value
from twolayer.theory.mixtures.random_features import feature_covariance


def expectation(function, h):
    """E function(z), z standard normal, for a function with a kink at -h: Gauss-Legendre on panels either side."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    kink = min(max(-h, -38.0), 38.0)
    edges = np.concatenate([np.linspace(-39.0, kink, 100), np.linspace(kink, 39.0, 100)[1:]])
    half = 0.5 * np.diff(edges)[:, None]
    z = edges[:-1, None] + half * (nodes + 1)
    return np.sum(half * weights * function(z) * np.exp(-0.5 * z**2)) / math.sqrt(2 * math.pi)


def relu_product(h, k, overlap):
    """E relu(h + x) relu(k + y) for standard normals of that correlation, by conditioning on x."""
    rest = math.sqrt(1 - overlap**2)

    def mean_of_second(x):
        shifted = (k + overlap * x) / rest
        return rest * (shifted * ndtr(shifted) + np.exp(-0.5 * shifted**2) / math.sqrt(2 * math.pi))

    return expectation(lambda x: np.maximum(h + x, 0.0) * mean_of_second(x), h)


@pytest.mark.parametrize("h", [-6.0, -2.5, -0.3, 0.0, 0.7, 4.0, 9.0, 30.0])
def test_relu_moments_are_the_integrals(h):
    mean, variance = relu_moments(np.array(h))
    exact = expectation(lambda z: np.maximum(h + z, 0.0), h)
    np.testing.assert_allclose(mean, exact, rtol=1e-11)
    np.testing.assert_allclose(variance, expectation(lambda z: (np.maximum(h + z, 0.0) - exact) ** 2, h), rtol=1e-11)


@given(h=st.floats(-1e8, 1e8))
def test_relu_variance_is_never_negative_and_tends_to_its_limits(h):
    mean, variance = relu_moments(np.array(h))
    assert 0 <= variance <= 1
    assert mean >= max(h, 0.0)
    if h > 9:
        assert variance == pytest.approx(1, abs=1e-15)
    if -37 < h < -9:  # 2 phi(h) / |h|^3 (1 - 6 / h^2 + ...)
        leading = 2 * math.exp(-0.5 * h**2) / math.sqrt(2 * math.pi) / abs(h) ** 3
        assert leading * (1 - 6 / h**2) < variance < leading


@pytest.mark.parametrize("h", [-5.0, -1.2, 0.0, 0.4, 3.0])
def test_hermite_coefficients_are_the_projections(h):
    coefficients = relu_hermite(np.array([[h]]), 8).ravel()
    exact = [
        expectation(lambda z, n=n: eval_hermitenorm(n, z) * np.maximum(h + z, 0.0), h) / math.sqrt(math.factorial(n))
        for n in range(1, 9)
    ]
    np.testing.assert_allclose(coefficients, exact, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mean", [-7.0, -1.1, 0.0, 0.6, 3.0, 12.0])
@pytest.mark.parametrize("variance", [1e-9, 0.04, 1.0, 30.0])
def test_erf_moments_are_the_integrals(mean, variance):
    exact_mean, exact_variance = erf_moments(np.array(mean), np.array(variance))
    assert exact_mean == erf_value(mean, variance)
    assert exact_variance == pytest.approx(erf_pair(*[mean] * 2, *[variance] * 3) - exact_mean**2, abs=1e-15)

    def squared_deviation(z):
        u, v = mean / math.sqrt(2), mean / math.sqrt(2 * (1 + variance))
        here = u + math.sqrt(variance / 2) * z
        return np.where(mean > 0, erfc(v) - erfc(here), erfc(-here) - erfc(-v)) ** 2  # tails do not cancel

    assert exact_variance == pytest.approx(expectation(squared_deviation, 0.0), rel=2e-6)


@given(mean=st.floats(-1e8, 1e8), variance=st.floats(0, 1e8))
def test_erf_variance_stays_within_its_bounds(mean, variance):
    centre, spread = erf_moments(np.array(mean), np.array(variance))
    assert 0 <= spread <= 1 - centre**2 + 1e-15


@pytest.mark.parametrize("mean", [-3.0, 0.0, 0.4, 1.7])
@pytest.mark.parametrize("deviation", [0.1, 1.0, 4.0])
def test_erf_hermite_coefficients_are_the_projections(mean, deviation):
    coefficients = erf_hermite(np.array([[mean]]), np.array([deviation]), 7).ravel()
    exact = [
        expectation(lambda z, n=n: eval_hermitenorm(n, z) * ERF(mean + deviation * z), 0.0)
        / math.sqrt(math.factorial(n))
        for n in range(1, 8)
    ]
    np.testing.assert_allclose(coefficients, exact, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(("h", "k"), [(0.2, -0.7), (1.5, 0.8), (-1.3, -0.5)])
def test_covariance_converges_to_the_exact_moment_in_powers_of_the_overlap(h, k):
    mean, variance = relu_moments(np.array([[h, k]]))

    def error(order, overlap):
        overlaps = np.array([[1.0, overlap], [overlap, 1.0]])
        coefficients = relu_hermite(np.array([[h, k]]), order)
        covariance = feature_covariance(overlaps, coefficients, variance, np.zeros((1, 2)), np.ones(1))
        return abs(covariance[1, 0] - (relu_product(h, k, overlap) - mean[0, 0] * mean[0, 1]))

    for order in (1, 2, 3):
        assert np.log2(error(order, 0.2) / error(order, 0.1)) == pytest.approx(order + 1, abs=0.5)
    assert error(30, -0.4) < 1e-12


def test_expansion_to_high_order_sums_to_the_exact_variance():
    h = np.linspace(-4, 4, 9)[None]
    _, variance = relu_moments(h)
    partial = np.sum(relu_hermite(h, 150) ** 2, axis=0)
    np.testing.assert_allclose(partial, variance, atol=2e-4)
    assert np.all(partial < variance + 1e-14)  # so the truncated covariance stays positive semi-definite
