"""Distances between distributions of features: energy distance (MMD of the kernel -|a - b|) and optimal transport."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import ot
from numba import njit

from twolayer.errors import ConfigError

_PERIOD = 4.0  # of the torus, in every coordinate


@dataclass(frozen=True)
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
        """The measure at any angles (n,), with equal weights if none are given.

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
    """Energy distance with chord lengths, in linear time.

    With signed weights s at sorted angles, MMD^2 = -sum s_i s_j |x_i - x_j|, and the chord is 2 sin((t_i - t_j) / 2):
    its sum over j < i needs two prefix sums.

    Source: barboni2025, section 6.1; the linear form is our own.
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
def chord(a: np.ndarray, b: np.ndarray) -> float:
    """Length of a chord between points of the plane."""
    return math.hypot(a[0] - b[0], a[1] - b[1])


@njit(cache=True)
def torus_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Length of the shortest way between points of the torus R^2 / 4 Z^2."""
    x = a[0] - b[0] - _PERIOD * np.round((a[0] - b[0]) / _PERIOD)
    y = a[1] - b[1] - _PERIOD * np.round((a[1] - b[1]) / _PERIOD)
    return math.hypot(x, y)


@njit(cache=True)
def mean_distance(first: np.ndarray, second: np.ndarray, distance: Callable) -> float:
    """Mean of `distance` over all pairs of points of first (n, 2) and second (m, 2)."""
    total = 0.0
    for i in range(len(first)):
        row = 0.0
        for j in range(len(second)):
            row += distance(first[i], second[j])
        total += row
    return total / (len(first) * len(second))


def pairwise_mmd(first: np.ndarray, second: np.ndarray, distance: Callable) -> float:
    """Energy distance of two clouds of points (n, 2) and (m, 2), pair by pair."""
    between = mean_distance(first, second, distance)
    within = mean_distance(first, first, distance) + mean_distance(second, second, distance)
    return math.sqrt(max(2 * between - within, 0.0))  # rounding can make a vanishing distance negative


def circle_transport(first: CircleMeasure, second: CircleMeasure) -> float:
    """Wasserstein-2 distance with arc lengths, in radians."""
    turns = (measure.angles[:, None] / (2 * np.pi) for measure in (first, second))
    square = ot.wasserstein_circle(*turns, first.weights, second.weights, p=2)
    return 2 * np.pi * math.sqrt(float(square[0]))


def smoothed_density(angles: np.ndarray, at: np.ndarray, bandwidth: float) -> np.ndarray:
    """Gaussian kernel density of points `angles` (n,) on the circle, at equispaced angles `at` (m,), of unit mass.

    Every kernel is cut off half a turn away from its centre.
    """
    spacing = 2 * np.pi / len(at)
    density = np.zeros(len(at))
    for block in np.array_split(angles, max(1, len(angles) * len(at) // 4_000_000)):
        difference = np.mod(at[:, None] - block + np.pi, 2 * np.pi) - np.pi
        density += np.exp(-(difference**2) / (2 * bandwidth**2)).sum(axis=1)
    return density / (density.sum() * spacing)
