import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import eval_hermitenorm, ndtr

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures import IsotropicMixture, xor
from twolayer.simulation.random_features import simulate_readout
from twolayer.theory.random_features import (
    feature_covariance,
    feature_moments,
    optimal_readout,
    projection_overlaps,
    random_projection,
    relu_hermite,
    relu_moments,
)

seeds = st.integers(0, 2**32 - 1)


def xor_at(regime, dimension, deviation):
    """The XOR mixture at low (1), high (2) or mixed (3) signal-to-noise."""
    far = math.sqrt(dimension)
    means = {
        1: [[1, 0], [-1, 0], [0, 1], [0, -1]],
        2: [[far, 0], [-far, 0], [0, far], [0, -far]],
        3: [[far, 1], [-far, -1], [far, -1], [-far, 1]],
    }[regime]
    labels = np.array([-1.0, -1.0, 1.0, 1.0])
    return IsotropicMixture(np.array(means, float), labels, np.full(4, 0.25), deviation**2)


def uneven_mixture(seed, clusters=3, variance=0.4):
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(clusters) == 0, -1.0, 1.0)
    return IsotropicMixture(rng.standard_normal((clusters, 2)), labels, rng.dirichlet(np.full(clusters, 5.0)), variance)


def random_case(seed, dimension=30, features=25):
    projection = random_projection(np.random.default_rng(seed), dimension, features)
    return projection, projection_overlaps(projection)


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


def dense_readout(mixture, projection, overlap_order, ridge):
    """The same estimator from full matrices, cluster by cluster."""
    D, F = projection.shape
    deviation = math.sqrt(mixture.variance)
    overlaps = projection.T @ projection / D
    means, covariances = [], []
    for mean in mixture.means:
        h = mean @ projection[: len(mean)] / (math.sqrt(D) * deviation)
        density = np.exp(-0.5 * h**2) / math.sqrt(2 * math.pi)
        derivatives = [ndtr(h), density, -h * density, (h**2 - 1) * density][:overlap_order]
        first = h * ndtr(h) + density
        covariance = sum(np.outer(c, c) * overlaps**n / math.factorial(n) for n, c in enumerate(derivatives, 1))
        np.fill_diagonal(covariance, (h**2 + 1) * ndtr(h) + h * density - first**2)
        means.append(deviation * first)
        covariances.append(mixture.variance * covariance)
    means, p, y = np.array(means), mixture.weights, mixture.labels
    centred = means - p @ means
    total = sum(w * (c + np.outer(m, m)) for w, c, m in zip(p, covariances, centred, strict=True)) + ridge * np.eye(F)
    readout = np.linalg.solve(total, (p * (y - p @ y)) @ centred)
    variances = np.array([readout @ c @ readout for c in covariances])
    wrong = p @ ndtr(-y * (p @ y + centred @ readout) / np.sqrt(variances))
    return readout, 0.5 * p @ ((y - p @ y - centred @ readout) ** 2 + variances), wrong


@given(seed=seeds, clusters=st.integers(2, 5), overlap_order=st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_readout_matches_full_matrices(seed, clusters, overlap_order):
    mixture, (projection, overlaps) = uneven_mixture(seed, clusters), random_case(seed)
    readout = optimal_readout(mixture, projection, overlaps, overlap_order)
    weights, pmse, class_error = dense_readout(mixture, projection, overlap_order, 1e-6)
    np.testing.assert_allclose(readout.weights, weights, rtol=1e-6, atol=1e-7)
    assert readout.pmse == pytest.approx(pmse, rel=1e-9)
    assert readout.class_error == pytest.approx(class_error, rel=1e-7)


def test_balanced_optimum_satisfies_the_normal_equations():
    projection, overlaps = random_case(0)
    readout = optimal_readout(xor(0.3), projection, overlaps, ridge=0.0)
    assert readout.offset == 0
    label_gain = 0.25 * np.array([-1.0, -1.0, 1.0, 1.0]) @ readout.cluster_mean
    assert readout.pmse == pytest.approx(0.5 * (1 - label_gain), rel=1e-10)


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_relabelled_and_split_clusters_change_nothing_else(seed):
    mixture, (projection, overlaps) = uneven_mixture(seed), random_case(seed)
    readout = optimal_readout(mixture, projection, overlaps, 3)
    flipped = IsotropicMixture(mixture.means, -mixture.labels, mixture.weights, mixture.variance)
    mirrored = optimal_readout(flipped, projection, overlaps, 3)
    np.testing.assert_allclose(mirrored.weights, -readout.weights, rtol=1e-9)
    assert mirrored.class_error == pytest.approx(readout.class_error, rel=1e-9)
    halves = np.array([0, 1, 2, 2])
    weights = mixture.weights[halves] * np.array([1, 1, 0.25, 0.75])
    split = IsotropicMixture(mixture.means[halves], mixture.labels[halves], weights, mixture.variance)
    assert optimal_readout(split, projection, overlaps, 3).pmse == pytest.approx(readout.pmse, rel=1e-9)


CASES = {
    "low": (xor_at(1, 100, 0.3), 200),
    "high": (xor_at(2, 100, 1.0), 200),
    "mixed": (xor_at(3, 100, 1.0), 200),
    "uneven": (uneven_mixture(1), 150),
}


@pytest.mark.parametrize("case", CASES)
def test_fourth_order_predicts_the_simulation(case):
    mixture, features = CASES[case]
    projection, overlaps = random_case(3, 100, features)
    readout = optimal_readout(mixture, projection, overlaps, overlap_order=4)
    measured = simulate_readout(mixture, projection, readout, 60_000, np.random.default_rng(4))
    assert abs(measured.pmse - readout.pmse) < 4 * measured.pmse_error
    # The output is Gaussian only in the limit of large D: the class error is off by a few per cent at D = 100.
    assert abs(measured.class_error - readout.class_error) < 4 * measured.class_error_error + 0.03 * readout.class_error


def true_pmse(mixture, projection, overlaps, readout):
    """Of any readout, from covariances whose expansion has converged."""
    mean, variance, coefficients = feature_moments(mixture, projection, 12)
    covariance = feature_covariance(overlaps, coefficients, variance, np.zeros_like(mean), mixture.weights)
    lower = np.tril(covariance, -1)
    within = readout.weights @ (lower + lower.T + np.diag(np.diag(covariance))) @ readout.weights
    missed = mixture.labels - readout.offset - (mean - readout.feature_mean) @ readout.weights
    return 0.5 * (mixture.weights @ missed**2 + within)


@pytest.mark.parametrize("case", CASES)
def test_first_order_is_optimistic_and_fourth_is_exact(case):
    mixture, features = CASES[case]
    projection, overlaps = random_case(3, 100, features)
    first, fourth = (optimal_readout(mixture, projection, overlaps, order) for order in (1, 4))
    true_first, true_fourth = (true_pmse(mixture, projection, overlaps, readout) for readout in (first, fourth))
    assert true_fourth == pytest.approx(fourth.pmse, rel=1e-5)
    assert true_fourth <= true_first * (1 + 1e-7)
    assert first.pmse < true_first < 1.03 * first.pmse


def test_strong_means_do_not_cancel():
    projection, overlaps = random_case(0, 100, 400)
    readout = optimal_readout(xor_at(3, 100, 0.02), projection, overlaps)
    assert np.all(readout.cluster_variance > 0)
    assert 0 < readout.pmse < 1e-3


def test_projection_columns_have_norm_sqrt_dimension_and_follow_the_generator():
    projection = random_projection(np.random.default_rng(5), 40, 60)
    np.testing.assert_allclose(np.linalg.norm(projection, axis=0), math.sqrt(40), rtol=1e-14)
    raw = np.random.default_rng(5).standard_normal((40, 60))
    np.testing.assert_allclose(projection, raw * math.sqrt(40) / np.linalg.norm(raw, axis=0), rtol=1e-14)


def test_simulation_repeats_with_its_seed():
    projection, overlaps = random_case(0)
    readout = optimal_readout(xor(0.3), projection, overlaps)
    runs = [simulate_readout(xor(0.3), projection, readout, 3000, np.random.default_rng(1)) for _ in range(2)]
    assert runs[0] == runs[1]


def test_moments_are_those_of_simulated_features():
    mixture, (projection, _) = uneven_mixture(2), random_case(2, 30, 6)
    mean, variance, _ = feature_moments(mixture, projection, 1)
    x = math.sqrt(mixture.variance) * np.random.default_rng(0).standard_normal((200_000, 30))
    for cluster, centre in enumerate(mixture.means):
        u = (x + np.pad(centre, (0, 28))) @ projection / math.sqrt(30)
        z = np.maximum(u, 0)
        assert np.all(np.abs(z.mean(axis=0) - mean[cluster]) < 4.5 * np.sqrt(variance[cluster] / len(x)))
        np.testing.assert_allclose(z.var(axis=0), variance[cluster], rtol=0.05)


def test_singular_covariance_is_named():
    projection, _ = random_case(0, 30, 4)
    twin = np.repeat(projection, 2, axis=1)
    dead = np.ones((8, 8))
    with pytest.raises(NotConverged, match="8 random features is singular"):
        optimal_readout(IsotropicMixture(1e9 * np.ones((1, 2)), np.ones(1), np.ones(1), 1.0), twin, dead, ridge=0.0)


@pytest.mark.parametrize(
    "change", [{"overlaps": np.eye(4)}, {"overlap_order": 0}, {"ridge": -1.0}, {"projection": np.ones((1, 25))}]
)
def test_arguments_that_do_not_fit_are_refused(change):
    projection, overlaps = random_case(0)
    with pytest.raises(ConfigError):
        optimal_readout(**({"mixture": xor(0.3), "projection": projection, "overlaps": overlaps} | change))
