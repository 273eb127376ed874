"""The support vector machine, against coordinate descent, its conditions and cases known by hand."""

import numpy as np
import pytest
from sklearn.svm import SVC, LinearSVC

from twolayer.errors import NotConverged
from twolayer.simulation.convex.cluster_learning import binary_classifier
from twolayer.simulation.convex.support_vectors import support_vector_machine


def samples(n, d, noise=0.5, seed=0):
    rng = np.random.default_rng(seed)
    inputs = rng.standard_normal((n, d)) * np.arange(1, d + 1) ** -0.5
    return inputs, np.sign(inputs @ rng.standard_normal(d) + noise * rng.standard_normal(n))


@pytest.mark.parametrize("ridge", [0.03, 1, 30])
@pytest.mark.parametrize(("n", "d"), [(15, 40), (40, 40), (200, 40)])
def test_coordinate_descent_finds_the_same(n, d, ridge):
    inputs, labels = samples(n, d)
    options = {"loss": "hinge", "C": 1 / ridge, "fit_intercept": False, "dual": True, "random_state": 0}
    other = LinearSVC(**options, tol=1e-9, max_iter=1_000_000).fit(inputs, labels).coef_[0]
    np.testing.assert_allclose(support_vector_machine(inputs, labels, ridge, gap=1e-12), other, atol=1e-5, rtol=1e-5)


def test_weights_are_zero_beyond_the_margin_and_one_within():
    inputs, labels = samples(300, 20)
    w = support_vector_machine(inputs, labels, 0.1)
    margin = labels * (inputs @ w)
    on_it = abs(margin - 1) < 1e-4
    assert 5 < on_it.sum() <= 20
    # 0.1 w is the sum of y x over samples within the margin, plus samples on the margin with weights of 0 to 1
    left = 0.1 * w - inputs[margin < 1 - 1e-4].T @ labels[margin < 1 - 1e-4]
    weights, _, _, _ = np.linalg.lstsq(inputs[on_it].T * labels[on_it], left)
    np.testing.assert_allclose((inputs[on_it].T * labels[on_it]) @ weights, left, atol=1e-6)
    assert weights.min() > -1e-6
    assert weights.max() < 1 + 1e-6


@pytest.mark.parametrize("scale", [1, 1e-6, 1e6])
@pytest.mark.parametrize("ridge", [1e-3, 1])
@pytest.mark.parametrize(("n", "d"), [(30, 40), (300, 5)])
def test_the_minimum_with_a_bias(n, d, ridge, scale):
    """At given weights the loss is least at one of its kinks. No other program finds a smaller value."""
    inputs, labels = samples(n, d)
    labels[:3] = 1
    *w, b = support_vector_machine(scale * inputs, labels, scale**2 * ridge, bias=True)
    w = scale * np.array(w)

    def value(w, bias):
        return ridge / 2 * w @ w + np.maximum(0, 1 - labels * (inputs @ w + bias)).sum()

    found = value(w, b) * (1 - 2e-9)
    assert found <= min(value(w, kink) for kink in labels - inputs @ w)
    other = SVC(C=1 / ridge, kernel="linear", tol=1e-5).fit(inputs, labels)
    assert found <= value(other.coef_[0], other.intercept_[0])
    np.testing.assert_allclose(w, other.coef_[0], atol=2e-3 * np.abs(w).max())


def test_a_machine_with_a_bias_on_many_samples_of_classes_that_overlap():
    """With a tolerance of 1e-7, libsvm never ends on these samples. The best answer is always the frequent label."""
    rng = np.random.default_rng(0)
    clusters = rng.choice(4, size=2000, p=[0.011, 0.2775, 0.3495, 0.362])
    inputs, labels = 1.5 * rng.standard_normal((2000, 20)), np.array([1, -1, 1, -1])[clusters]
    inputs[:, 0] += np.array([1.94, 0.79, 0.14, -0.43])[clusters]
    w, b = binary_classifier(inputs, labels, "hinge", 1.0, bias=True, huber_delta=1.0)
    value = w @ w / 2 + np.maximum(0, 1 - labels * (inputs @ w / np.sqrt(20) + b)).sum()
    assert value == pytest.approx(2 * np.sum(labels == 1), rel=1e-8)
    assert b == pytest.approx(-1, abs=1e-6)


def test_two_samples_that_a_wide_margin_separates():
    w = support_vector_machine(np.array([[2.0, 0], [-2.0, 0]]), np.array([1.0, -1]), 1e-3)
    np.testing.assert_allclose(w, [0.5, 0], atol=1e-6)


def test_a_large_ridge_leaves_the_mean():
    inputs, labels = samples(50, 10)
    np.testing.assert_allclose(support_vector_machine(inputs, labels, 1e4), labels @ inputs / 1e4, rtol=1e-6)


def test_a_ridge_below_rounding_is_refused():
    inputs, labels = samples(500, 30)
    with pytest.raises(NotConverged, match="ridge 1e-30 was minimised only to"):
        support_vector_machine(inputs, labels, 1e-30)


def test_predictor_and_corrector_lead_in_no_circles():
    """On these four samples the predictor and the corrector used to repeat the same steps without end."""
    inputs = np.array(
        [
            [0.25874372, -0.75878287, 0.7450991, 0.89162671],
            [0.14220327, 1.08283658, -0.15242561, -0.10836959],
            [-0.56494623, 1.68763831, -1.1153794, -0.87579604],
            [0.223825, -0.35365238, 0.16603631, 0.04433759],
        ]
    )
    labels = np.array([1.0, -1, -1, -1])
    w = support_vector_machine(inputs, labels, 0.1)
    options = {"loss": "hinge", "C": 10, "fit_intercept": False, "dual": True, "random_state": 0}
    other = LinearSVC(**options, tol=1e-9, max_iter=1_000_000).fit(inputs, labels).coef_[0]
    np.testing.assert_allclose(w, other, atol=1e-5)
