"""Distances between distributions of features (energy distance, the MMD of the kernel -|a - b|), and densities."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from twolayer.errors import ConfigError
from twolayer.model.teachers.teacher_distributions import HALF_PERIOD

_NARROWEST = 0.7  # smallest kernel in units of the spacing of a grid, for which sums are integrals to 1e-4
_PERIOD = 2 * HALF_PERIOD  # period of the torus in every coordinate


@dataclass(frozen=True, eq=False)
class CircleMeasure:
    """A measure of unit mass on finitely many points of the circle, sorted.

    Attributes:
        angles: (n,) in [0, 2 pi), increasing. weights: (n,). half: (n, 2), cosine and sine of half the angle.
    """

    angles: np.ndarray
    weights: np.ndarray
    half: np.ndarray

    @classmethod
    def at(cls, angles: np.ndarray, weights: np.ndarray | None = None) -> "CircleMeasure":
        """Return the measure at any angles (n,), with equal weights by default.

        Raises:
            ConfigError: the weights do not sum to one.
        """
        angles = np.mod(angles, 2 * np.pi)
        order = np.argsort(angles)
        angles = angles[order]
        weights = np.full(len(angles), 1 / len(angles)) if weights is None else weights[order]
        if abs(weights.sum() - 1) > 1e-6:
            raise ConfigError(f"the weights of a measure sum to {weights.sum():g}: they must sum to one")
        return cls(angles, weights, np.stack([np.cos(angles / 2), np.sin(angles / 2)], axis=1))


def circle_mmd(first: CircleMeasure, second: CircleMeasure) -> float:
    """Return the energy distance with chord lengths, in linear time.

    With signed weights s at sorted angles, MMD^2 = -sum s_i s_j |x_i - x_j|, and the chord is 2 sin((t_i - t_j) / 2):
    its sum over j < i needs two prefix sums.

    Source: barboni2025, section 6.1; own derivation of the linear form.
    """
    square = _chord_energy(*_fields(first), *_fields(second))
    return math.sqrt(max(square, 0.0))  # rounding can make a vanishing distance negative


def _fields(measure):
    return measure.angles, measure.weights, measure.half


@njit(cache=True)
def _chord_energy(angles, weights, half, other_angles, other_weights, other_half):
    total = cosines = sines = 0.0
    i = j = 0
    while i < angles.size or j < other_angles.size:
        if j == other_angles.size or (i < angles.size and angles[i] <= other_angles[j]):
            weight, cosine, sine = weights[i], half[i, 0], half[i, 1]
            i += 1
        else:
            weight, cosine, sine = -other_weights[j], other_half[j, 0], other_half[j, 1]
            j += 1
        cosines += weight * cosine
        sines += weight * sine
        total += weight * (sine * cosines - cosine * sines)
    return -4 * total


@njit(cache=True)
def chord(x: float, y: float) -> float:
    """Return the length of a chord between points of the plane that differ by (x, y)."""
    return math.sqrt(x * x + y * y)


@njit(cache=True)
def torus_distance(x: float, y: float) -> float:
    """Return the length of the shortest path between points of the torus R^2 / 4 Z^2 that differ by (x, y)."""
    x -= _PERIOD * np.rint(x / _PERIOD)
    y -= _PERIOD * np.rint(y / _PERIOD)
    return math.sqrt(x * x + y * y)


def mean_distance(first: np.ndarray, second: np.ndarray, distance: Callable) -> float:
    """Return the mean of `distance` over all pairs of points of first (n, 2) and second (m, 2)."""
    return _mean_distance(*_columns(first), *_columns(second), distance)


def _columns(points):
    return np.ascontiguousarray(points.T, dtype=float)


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})  # sums may be reordered, which vectorises them
def _mean_distance(x, y, other_x, other_y, distance):
    total = 0.0
    for i in range(x.size):
        row = 0.0
        for j in range(other_x.size):
            row += distance(x[i] - other_x[j], y[i] - other_y[j])
        total += row
    return total / (x.size * other_x.size)


def pairwise_mmd(first: np.ndarray, second: np.ndarray, distance: Callable, spread: float | None = None) -> float:
    """Return the energy distance of two clouds of points (n, 2) and (m, 2), pair by pair.

    Args:
        distance: `chord` or `torus_distance`. spread: mean distance of all pairs within the second cloud, if known.
    """
    spread = mean_distance(second, second, distance) if spread is None else spread
    square = 2 * mean_distance(first, second, distance) - mean_distance(first, first, distance) - spread
    return math.sqrt(max(square, 0.0))  # rounding can make a vanishing distance negative


def smoothed_density(angles: np.ndarray, at: np.ndarray, bandwidth: float) -> np.ndarray:
    """Return the Gaussian kernel density of points `angles` (n,) on the circle, at equispaced angles `at` (m,).

    The density has unit mass.

    Every kernel is cut off half a turn away from its centre.

    Raises:
        ConfigError: the kernel is narrower than the grid, so that sums would not be integrals.
    """
    spacing = 2 * np.pi / len(at)
    if bandwidth < _NARROWEST * spacing:
        raise ConfigError(
            f"bandwidth is {bandwidth:g}, too narrow for {len(at)} points: raise it to {_NARROWEST * spacing:.3g}, or "
            f"points to {math.ceil(_NARROWEST * 2 * np.pi / bandwidth)}"
        )
    density = np.zeros(len(at))
    for block in np.array_split(angles, max(1, len(angles) * len(at) // 4_000_000)):
        difference = np.mod(at[:, None] - block + np.pi, 2 * np.pi) - np.pi
        density += np.exp(-(difference**2) / (2 * bandwidth**2)).sum(axis=1)
    return density / (density.sum() * spacing)
