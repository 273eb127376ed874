"""The hinge loss: interior points against liblinear's descent along one weight after the other."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from twolayer.simulation.convex.support_vectors import support_vector_machine

RIDGE = 0.1


@pytest.fixture
def samples(d):
    """Return twice as many samples as features, with a power-law spectrum like the spectrum of images."""
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((2 * d, d)) * np.arange(1, d + 1) ** -0.5
    return inputs, np.sign(inputs @ rng.standard_normal(d) + rng.standard_normal(2 * d))


def textbook(inputs, labels):
    options = {"loss": "hinge", "fit_intercept": False, "dual": True, "random_state": 0}
    return LinearSVC(C=1 / RIDGE, tol=1e-6, max_iter=100_000, **options).fit(inputs, labels).coef_[0]


def interior_point(inputs, labels):
    return support_vector_machine(inputs, labels, RIDGE)


@pytest.mark.benchmark(group="hinge loss")
@pytest.mark.parametrize("d", [100, 200, 400])
@pytest.mark.parametrize("way", [interior_point, textbook])
def test_fit(benchmark, samples, way):
    inputs, labels = samples
    np.testing.assert_allclose(interior_point(inputs, labels), textbook(inputs, labels), atol=1e-3)
    benchmark(way, inputs, labels)
