"""Distances between measures: fast forms against their definitions, and simple cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twolayer.errors import ConfigError
from twolayer.simulation.mean_field.distances import (
    CircleMeasure,
    chord,
    circle_mmd,
    mean_distance,
    pairwise_mmd,
    smoothed_density,
    torus_distance,
)


def plane(angles):
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), first=st.integers(1, 20), second=st.integers(1, 20))
def test_the_linear_form_is_the_pairwise_one(seed, first, second):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-4, 4, first), rng.uniform(-9, 9, second)
    fast = circle_mmd(CircleMeasure.at(a), CircleMeasure.at(b))
    assert fast == pytest.approx(pairwise_mmd(plane(a), plane(b), chord), abs=1e-7)


def test_weights_count_like_repeated_points():
    a, b = np.array([0.1, 2.0, 5.0]), np.array([0.3, 4.0])
    weighted = circle_mmd(CircleMeasure.at(a, np.array([0.5, 0.25, 0.25])), CircleMeasure.at(b))
    assert weighted == pytest.approx(circle_mmd(CircleMeasure.at(a[[0, 0, 1, 2]]), CircleMeasure.at(b)), rel=1e-12)


def test_equal_measures_are_at_distance_zero():
    angles = np.random.default_rng(0).uniform(0, 6, 1000)
    same = CircleMeasure.at(angles), CircleMeasure.at(angles[::-1])
    assert circle_mmd(*same) < 1e-7


def test_two_points():
    a, b = CircleMeasure.at(np.array([0.2])), CircleMeasure.at(np.array([0.2 + np.pi]))
    assert circle_mmd(a, b) == pytest.approx(2)  # square root of twice the chord


def test_the_torus_is_periodic():
    assert torus_distance(3.8, -0.3) == pytest.approx(np.hypot(0.2, 0.3))
    rng = np.random.default_rng(0)
    first, second = rng.uniform(-2, 2, (5, 2)), rng.uniform(-2, 2, (7, 2))
    shifted = pairwise_mmd(first + 4, second, torus_distance)
    assert shifted == pytest.approx(pairwise_mmd(first, second, torus_distance), rel=1e-10)
    spread = mean_distance(second, second, torus_distance)
    assert shifted == pytest.approx(pairwise_mmd(first, second, torus_distance, spread), rel=1e-10)


def test_mean_distances_are_means_over_all_pairs():
    rng = np.random.default_rng(2)
    first, second = rng.uniform(-2, 2, (5, 2)), rng.uniform(-2, 2, (7, 2))
    shifts = 4 * np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1]), axis=-1).reshape(-1, 2)
    all_ways = np.linalg.norm(first[:, None, None] - second[:, None] - shifts, axis=-1)
    assert mean_distance(first, second, torus_distance) == pytest.approx(all_ways.min(axis=-1).mean())
    assert mean_distance(first, second, chord) == pytest.approx(all_ways[..., 4].mean())


def test_smoothing_keeps_mass_and_recovers_a_wide_density():
    at = -np.pi + (np.arange(300) + 0.5) * 2 * np.pi / 300
    smooth = smoothed_density(np.random.default_rng(0).normal(3.0, 0.3, 40_000), at, 0.05)
    assert smooth.sum() * 2 * np.pi / 300 == pytest.approx(1)
    width = np.hypot(0.3, 0.05)
    distance = np.mod(at - 3.0 + np.pi, 2 * np.pi) - np.pi
    exact = np.exp(-(distance**2) / (2 * width**2)) / (width * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(smooth, exact, atol=0.05)


def test_weights_must_sum_to_one():
    with pytest.raises(ConfigError, match="sum to 2"):
        CircleMeasure.at(np.array([0.0, 1.0]), np.array([1.0, 1.0]))


def test_smoothing_of_a_point_is_the_kernel():
    at = -np.pi + (np.arange(2000) + 0.5) * 2 * np.pi / 2000
    smooth = smoothed_density(np.array([at[700]]), at, 0.04)
    assert smooth[700] == pytest.approx(1 / (0.04 * np.sqrt(2 * np.pi)), rel=1e-6)
    assert smooth.argmax() == 700


def test_a_kernel_narrower_than_the_grid_is_refused():
    with pytest.raises(
        ConfigError, match=r"bandwidth is 0.01, too narrow for 100 points: raise it to 0.044, or points to 440"
    ):
        smoothed_density(np.zeros(3), np.linspace(-np.pi, np.pi, 100, endpoint=False), 0.01)
