"""Closed-form Gaussian averages against quadrature, sampling and known limits."""

import math

import gaussian_forms
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import multivariate_normal, norm

from twolayer.model.networks.activations import ERF, RELU
from twolayer.theory.averages import gaussian_integrals as integrals
from twolayer.theory.averages.nodes import sobol_normals

MEAN = np.array([0.3, -0.4, 0.7, -0.2])
COVARIANCE = np.array([[0.6, 0.2, -0.1, 0.15], [0.2, 0.9, 0.3, -0.2], [-0.1, 0.3, 0.5, 0.1], [0.15, -0.2, 0.1, 0.7]])

# closed form, activation, number of fields, integrand
AVERAGES = {
    "erf_value_value": (ERF, 2, lambda g, slope, a, b: g(a) * g(b)),
    "erf_slope_field": (ERF, 2, lambda g, slope, a, b: slope(a) * b),
    "erf_slope_field_value": (ERF, 3, lambda g, slope, a, b, c: slope(a) * b * g(c)),
    "erf_slope_slope_value_value": (ERF, 4, lambda g, slope, a, b, c, d: slope(a) * slope(b) * g(c) * g(d)),
    "relu_value_value": (RELU, 2, lambda g, slope, a, b: g(a) * g(b)),
    "relu_slope_field": (RELU, 2, lambda g, slope, a, b: slope(a) * b),
    "relu_slope_field_value": (RELU, 3, lambda g, slope, a, b, c: slope(a) * b * g(c)),
}
numbers = st.floats(-4, 4)
correlations = st.floats(-1, 1)


def closed(name, fields=slice(4), mean=MEAN, covariance=COVARIANCE):
    return getattr(gaussian_forms, name)(mean[fields], covariance[fields, fields])


@pytest.mark.parametrize("name", AVERAGES)
@pytest.mark.parametrize("mean", [MEAN, np.zeros(4)], ids=["means", "centred"])
def test_average_of_samples(name, mean):
    activation, count, integrand = AVERAGES[name]
    root = np.linalg.cholesky(COVARIANCE[:count, :count]).T
    batches = [
        integrand(activation, activation.slope, *(mean[:count] + sobol_normals(count, 14, seed) @ root).T).mean()
        for seed in range(8)
    ]
    standard_error = np.std(batches, ddof=1) / math.sqrt(8)
    assert abs(closed(name, slice(count), mean) - np.mean(batches)) < 5 * standard_error


@pytest.mark.parametrize("name", [name for name in AVERAGES if name.startswith("erf")])
def test_erf_average_by_quadrature(name):
    activation, count, integrand = AVERAGES[name]
    abscissae, weights = np.polynomial.hermite_e.hermegauss(30 if count == 4 else 80)
    grid = np.stack(np.meshgrid(*[abscissae] * count, indexing="ij"), axis=-1)
    fields = MEAN[:count] + grid @ np.linalg.cholesky(COVARIANCE[:count, :count]).T
    values = integrand(activation, activation.slope, *np.moveaxis(fields, -1, 0))
    for _ in range(count):
        values = values @ (weights / weights.sum())
    assert closed(name, slice(count)) == pytest.approx(values, abs=2e-6 if count == 4 else 1e-10)


def test_relu_average_by_quadrature():
    def given_first(a):
        """<b g(c)> at that value of a, times the density of a."""
        gain = COVARIANCE[1:3, 0] / COVARIANCE[0, 0]
        b, c = MEAN[1:3] + gain * (a - MEAN[0])
        rest = COVARIANCE[1:3, 1:3] - np.outer(gain, gain) * COVARIANCE[0, 0]
        b_c = b * integrals.relu_value(c, rest[1, 1]) + rest[0, 1] * ndtr(c / math.sqrt(rest[1, 1]))
        return b_c * norm.pdf(a, MEAN[0], math.sqrt(COVARIANCE[0, 0]))

    expected = quad(given_first, 0, 12, epsabs=1e-13, epsrel=0)[0]
    assert closed("relu_slope_field_value", slice(3)) == pytest.approx(expected, abs=1e-11)


def test_moments_of_one_field():
    assert integrals.erf_value(0.3, 0.6) == pytest.approx(quad(lambda x: ERF(x) * norm.pdf(x, 0.3, 0.6**0.5), -9, 9)[0])
    assert integrals.relu_value(0.3, 0.6) == pytest.approx(quad(lambda x: x * norm.pdf(x, 0.3, 0.6**0.5), 0, 9)[0])
    assert integrals.relu_value(np.array([0.3, -0.3]), 0.0) == pytest.approx([0.3, 0.0])


@given(numbers, numbers, st.floats(-0.999, 0.999))
@example(0.0, 2.2250738585e-313, 0.5)
def test_bivariate_cdf_of_scipy(h, k, r):
    expected = multivariate_normal.cdf([h, k], cov=[[1, r], [r, 1]], abseps=1e-14, releps=1e-14)
    assert integrals.bivariate_normal_cdf(h, k, r) == pytest.approx(expected, abs=1e-14)


@given(numbers, numbers, correlations)
def test_bivariate_cdf_symmetries(h, k, r):
    cdf = integrals.bivariate_normal_cdf
    assert cdf(h, k, r) == pytest.approx(cdf(k, h, r), abs=1e-15)
    assert cdf(h, k, r) + cdf(h, -k, -r) == pytest.approx(ndtr(h), abs=1e-14)
    assert cdf(h, k, 0.0) == pytest.approx(ndtr(h) * ndtr(k), abs=1e-15)


@given(numbers, numbers)
def test_bivariate_cdf_of_equal_and_opposite_variables(h, k):
    assert integrals.bivariate_normal_cdf(h, k, 1.0) == pytest.approx(ndtr(min(h, k)), abs=1e-15)
    assert integrals.bivariate_normal_cdf(h, k, -1.0) == pytest.approx(max(ndtr(h) + ndtr(k) - 1, 0), abs=1e-15)
    for r in (1.0, -1.0):
        near = integrals.bivariate_normal_cdf(h, k, r * (1 - 1e-15))
        assert near == pytest.approx(integrals.bivariate_normal_cdf(h, k, r), abs=1e-7)


@given(correlations)
def test_orthant(r):
    assert integrals.bivariate_normal_cdf(0.0, 0.0, r) == pytest.approx(0.25 + math.asin(r) / (2 * math.pi), abs=1e-14)


@given(st.floats(0.01, 20), st.floats(0.01, 20), correlations)
def test_arcsine_law(variance_a, variance_b, r):
    overlap = r * math.sqrt(variance_a * variance_b)
    expected = 2 / math.pi * math.asin(overlap / math.sqrt((1 + variance_a) * (1 + variance_b)))
    assert integrals.erf_pair(0.0, 0.0, variance_a, variance_b, overlap) == pytest.approx(expected, abs=1e-13)


@given(st.floats(0.01, 20), st.floats(0.01, 20), correlations)
def test_arccosine_kernel(variance_a, variance_b, r):
    covariance = np.array([[variance_a, r * math.sqrt(variance_a * variance_b)], [0, variance_b]])
    covariance[1, 0] = covariance[0, 1]
    shape = math.sqrt(1 - r**2) + (math.pi - math.acos(r)) * r
    expected = math.sqrt(variance_a * variance_b) * shape / (2 * math.pi)
    assert gaussian_forms.relu_value_value(np.zeros(2), covariance) == pytest.approx(expected, abs=2e-7)


@given(numbers, st.floats(0.01, 20))
def test_pair_of_a_relu_unit_with_itself(mean, variance):
    h, deviation = mean / math.sqrt(variance), math.sqrt(variance)
    both_on, slope_value, edge_value = integrals.relu_pair(mean, mean, variance, variance, variance)
    assert both_on == pytest.approx(ndtr(h), abs=1e-15)
    assert slope_value == pytest.approx(mean * ndtr(h) + deviation * norm.pdf(h), rel=1e-13, abs=1e-13)
    assert edge_value == 0
    second_moment = gaussian_forms.relu_value_value(np.full(2, mean), np.full((2, 2), variance))
    expected = (mean**2 + variance) * ndtr(h) + mean * deviation * norm.pdf(h)
    assert second_moment == pytest.approx(expected, rel=1e-13, abs=1e-12)


def test_leading_dimensions_broadcast():
    means = np.stack([MEAN, 2 * MEAN, np.zeros(4)])[:, None]
    covariances = np.stack([COVARIANCE, 3 * COVARIANCE])
    for name, (_, count, _) in AVERAGES.items():
        together = getattr(gaussian_forms, name)(means[..., :count], covariances[:, :count, :count])
        assert together.shape == (3, 2)
        alone = closed(name, slice(count), means[1, 0], covariances[1])
        assert together[1, 1] == pytest.approx(alone, abs=1e-15)
