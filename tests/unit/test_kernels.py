"""Kernel regression: limits, independent calculations, and the functions of the library."""

import numpy as np
import pytest
from scipy.special import ndtr

import twolayer as tl
from twolayer.model.networks.kernels import kernel, kernel_matrix
from twolayer.theory.kernels.kernel_learning import (
    effective_ridge,
    everything,
    learned_from_samples,
    weak_three_clusters_class_error,
    weak_xor_class_error,
)
from twolayer.theory.kernels.kernel_modes import (
    Modes,
    derivatives,
    harmonic_spectrum,
    mixed_xor,
    on_sphere,
    strong_xor,
    weak_three_clusters,
    weak_xor,
)
from twolayer.theory.mixtures.closed_bayes_errors import xor_error
from twolayer.theory.numerics.quadratic_forms import negative_probability

RELU = kernel("features", "relu")


@pytest.mark.parametrize("activation", ["relu", "erf"])
def test_the_kernel_is_the_mean_over_features(activation):
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((4, 6))
    function = {"relu": lambda u: np.maximum(u, 0), "erf": lambda u: 2 * ndtr(u) - 1}[activation]
    features = function(inputs @ rng.standard_normal((6, 200_000)) / np.sqrt(6))
    products = features[:, None] * features
    expected, error = products.mean(axis=-1), products.std(axis=-1) / np.sqrt(200_000)
    assert np.all(np.abs(kernel_matrix(kernel("features", activation), inputs, inputs) - expected) < 5 * error)


@pytest.mark.parametrize("activation", ["relu", "erf"])
def test_the_first_layer_is_the_kernel_of_gradients(activation):
    """Second-layer weights of unit variance: gradients v_k g'(w_k.x) x / sqrt(D) have products overlap E[g' g']."""
    rng = np.random.default_rng(1)
    inputs = rng.standard_normal((3, 5))
    u = inputs @ rng.standard_normal((5, 200_000)) / np.sqrt(5)
    slopes = {"relu": lambda u: (u > 0).astype(float), "erf": lambda u: np.sqrt(2 / np.pi) * np.exp(-(u**2) / 2)}
    products = slopes[activation](u)[:, None] * slopes[activation](u)
    expected, error = products.mean(axis=-1), products.std(axis=-1) / np.sqrt(200_000)
    overlap = inputs @ inputs.T / 5
    found = kernel_matrix(kernel("first_layer", activation), inputs, inputs)
    assert np.all(np.abs(found - overlap * expected) < 5 * np.abs(overlap) * error + 1e-12)


def test_the_spectrum_of_a_polynomial():
    eigenvalues, numbers = harmonic_spectrum(lambda c: 1 + c**2, 5)
    assert numbers.tolist() == [1, 5, 14, 30, 55]
    np.testing.assert_allclose(eigenvalues, [1.2, 0, 2 / (5 * 7), 0, 0], atol=1e-9)  # c^2 = 1/5 + harmonics of degree 2


@pytest.mark.parametrize("dimension", [10**4, 10**6])
def test_the_spectrum_in_large_dimensions(dimension):
    """The share of a degree tends to its term of the Taylor series at 0, with corrections of the order of 1 / D."""
    function = on_sphere(RELU, 1.0)
    eigenvalues, numbers = harmonic_spectrum(function, dimension)
    series = derivatives(function, 0.0, 4) / [1, 1, 2, 6, 24]
    np.testing.assert_allclose(eigenvalues * numbers, series, rtol=20 / dimension + 5e-4, atol=1e-8)


def test_an_odd_kernel_has_no_even_modes():
    function = on_sphere(kernel("tangent", "erf"), 0.7)
    assert harmonic_spectrum(function, 20)[0][[0, 2, 4]].tolist() == [0, 0, 0]
    for modes in (weak_xor, weak_three_clusters, mixed_xor, strong_xor):
        assert modes(kernel("tangent", "erf"), 0.5, 20).eigenvalues[0] == 0


@pytest.mark.parametrize("activation", ["relu", "erf"])
@pytest.mark.parametrize("dimension", [3, 20, 1000])
@pytest.mark.parametrize("sigma", [0.01, 1.0, 1e3])
def test_modes_of_xor_with_a_strong_direction_add_up_to_the_diagonal(activation, dimension, sigma):
    """The weak mean adds 1 / D to the power of the weak direction. Pairs have a correction of the order of 1 / D."""
    power, function = 1 + sigma**2, kernel("features", activation)
    modes, sphere = mixed_xor(function, sigma, dimension), on_sphere(function, power)
    weak = derivatives(sphere, 1 / power, 1)[1] / (power * dimension)
    assert modes.rest > 0
    total = modes.multiplicities @ modes.eigenvalues + modes.rest
    assert total == pytest.approx(sphere(1.0) + weak, rel=0.2 / dimension)


def test_without_a_ridge_all_modes_are_learned_from_more_samples_than_modes():
    """Until then kappa is positive: with n samples of N equal modes it is the eigenvalue times (N - n) / n."""
    modes = Modes(np.array([0.1]), np.array([50.0]), 0.5, 0.0)
    assert effective_ridge(modes, 60, 0.0) == 0
    assert effective_ridge(modes, 20, 0.0) == pytest.approx(0.1 * 30 / 20)
    assert learned_from_samples(modes, 60, 0.0).pmse == pytest.approx(0.5 * 0.75 / (1 - 50 / 60))


def test_derivatives_on_the_sphere():
    function = on_sphere(RELU, 1.3)
    step = 1e-4
    slope = (function(0.4 + step) - function(0.4 - step)) / (2 * step)
    curvature = (function(0.4 + step) - 2 * function(0.4) + function(0.4 - step)) / step**2
    np.testing.assert_allclose(derivatives(function, 0.4, 2), [function(0.4), slope, curvature], rtol=1e-6)


def test_the_sign_of_a_quadratic_form():
    rng = np.random.default_rng(2)
    factors, means = np.array([0.7, -1.0]), np.array([1.0, 0.3])
    x = means + 0.6 * rng.standard_normal((400_000, 2))
    form = x**2 @ factors + 0.2 * rng.standard_normal(400_000)
    assert negative_probability(factors, means, 0.36, 0.04) == pytest.approx(np.mean(form < 0), abs=4e-3)
    assert negative_probability(np.zeros(2), means, 0.36, 0.0) == 0.5


@pytest.mark.parametrize("deviation", [1e-9, 1e-3, 0.02, 0.1, 0.5])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_sign_of_a_quadratic_form_far_from_zero(deviation, sign):
    """Of x^2 - y^2 with means 1 and 0: both x - y and x + y are positive, or both are negative."""
    part = ndtr(-1 / (np.sqrt(2) * deviation))
    found = negative_probability(sign * np.array([1.0, -1.0]), np.array([1.0, 0.0]), deviation**2, 0.0)
    unlikely = 2 * part * (1 - part)
    assert found == pytest.approx(unlikely if sign > 0 else 1 - unlikely, abs=1e-12)


@pytest.mark.parametrize("sigma", [0.2, 0.5, 2.0])
def test_with_enough_samples_the_quadratic_alone_decides(sigma):
    error = weak_xor_class_error(everything(weak_xor(RELU, sigma, 100)), sigma)
    assert error == pytest.approx(xor_error(np.array([sigma]))[0], abs=1e-7)
    edge = np.sqrt(sigma**2 + 0.5)
    expected = (2 * ndtr(-edge / sigma) + ndtr((edge - 1) / sigma) - ndtr((-edge - 1) / sigma)) / 2
    found = weak_three_clusters_class_error(everything(weak_three_clusters(RELU, sigma, 100)), sigma)
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_best_ridge_is_the_best():
    modes = weak_xor(RELU, 0.4, 100)
    best = learned_from_samples(modes, 800, None)
    others = [learned_from_samples(modes, 800, ridge).pmse for ridge in best.ridge * np.array([0.5, 2.0])]
    assert min(others) >= best.pmse


@pytest.mark.parametrize("shape", ["xor", "three_clusters"])
def test_odd_features_do_not_see_even_classes(shape):
    theory = tl.kernel_theory(
        tl.Mixture(shape=shape, sigma=0.5, dimension=60), samples=[5000], activation="erf", ridge=1e-3
    )
    assert float(theory.class_error[0, 0]) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("regime", "sigma", "samples", "dimension", "correction"),
    [("low", 0.5, 1000, 100, 0.6 / 25), ("mixed", 1.0, 400, 100, 0.05), ("high", 4.0, 400, 100, 0.6 / 16)],
)
def test_regression_on_samples_follows_the_theory(regime, sigma, samples, dimension, correction):
    mixture = tl.Mixture(shape="xor", regime=regime, sigma=sigma, dimension=dimension)
    ridge = 1e-3
    runs = tl.kernel_regression(mixture, samples=[samples], ridge=ridge, seeds=6, test_samples=2000)
    theory = tl.kernel_theory(mixture, samples=[samples], ridge=ridge)
    error = float(runs.pmse.std("seed", ddof=1).item() / np.sqrt(6))
    assert abs(runs.pmse.mean("seed").item() - theory.pmse.item()) < correction * theory.pmse.item() + 5 * error


@pytest.mark.parametrize("regime", ["low", "mixed", "high"])
@pytest.mark.parametrize("activation", ["relu", "erf"])
@pytest.mark.parametrize("ridge", [None, 0.0, 1e-6, 1e6])
def test_extreme_numbers_have_errors_in_their_range(regime, activation, ridge):
    for dimension, sigma in [(3, 0.01), (3, 1e3), (20, 1e-3), (1000, 0.01), (10**6, 1.0)]:
        mixture = tl.Mixture(shape="xor", regime=regime, sigma=sigma, dimension=dimension)
        options = {"activation": activation, "ridge": ridge, "features": [1, 100]}
        theory = tl.kernel_theory(mixture, samples=[1, 10**6], **options)
        for name in ("class_error", "limit_class_error", "feature_class_error"):
            assert ((theory[name] >= 0) & (theory[name] <= 0.5 + 1e-9)).all(), (name, dimension, sigma)
        for name in ("pmse", "limit_pmse", "feature_pmse"):
            assert (theory[name] >= 0).all(), (name, dimension, sigma)


def test_strong_means_need_noise_above_rounding():
    mixture = tl.Mixture(shape="xor", regime="high", sigma=1e-9, dimension=20)
    with pytest.raises(tl.ConfigError, match=r"sigma has 1e-09.*at least 1e-05"):
        tl.kernel_theory(mixture, samples=[50])


def test_few_samples_of_weak_means_teach_nothing_and_many_all():
    mixture = tl.Mixture(shape="xor", sigma=0.5, dimension=1000)
    theory = tl.kernel_theory(mixture, samples=[1000, 10**6, 10**9]).squeeze()
    assert theory.class_error[0] > 0.48
    assert theory.class_error[2] == pytest.approx(float(theory.bayes_error), abs=2e-3)


def test_mixtures_without_a_theory_are_refused():
    mixture = tl.Mixture(shape="three_clusters", regime="mixed", sigma=0.5, dimension=60)
    with pytest.raises(tl.ConfigError, match="use kernel_regression"):
        tl.kernel_theory(mixture, samples=[50])
    with pytest.raises(tl.ConfigError, match="use kernel 'features'"):
        tl.kernel_regression(mixture, samples=[50], features=[10], kernel="tangent")
