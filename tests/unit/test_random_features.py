import itertools
import math
from functools import cache

import numpy as np
import pytest
from gaussian_forms import erf_value_value, relu_value_value
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import ALL, mean_products
from scipy.special import ndtr

import twolayer as tl
from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.standard_mixtures import (
    circle,
    from_covariance,
    from_means,
    random_mixture,
    three_clusters,
    xor,
)
from twolayer.model.networks.activations import ERF, LINEAR, RELU, TANH
from twolayer.simulation.features.random_features import draw_features, feature_cloud, simulate_readout
from twolayer.theory.mixtures.random_features import (
    evaluate_readout,
    feature_covariance,
    feature_moments,
    noise_overlaps,
    optimal_readout,
    projection_overlaps,
    random_projection,
    readout_covariances,
)

seeds = st.integers(0, 2**32 - 1)


def uneven_mixture(seed, clusters=3, variance=0.4):
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(clusters) == 0, -1.0, 1.0)
    return IsotropicMixture(rng.standard_normal((clusters, 2)), labels, rng.dirichlet(np.full(clusters, 5.0)), variance)


def random_case(seed, dimension=30, features=25):
    projection = random_projection(np.random.default_rng(seed), dimension, features)
    return projection, projection_overlaps(projection)


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
    readout = optimal_readout(mixture, projection, overlaps, overlap_order=overlap_order)
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
    readout = optimal_readout(mixture, projection, overlaps, overlap_order=3)
    flipped = IsotropicMixture(mixture.means, -mixture.labels, mixture.weights, mixture.variance)
    mirrored = optimal_readout(flipped, projection, overlaps, overlap_order=3)
    np.testing.assert_allclose(mirrored.weights, -readout.weights, rtol=1e-9)
    assert mirrored.class_error == pytest.approx(readout.class_error, rel=1e-9)
    halves = np.array([0, 1, 2, 2])
    weights = mixture.weights[halves] * np.array([1, 1, 0.25, 0.75])
    split = IsotropicMixture(mixture.means[halves], mixture.labels[halves], weights, mixture.variance)
    assert optimal_readout(split, projection, overlaps, overlap_order=3).pmse == pytest.approx(readout.pmse, rel=1e-9)


CASES = {
    "low": (xor(0.09), 200),
    "high": (xor(1.0, regime="high", dimension=100), 200),
    "mixed": (xor(1.0, regime="mixed", dimension=100), 200),
    "uneven": (uneven_mixture(1), 150),
}


@pytest.mark.parametrize("case", CASES)
def test_fourth_order_predicts_the_simulation(case):
    mixture, features = CASES[case]
    projection, overlaps = random_case(3, 100, features)
    readout = optimal_readout(mixture, projection, overlaps, overlap_order=4)
    measured = simulate_readout(mixture, projection, readout, samples=60_000, rng=np.random.default_rng(4))
    assert abs(measured.pmse - readout.pmse) < 4 * measured.pmse_error
    # The output is Gaussian only in the limit of large D: the class error is off by a few per cent at D = 100.
    assert abs(measured.class_error - readout.class_error) < 4 * measured.class_error_error + 0.03 * readout.class_error


def true_pmse(mixture, projection, overlaps, readout):
    """Of any readout, from covariances whose expansion has converged."""
    mean, variance, coefficients = feature_moments(mixture, projection, overlap_order=12)
    covariance = feature_covariance(overlaps, coefficients, variance, np.zeros_like(mean), mixture.weights)
    lower = np.tril(covariance, -1)
    within = readout.weights @ (lower + lower.T + np.diag(np.diag(covariance))) @ readout.weights
    missed = mixture.labels - readout.offset - (mean - readout.feature_mean) @ readout.weights
    return 0.5 * (mixture.weights @ missed**2 + within)


@pytest.mark.parametrize("case", CASES)
def test_first_order_is_optimistic_and_fourth_is_exact(case):
    mixture, features = CASES[case]
    projection, overlaps = random_case(3, 100, features)
    first, fourth = (optimal_readout(mixture, projection, overlaps, overlap_order=order) for order in (1, 4))
    true_first, true_fourth = (true_pmse(mixture, projection, overlaps, readout) for readout in (first, fourth))
    assert true_fourth == pytest.approx(fourth.pmse, rel=1e-5)
    assert true_fourth <= true_first * (1 + 1e-7)
    assert first.pmse < true_first < 1.03 * first.pmse


def test_strong_means_do_not_cancel():
    projection, overlaps = random_case(0, 100, 400)
    readout = optimal_readout(xor(0.0004, regime="mixed", dimension=100), projection, overlaps)
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
    runs = [
        simulate_readout(xor(0.3), projection, readout, samples=3000, rng=np.random.default_rng(1)) for _ in range(2)
    ]
    assert runs[0] == runs[1]


def uneven_projection(seed, dimension=30, features=25):
    """Gaussian entries, and columns whose norms differ by more than chance."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((dimension, features)) * rng.uniform(0.5, 2.0, features)


def sampled_fields(mixture, projection, cluster, samples, seed):
    """(samples, F) pre-activations of fresh inputs of a cluster."""
    D, P = len(projection), mixture.means.shape[1]
    x = math.sqrt(mixture.variance) * np.random.default_rng(seed).standard_normal((samples, D))
    return (x + np.pad(mixture.means[cluster], (0, D - P))) @ projection / math.sqrt(D)


@cache
def uneven_fields(cluster):
    """Many pre-activations of the mixture and of the projection below."""
    return sampled_fields(uneven_mixture(2), uneven_projection(2, features=6), cluster, 200_000, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_moments_are_those_of_simulated_features(name):
    mixture, projection, g = uneven_mixture(2), uneven_projection(2, features=6), ALL[name]
    mean, variance, coefficients = feature_moments(mixture, projection, overlap_order=12, activation=g)
    overlaps, nothing = projection_overlaps(projection), np.zeros((1, 6))
    for cluster in range(3):
        z = g(uneven_fields(cluster))
        assert np.all(np.abs(z.mean(axis=0) - mean[cluster]) < 4.5 * np.sqrt(variance[cluster] / len(z)))
        one = [cluster]
        expected = feature_covariance(overlaps, coefficients[:, one], variance[one], nothing, np.ones(1))
        found, error = mean_products(z - mean[cluster], z - mean[cluster])
        assert np.max(np.abs(np.tril(found - expected) / error)) < 4.5


@pytest.mark.slow
@pytest.mark.parametrize("commuting", [True, False, None], ids=["spectra", "no common basis", "isotropic"])
@pytest.mark.parametrize("activation", [ERF, RELU, TANH, LINEAR], ids=["erf", "relu", "tanh", "linear"])
def test_readout_of_clusters_with_their_own_covariances_errs_as_on_samples(activation, commuting):
    rng, D = np.random.default_rng(3), 40
    labels, weights, means = np.array([1.0, -1, 1]), np.array([0.5, 0.3, 0.2]), np.zeros((3, D))
    means[:, :2] = [[1, 0], [-1, 0.5], [0, -1]]
    if commuting is None:
        mixture = from_means(means[:, :2], labels, weights, np.array([0.1, 0.6, 1.5]))
    else:
        roots = rng.standard_normal((3, D, D)) / np.sqrt(D)
        covariances = np.stack(
            [
                np.diag(rng.uniform(0.1, s, D)) if commuting else s * F.T @ F
                for s, F in zip((0.3, 1, 2), roots, strict=True)
            ]
        )
        mixture, _ = from_covariance(means, covariances, labels, weights)
    projection = random_projection(rng, D, 60)
    readout = optimal_readout(
        mixture, projection, noise_overlaps(mixture, projection), overlap_order=8, activation=activation
    )
    tried = simulate_readout(mixture, projection, readout, samples=100_000, rng=rng, activation=activation)
    assert abs(tried.pmse - readout.pmse) < 4.5 * tried.pmse_error
    assert abs(tried.class_error - readout.class_error) < 4.5 * tried.class_error_error + 0.01
    moments = feature_moments(mixture, projection, overlap_order=8, activation=activation)
    for cluster, variance in enumerate(moments.variance):
        z = draw_features(mixture, projection, np.full(50_000, cluster), rng=rng, activation=activation)
        assert np.all(abs(z.mean(axis=0) - moments.mean[cluster]) < 5 * np.sqrt(variance / len(z)))
        np.testing.assert_allclose(z.var(axis=0), variance, rtol=0.1)


@pytest.mark.parametrize(("activation", "average"), [(ERF, erf_value_value), (RELU, relu_value_value)])
def test_covariance_of_two_features_converges_to_its_closed_form(activation, average):
    mixture, projection = uneven_mixture(5), uneven_projection(5, 40, 8)
    mean, variance, coefficients = feature_moments(mixture, projection, overlap_order=40, activation=activation)
    overlaps = projection_overlaps(projection)
    for cluster in range(3):
        one = [cluster]
        series = feature_covariance(overlaps, coefficients[:, one], variance[one], np.zeros((1, 8)), np.ones(1))
        fields = mixture.means[cluster] @ projection[:2] / math.sqrt(40)
        for pair in itertools.combinations(range(8), 2):
            exact = average(fields[[*pair]], mixture.variance * overlaps[np.ix_(pair, pair)])
            assert series[pair[::-1]] == pytest.approx(exact - np.prod(mean[cluster, pair]), abs=1e-9)


def test_relu_features_scale_with_their_column():
    mixture, scales = uneven_mixture(1), np.random.default_rng(1).uniform(0.5, 2.0, 25)
    projection, overlaps = random_case(1)
    plain = feature_moments(mixture, projection, overlap_order=3)
    scaled = feature_moments(mixture, projection * scales, overlap_order=3)
    np.testing.assert_allclose(scaled.mean, plain.mean * scales, rtol=1e-13)
    np.testing.assert_allclose(scaled.variance, plain.variance * scales**2, rtol=1e-13)
    readout = optimal_readout(mixture, projection, overlaps, overlap_order=3, ridge=0.0)
    same = optimal_readout(
        mixture, projection * scales, overlaps * np.outer(scales, scales), overlap_order=3, ridge=0.0
    )
    assert same.pmse == pytest.approx(readout.pmse, rel=1e-10)
    np.testing.assert_allclose(same.weights * scales, readout.weights, rtol=1e-7)


def test_isotropic_noise_is_a_special_covariance():
    mixture, (projection, overlaps) = xor(0.3), random_case(4)
    embedded = mixture.embed(30)
    same = optimal_readout(embedded, projection, noise_overlaps(embedded, projection), overlap_order=4, ridge=1e-6)
    expected = optimal_readout(mixture, projection, overlaps, overlap_order=4, ridge=1e-6)
    np.testing.assert_allclose(same.weights, expected.weights, rtol=1e-8)
    assert same.class_error == pytest.approx(expected.class_error, rel=1e-9)
    with pytest.raises(ConfigError, match=r"shape \(30, 25\) does not fit a mixture in 40 dimensions"):
        noise_overlaps(mixture.embed(40), projection)


@pytest.mark.parametrize("activation", [RELU, ERF, LINEAR], ids=["relu", "erf", "linear"])
def test_closed_form_predicts_the_simulation_at_any_covariance(activation):
    mixture, _ = random_mixture(np.random.default_rng(2), 100, 2, 0.3)
    projection, _ = random_case(6, 100, 150)
    options = {"overlap_order": 4, "ridge": 1e-6, "activation": activation}
    readout = optimal_readout(mixture, projection, noise_overlaps(mixture, projection), **options)
    rng = np.random.default_rng(7)
    measured = simulate_readout(mixture, projection, readout, samples=40_000, rng=rng, activation=activation)
    assert abs(measured.pmse - readout.pmse) < 4 * measured.pmse_error
    assert abs(measured.class_error - readout.class_error) < 4 * measured.class_error_error + 0.03 * readout.class_error
    assert measured.pmse_error < 0.02 * readout.pmse


REGIME_CASES = {
    "three, low": (three_clusters(0.09), RELU),
    "three, high": (three_clusters(1.0, 0.3, "high", 100), RELU),
    "three, mixed": (three_clusters(1.0, 0.5, "mixed", 100), RELU),
    "three, low, erf": (three_clusters(0.09, 0.7), ERF),
    "three, mixed, erf": (three_clusters(1.0, 0.5, "mixed", 100), ERF),
    "three, mixed, linear": (three_clusters(1.0, 0.5, "mixed", 100), LINEAR),
    "xor, mixed, erf": (xor(1.0, 0.4, "mixed", 100), ERF),
    "two, linear": (circle(1, 0.5, 0.3), LINEAR),
    "three, low, tanh": (three_clusters(0.09, 0.7), TANH),
    "three, mixed, tanh": (three_clusters(1.0, 0.5, "mixed", 100), TANH),
    "xor, low, sine": (xor(0.09), ALL["sine"]),
    "xor, low, sign": (xor(0.09), ALL["sign"]),
    "xor, low, hermite2": (xor(0.09), ALL["hermite2"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("with_offset", [True, False])
@pytest.mark.parametrize("case", REGIME_CASES)
def test_closed_form_predicts_the_simulation_of_all_features(case, with_offset):
    mixture, activation = REGIME_CASES[case]
    projection, overlaps = random_case(6, 100, 150)
    readout = optimal_readout(
        mixture, projection, overlaps, overlap_order=4, ridge=1e-6, activation=activation, with_offset=with_offset
    )
    measured = simulate_readout(
        mixture, projection, readout, samples=40_000, rng=np.random.default_rng(7), activation=activation
    )
    assert abs(measured.pmse - readout.pmse) <= 4 * measured.pmse_error  # both 1/2 where odd features learn nothing
    # The output is Gaussian only in the limit of large D: as above.
    assert abs(measured.class_error - readout.class_error) < 4 * measured.class_error_error + 0.03 * readout.class_error


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("regime", ["low", "high", "mixed"])
def test_two_coinciding_clusters_are_one(name, regime):
    three = three_clusters(0.3, 0.4, regime, 30)
    four = from_means([*three.means, [0.0]], [-1, -1, 1, 1], [0.3, 0.3, 0.2, 0.2], 0.3)
    projection, overlaps = random_case(3)
    errors = [
        optimal_readout(m, projection, overlaps, overlap_order=3, ridge=1e-6, activation=ALL[name]).pmse
        for m in (three, four)
    ]
    assert errors[1] == pytest.approx(errors[0], rel=1e-10)


@pytest.mark.parametrize("regime", ["low", "high", "mixed"])
@pytest.mark.parametrize("positive_fraction", [0.5, 0.3])
def test_linear_features_of_xor_are_at_chance(regime, positive_fraction):
    mixture = xor(0.25, positive_fraction, regime, 30)
    readout = optimal_readout(mixture, *random_case(0), activation=LINEAR)
    assert readout.pmse == pytest.approx(
        2 * positive_fraction * (1 - positive_fraction), rel=1e-12
    )  # half the variance
    assert readout.class_error == pytest.approx(positive_fraction, abs=1e-12)


@given(seed=seeds, clusters=st.integers(2, 5))
@settings(max_examples=20, deadline=None)
def test_linear_features_are_linear_regression_of_the_input(seed, clusters):
    mixture = uneven_mixture(seed, clusters)
    projection = random_projection(np.random.default_rng(seed), 12, 12)
    readout = optimal_readout(
        mixture, projection, projection_overlaps(projection), overlap_order=1, ridge=0.0, activation=LINEAR
    )
    p, y, means = mixture.weights, mixture.labels, mixture.means
    centred = means - p @ means
    direction = np.linalg.solve(mixture.variance * np.eye(2) + centred.T @ (p[:, None] * centred), (p * y) @ centred)
    M, variance = centred @ direction, mixture.variance * direction @ direction
    np.testing.assert_allclose(projection @ readout.weights / math.sqrt(12), np.pad(direction, (0, 10)), atol=1e-6)
    assert readout.pmse == pytest.approx(0.5 * (p @ (y - p @ y - M) ** 2 + variance), rel=1e-7)
    assert readout.class_error == pytest.approx(p @ ndtr(-y * (p @ y + M) / math.sqrt(variance)), rel=1e-6)


def test_linear_features_find_the_linear_discriminant_of_two_clusters():
    projection, overlaps = random_case(0, 20, 40)
    readout = optimal_readout(circle(1, 0.3), projection, overlaps, activation=LINEAR)
    assert readout.class_error == pytest.approx(ndtr(-1 / math.sqrt(0.3)), rel=1e-6)  # no classifier does better
    discriminant = projection @ readout.weights
    np.testing.assert_allclose(discriminant[1:], 0, atol=1e-5 * abs(discriminant[0]))


@pytest.mark.parametrize("name", ALL)
def test_best_readout_without_offset_satisfies_its_normal_equations(name):
    mixture, (projection, overlaps), g = uneven_mixture(4), random_case(4), ALL[name]
    moments = feature_moments(mixture, projection, overlap_order=3, activation=g)
    readout = optimal_readout(
        mixture, projection, overlaps, overlap_order=3, ridge=0.01, activation=g, with_offset=False
    )
    second = np.tril(
        feature_covariance(overlaps, moments.coefficients, moments.variance, moments.mean, mixture.weights)
    )
    second += np.tril(second, -1).T
    label_product = (mixture.weights * mixture.labels) @ moments.mean
    np.testing.assert_allclose(second @ readout.weights + 0.01 * readout.weights, label_product, atol=1e-12)
    gain = label_product @ readout.weights - 0.5 * readout.weights @ second @ readout.weights
    assert readout.pmse == pytest.approx(0.5 - gain, rel=1e-10)
    assert readout.offset == 0
    assert readout.pmse > optimal_readout(mixture, projection, overlaps, overlap_order=3, ridge=0.0, activation=g).pmse


def test_any_readout_is_evaluated_and_none_beats_the_best():
    mixture, (projection, overlaps) = uneven_mixture(8), random_case(8)
    moments = feature_moments(mixture, projection, overlap_order=3)
    best = optimal_readout(mixture, projection, overlaps, overlap_order=3, ridge=0.0)
    again = evaluate_readout(
        mixture, moments, overlaps, weights=best.weights, feature_mean=best.feature_mean, offset=best.offset
    )
    assert (again.pmse, again.class_error) == (best.pmse, best.class_error)
    for change in 0.1 * np.random.default_rng(0).standard_normal((5, 25)):
        assert evaluate_readout(mixture, moments, overlaps, weights=best.weights + change).pmse > best.pmse


def test_silent_readout_is_half_wrong_and_a_constant_one_wrong_on_the_other_class():
    mixture, (projection, overlaps) = xor(0.3, 0.2), random_case(0)
    moments = feature_moments(mixture, projection, overlap_order=1)
    silent = evaluate_readout(mixture, moments, overlaps, weights=np.zeros(25))
    assert (silent.pmse, silent.class_error) == (0.5, 0.5)
    constant = evaluate_readout(mixture, moments, overlaps, weights=np.zeros(25), offset=-0.6)
    assert constant.class_error == pytest.approx(0.2)


@given(seed=seeds, overlap_order=st.integers(1, 4), readouts=st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_readout_covariances_are_those_of_full_matrices(seed, overlap_order, readouts):
    mixture, projection = uneven_mixture(seed), uneven_projection(seed)
    overlaps, moments = (
        projection_overlaps(projection),
        feature_moments(mixture, projection, overlap_order=overlap_order),
    )
    weights = np.random.default_rng(seed).standard_normal((25, readouts))
    covariances = readout_covariances(overlaps, moments.coefficients, moments.variance, weights)
    for cluster, (c, variance) in enumerate(
        zip(np.moveaxis(moments.coefficients, 1, 0), moments.variance, strict=True)
    ):
        full = sum(np.outer(term, term) * overlaps**n for n, term in enumerate(c, 1))
        np.fill_diagonal(full, variance)
        np.testing.assert_allclose(covariances[cluster], weights.T @ full @ weights, rtol=1e-9, atol=1e-9)


CLOUDS = {
    "xor, low": (xor(0.09), RELU, 3),
    "xor, high": (xor(1.0, 0.3, "high", 60), RELU, 3),
    "xor, low, linear": (xor(0.09), LINEAR, 2),
    "three, mixed, erf": (three_clusters(1.0, 0.5, "mixed", 60), ERF, 2),
    "two": (circle(1, 0.2), RELU, 1),
}


@pytest.mark.parametrize("case", CLOUDS)
def test_cloud_has_the_means_and_covariances_of_the_closed_form(case):
    mixture, activation, axes = CLOUDS[case]
    projection, _ = random_case(1, 60, 80)
    cloud = feature_cloud(mixture, projection, 20_000, rng=np.random.default_rng(2), activation=activation)
    assert cloud.points.shape == (len(mixture.means), 20_000, axes)
    np.testing.assert_allclose(mixture.weights @ cloud.means, 0, atol=1e-12 * np.max(np.abs(cloud.moments.mean)))
    for points, mean, covariance in zip(cloud.points, cloud.means, cloud.covariances, strict=True):
        deviations = points - mean
        score = deviations.mean(axis=0) / np.sqrt(np.diag(covariance) / len(points))
        assert np.max(np.abs(score)) < 4
        found, errors = mean_products(deviations, deviations)
        assert np.max(np.abs(found - covariance) / errors) < 4.5


def test_cloud_keeps_the_distances_of_the_cluster_means():
    mixture, (projection, _) = xor(0.3, 0.3), random_case(1)
    cloud = feature_cloud(mixture, projection, 50, rng=np.random.default_rng(0))
    centred = cloud.moments.mean - mixture.weights @ cloud.moments.mean
    np.testing.assert_allclose(cloud.means @ cloud.means.T, centred @ centred.T, rtol=1e-9, atol=1e-12)
    spread = mixture.weights @ cloud.means**2
    assert np.all(np.diff(spread) < 0)


@pytest.mark.parametrize("name", ALL)
def test_cloud_samples_every_feature_as_the_closed_form_has_it(name):
    mixture, (projection, _) = xor(0.3), random_case(1)
    cloud = feature_cloud(mixture, projection, 20_000, rng=np.random.default_rng(0), activation=ALL[name])
    score = (cloud.sampled_mean - cloud.moments.mean) / np.sqrt(cloud.moments.variance / 20_000)
    assert np.max(np.abs(score)) < 4.5
    assert 0.6 < np.mean(score**2) < 1.5
    np.testing.assert_allclose(cloud.sampled_variance, cloud.moments.variance, rtol=0.1)


def test_coinciding_clusters_span_no_axis():
    mixture = from_means([[0.0], [0.0]], [-1, 1], [0.5, 0.5], 1.0)
    with pytest.raises(ConfigError, match="all clusters have the same mean features"):
        feature_cloud(mixture, random_case(0)[0], 10, rng=np.random.default_rng(0))


def test_singular_covariance_is_named():
    projection, _ = random_case(0, 30, 4)
    equivalent = np.repeat(projection, 2, axis=1)
    dead = np.ones((8, 8))
    with pytest.raises(NotConverged, match="8 random features is singular"):
        optimal_readout(
            IsotropicMixture(1e9 * np.ones((1, 2)), np.ones(1), np.ones(1), 1.0), equivalent, dead, ridge=0.0
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"overlaps": np.eye(4)}, r"overlaps have shape \(4, 4\) where 25 features need \(25, 25\)"),
        ({"overlap_order": 0}, "overlap order is 0"),
        ({"ridge": -1.0}, "ridge is -1.0"),
        ({"projection": np.ones((1, 25))}, r"shape \(1, 25\) does not fit means of 2 coordinates"),
        ({"projection": np.ones((30, 25)) * (np.arange(25) != 3)}, "column of zeros"),
        ({"activation": "reloo"}, "unknown activation 'reloo'"),
        ({"activation": 3}, "activation is 3: give a name"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(change, message):
    projection, overlaps = random_case(0)
    with pytest.raises(ConfigError, match=message):
        optimal_readout(**({"mixture": xor(0.3), "projection": projection, "overlaps": overlaps} | change))


def test_random_features_need_a_signal_to_noise_ratio_of_the_root_of_the_dimension():
    """1 / sigma^2 of order sqrt D: the error at sigma = D^(-1/4) does not depend on D, and falls or rises off it."""
    for dimension in (150, 600):
        projection, overlaps = random_case(0, dimension, 2 * dimension)
        lower, middle, upper = (
            optimal_readout(xor(factor**2 / np.sqrt(dimension)), projection, overlaps, overlap_order=2).class_error
            for factor in (0.7, 1.0, 1.5)
        )
        assert middle == pytest.approx(0.25, abs=0.025)
        assert lower < 0.13
        assert upper > 0.36


@pytest.mark.parametrize(("shape", "sigma"), [("xor", 0.5), ("xor", 1e-3), ("three_clusters", 1.0)])
def test_a_readout_that_is_zero(shape, sigma):
    """Odd features have the same mean in both classes, so that the best linear readout is zero."""
    mixture = tl.Mixture(shape, sigma=sigma)
    found = tl.feature_cloud(mixture, input_dimension=20, features_per_dimension=0.5, samples=30, activation="erf")
    assert float(found.closed_class_error) == pytest.approx(0.5, abs=1e-9)
    assert float(found.simulated_class_error) == pytest.approx(0.5, abs=1e-9)
    assert np.isfinite(found.simulated_class_error_sem)
