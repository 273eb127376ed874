"""Softmax regression: Newton's steps by conjugate gradients against the usual quasi-Newton method, at one accuracy."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from twolayer.simulation.convex.logistic_regression import logistic_regression

RIDGE, CLASSES = 1e-3, 10


@pytest.fixture
def samples(d):
    """Return three times as many samples as features."""
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((3 * d, d)) / np.sqrt(d)
    outputs = inputs @ rng.standard_normal((d, CLASSES)) + rng.standard_normal((3 * d, CLASSES)) / 3
    return inputs, np.argmax(outputs, axis=1)


def conjugate_gradients(inputs, classes):
    return logistic_regression(inputs, classes, RIDGE, bias=False).coef_


def textbook(inputs, classes):
    chosen, shape = np.eye(CLASSES)[classes], (CLASSES, inputs.shape[1])

    def loss(flat):
        weights = flat.reshape(shape)
        z = inputs @ weights.T
        value = np.sum(logsumexp(z, axis=1) - np.sum(z * chosen, axis=1)) + RIDGE * np.sum(weights**2) / 2
        return value, ((softmax(z, axis=1) - chosen).T @ inputs + RIDGE * weights).ravel()

    options = {"maxiter": 10_000, "maxfun": 20_000, "gtol": 1e-7, "ftol": 0}
    return minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options=options).x.reshape(shape)


@pytest.mark.benchmark(group="softmax regression")
@pytest.mark.parametrize("d", [30, 100])
@pytest.mark.parametrize("way", [conjugate_gradients, textbook])
def test_fit(benchmark, samples, way):
    inputs, classes = samples
    found, expected = conjugate_gradients(inputs, classes), textbook(inputs, classes)
    np.testing.assert_allclose(found, expected, atol=1e-3 * np.abs(expected).max())
    benchmark(way, inputs, classes)
