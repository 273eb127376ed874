"""Logistic regression, against the conditions of its minimum, for ridges from 100 to 1e-8."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from twolayer.errors import NotConverged
from twolayer.simulation.convex.cluster_learning import binary_classifier, classifier
from twolayer.simulation.convex.convex_learning import learn

RIDGES = [100, 0.1, 1e-4, 1e-6, 1e-8]


def samples(n, d, classes=2, noise=0.0):
    """Features and numbers of classes; without noise, planes separate the classes."""
    rng = np.random.default_rng(n)
    inputs = rng.standard_normal((n, d))
    return inputs, np.argmax(inputs @ rng.standard_normal((d, classes)) + noise * rng.standard_normal((n, classes)), 1)


@pytest.mark.parametrize("ridge", RIDGES)
@pytest.mark.parametrize("noise", [0, 10])
@pytest.mark.parametrize(("n", "d"), [(30, 80), (200, 40)])
def test_two_classes(n, d, noise, ridge):
    """Ridge times the weights is the sum of the pushes of the samples."""
    inputs, classes = samples(n, d, noise=noise)
    labels, inputs = 2.0 * classes - 1, inputs * d**0.5
    weights = learn(inputs, labels, "logistic", ridge)
    pushes = (labels * expit(-labels * (inputs @ weights) / d**0.5))[:, None] * inputs / d**0.5
    np.testing.assert_allclose(pushes.sum(0), ridge * weights, atol=3e-6 * np.abs(pushes).sum(0).max())


@pytest.mark.parametrize("ridge", RIDGES)
@pytest.mark.parametrize("noise", [0, 10])
def test_few_weights(noise, ridge):
    """The push on a weight is the ridge with the sign of the weight, and at most the ridge on a weight of zero."""
    d = 60
    inputs, classes = samples(50, d, noise=noise)
    labels = 2.0 * classes - 1
    weights = learn(inputs * d**0.5, labels, "logistic", ridge, penalty="l1")
    pushes = (labels * expit(-labels * (inputs @ weights)))[:, None] * inputs
    tolerance = 3e-5 * np.abs(pushes).sum(0).max()
    push, zero = pushes.sum(0), weights == 0
    assert zero.any()
    np.testing.assert_allclose(push[~zero], ridge * np.sign(weights[~zero]), atol=tolerance)
    assert np.abs(push[zero]).max() < ridge + tolerance


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("ridge", RIDGES)
@pytest.mark.parametrize("noise", [0, 10])
@pytest.mark.parametrize("count", [2, 4])
def test_several_classes(count, noise, ridge, bias):
    inputs, classes = samples(150, 40, count, noise)
    weights, biases = classifier(inputs * 40**0.5, classes, count, "softmax", ridge, bias=bias)
    wrong = softmax(inputs @ weights.T + biases, axis=1)
    wrong[range(150), classes] = 0
    wrong[range(150), classes] = -wrong.sum(1)
    sizes = np.abs(wrong).T @ np.abs(inputs)
    np.testing.assert_allclose(wrong.T @ inputs, -ridge * weights, atol=3e-6 * sizes.max())
    assert np.abs(wrong.sum(0)).max() < 3e-6 * sizes.max() or not bias


def test_a_bias():
    """Without features, the odds are the numbers of samples."""
    labels = np.repeat([1.0, -1.0], [30, 10])
    weights, bias = binary_classifier(np.zeros((40, 3)), labels, "logistic", 0.1, bias=True, huber_delta=1.0)
    assert bias == pytest.approx(np.log(3), rel=1e-6)
    np.testing.assert_array_equal(weights, 0)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_the_size_of_the_features_is_a_unit(size):
    inputs, classes = samples(50, 80)
    expected = learn(inputs, 2.0 * classes - 1, "logistic", 1e-4)
    found = learn(size * inputs, 2.0 * classes - 1, "logistic", size**2 * 1e-4)
    np.testing.assert_allclose(size * found, expected, rtol=1e-3, atol=1e-5)


def test_weights_grow_with_the_logarithm_of_the_ridge():
    """For separable classes, the direction of the largest margin results.

    A margin z pushes with exp(-z) = ridge times the size of the weights.
    """
    inputs, classes = samples(30, 80)
    labels = 2.0 * classes - 1
    small, tiny = (learn(inputs, labels, "logistic", ridge) for ridge in (1e-7, 1e-10))
    margin = learn(inputs, labels, "hinge", 1e-6)
    smaller, larger, unit = (np.linalg.norm(weights) for weights in (small, tiny, margin))
    assert (larger - smaller) / unit + np.log(larger / smaller) == pytest.approx(np.log(1e3), rel=0.01)
    cosines = [weights @ margin / size / unit for weights, size in ((small, smaller), (tiny, larger))]
    assert 0.99 < cosines[0] < cosines[1]


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_the_end_of_the_digits(penalty):
    inputs, classes = samples(30, 80)
    with pytest.raises(NotConverged, match=r"^the logistic loss at ridge 1e-40 did not .* iterations: raise ridges$"):
        learn(inputs, 2.0 * classes - 1, "logistic", 1e-40, penalty=penalty)
