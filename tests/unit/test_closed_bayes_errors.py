import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import log_ndtr

from twolayer.theory.mixtures.closed_bayes_errors import (
    three_cluster_error,
    three_cluster_mixed_error,
    xor_error,
    xor_mixed_error,
)

ERRORS = {
    "xor": (xor_error, 0.5),
    "xor mixed": (xor_mixed_error, 0.5),
    "three": (three_cluster_error, 0.5),
    "three mixed": (three_cluster_mixed_error, 0.25),
}


def density(x, mean, deviation):
    return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))


def overlap(negative, positive, reach):
    """Integral of the smaller of two class densities: the Bayes error on a line."""
    return quad(lambda x: min(negative(x), positive(x)), -reach, reach, limit=2000, epsabs=1e-12)[0]


@pytest.mark.parametrize("deviation", [0.3, 0.7, 1.0, 2.5])
def test_three_clusters_match_the_overlap_of_the_classes(deviation):
    def outer(x):
        return 0.25 * (density(x, 1, deviation) + density(x, -1, deviation))

    expected = overlap(outer, lambda x: 0.5 * density(x, 0, deviation), 1 + 9 * deviation)
    assert three_cluster_error(deviation) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("deviation", [0.3, 0.7, 1.0, 2.5])
def test_mixed_three_clusters_match_the_overlap_of_the_two_near_ones(deviation):
    def near(x):
        return 0.25 * density(x, -1, deviation)

    expected = overlap(near, lambda x: 0.5 * density(x, 0, deviation), 1 + 9 * deviation)
    assert three_cluster_mixed_error(deviation) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("error", "means"), [(xor_error, [[1, 0], [0, 1]]), (xor_mixed_error, [[60, 1], [60, -1]])])
def test_xor_matches_the_best_decision_on_samples(error, means):
    rng, deviation = np.random.default_rng(0), 0.8
    centres = np.array([means[0], np.negative(means[0]), means[1], np.negative(means[1])], float)
    cluster = rng.integers(4, size=400_000)
    x = centres[cluster] + deviation * rng.standard_normal((len(cluster), 2))
    exponent = x @ centres.T / deviation**2
    likelihood = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    wrong = (likelihood[:, 2:].sum(axis=1) > likelihood[:, :2].sum(axis=1)) != (cluster >= 2)
    expected = error(deviation)
    assert abs(wrong.mean() - expected) < 4 * np.sqrt(expected * (1 - expected) / len(x))


@pytest.mark.parametrize("name", ERRORS)
def test_little_noise_is_error_free_and_much_noise_leaves_the_priors(name):
    error, prior = ERRORS[name]
    deviations = np.geomspace(0.02, 1e5, 200)
    values = error(deviations)
    assert np.all(values >= 0)
    assert np.all(np.diff(values) >= -1e-15)
    assert values[0] < 1e-100
    assert values[-1] == pytest.approx(prior, abs=1e-4)


@given(deviation=st.floats(0.03, 0.2))
def test_small_errors_keep_their_relative_accuracy(deviation):
    right = 1 / (np.sqrt(2) * deviation)
    assert np.log(xor_error(deviation)) == pytest.approx(np.log(2) + log_ndtr(right) + log_ndtr(-right), abs=1e-10)
    assert np.log(xor_mixed_error(deviation)) == pytest.approx(log_ndtr(-1 / deviation), abs=1e-10)
    # Three clusters, little noise: on each side the boundary `edge` separates two Gaussians of priors 1/4 and 1/2.
    edge = 0.5 + deviation**2 * np.log(2)
    missed, invented = np.log(0.5) + log_ndtr((edge - 1) / deviation), log_ndtr(-edge / deviation)
    assert np.log(three_cluster_error(deviation)) == pytest.approx(np.logaddexp(missed, invented), abs=1e-3)
