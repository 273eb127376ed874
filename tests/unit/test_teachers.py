"""Teacher distributions: density, masses and samples agree with each other."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2

from twolayer.errors import ConfigError
from twolayer.model.teachers.teacher_distributions import (
    CircleTeacher,
    sample_torus_teacher,
    wrapped_cauchy,
    wrapped_cauchy_spread,
)


@pytest.mark.parametrize("gamma", [0.0, 10.0, 1000.0])
def test_cell_averages_are_integrals_of_the_density(gamma):
    teacher, edges = CircleTeacher(gamma), np.linspace(-np.pi, np.pi, 8)
    masses = [quad(teacher.density, *pair, points=[0, 0.4 * np.pi])[0] for pair in pairwise(edges)]
    np.testing.assert_allclose(teacher.cell_averages(edges) * np.diff(edges), masses, rtol=1e-8)
    assert sum(masses) == pytest.approx(1)


@pytest.mark.parametrize("gamma", [0.0, 10.0, 1000.0])
def test_samples_follow_the_density(gamma):
    """Pearson's statistic over 40 bins; a right sampler fails once in 10^5."""
    edges = np.linspace(-np.pi, np.pi, 41)
    expected = CircleTeacher(gamma).cell_averages(edges) * np.diff(edges) * 60_000
    counted = np.histogram(CircleTeacher(gamma).sample(np.random.default_rng(0).random(60_000)), edges)[0]
    assert counted.sum() == 60_000
    assert ((counted - expected) ** 2 / expected).sum() < chi2.isf(1e-5, 39)


@pytest.mark.parametrize("gamma", [0.0, 10.0, 1000.0])
def test_signals_are_averages_of_relu_features(gamma):
    teacher = CircleTeacher(gamma)
    for angle in (-2.5, 0.3, 1.2):
        places = sorted([0, 0.4 * np.pi, *(np.mod(angle + shift + np.pi, 2 * np.pi) - np.pi for shift in (-1.6, 1.6))])

        def answer(t, angle=angle):
            return max(np.cos(t - angle), 0) * teacher.density(t)

        expected = quad(answer, -np.pi, np.pi, points=places, limit=200)[0]
        assert teacher.signal(np.array([angle]))[0] == pytest.approx(expected, abs=3e-7)


def test_the_sampler_is_the_inverse_of_the_distribution_function():
    """tan(theta / 2) sqrt(1 + gamma) = tan(direction)."""
    uniform = np.linspace(0.3, 0.7, 9)
    theta = wrapped_cauchy(uniform, 24.0)
    np.testing.assert_allclose(np.tan(theta / 2) * 5, np.tan(2 * np.pi * uniform - np.pi), rtol=1e-12, atol=1e-14)


def test_an_infinite_concentration_on_the_torus_leaves_two_points():
    features = sample_torus_teacher(np.random.default_rng(0).random((2, 5)), np.inf)
    np.testing.assert_array_equal(features, [[-1, 0], [1, 1], [-1, 0], [1, 1], [-1, 0]])


def test_features_on_the_torus_lie_around_their_centres():
    features = sample_torus_teacher(np.random.default_rng(0).random((2, 4000)), 1000.0)
    assert abs(features).max() <= 2
    median, error = wrapped_cauchy_spread(1000.0, 2000)
    for first, centre in enumerate([(-1, 0), (1, 1)]):
        distance = np.mod(features[first::2] - centre + 2, 4) - 2
        np.testing.assert_allclose(np.median(abs(distance), axis=0) * np.pi / 2, median, rtol=0, atol=4 * error)


def test_concentrations_are_not_negative():
    with pytest.raises(ConfigError, match="gamma is -1"):
        CircleTeacher(-1.0)
    with pytest.raises(ConfigError, match="gamma is -1"):
        sample_torus_teacher(np.zeros((2, 1)), -1.0)
