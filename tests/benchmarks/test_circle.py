"""Variable projection on the circle: iterations, distances and the diffusion against textbook numpy.

The iterations of one round continue a run from where the features have begun to move; the textbook does a single one.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve

from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.simulation.mean_field.circle_features import CircleData, descend, network_output
from twolayer.simulation.mean_field.distances import CircleMeasure, chord, circle_mmd, pairwise_mmd
from twolayer.theory.mean_field.mean_field_flow import MeanFieldFlow
from twolayer.theory.mean_field.ultrafast_diffusion import Diffusion

STEP, RIDGE, SAMPLES, ITERATIONS = 2.0**-10, 1e-3, 4096, 1000


def problem(width):
    rng = np.random.default_rng(0)
    inputs, teacher = rng.standard_normal((SAMPLES, 2)), CircleTeacher(100.0).sample(rng.random(4096))
    return inputs, network_output(inputs, teacher), rng.uniform(-np.pi, np.pi, width)


def textbook_varpro(inputs, targets, weights):
    """One iteration, unbiased."""
    width = len(weights)
    features = np.maximum(inputs @ weights.T, 0)
    matrix = features.T @ features / (SAMPLES * width) + RIDGE * np.eye(width)
    outer = cho_solve(cho_factor(matrix), features.T @ targets / SAMPLES + RIDGE)
    return _textbook_step(inputs, targets, weights, features, outer)


def textbook_two_timescale(inputs, targets, weights):
    """One iteration, unbiased, from outer weights 1."""
    width, outer = len(weights), np.ones(len(weights))
    features = np.maximum(inputs @ weights.T, 0)
    outer = outer - features.T @ (features @ outer / width - targets) / SAMPLES - RIDGE * (outer - 1)
    return _textbook_step(inputs, targets, weights, features, outer)


def _textbook_step(inputs, targets, weights, features, outer):
    error = features @ outer / len(weights) - targets
    slope = outer[:, None] * ((features > 0).T @ (error[:, None] * inputs)) / (RIDGE * SAMPLES)
    moved = weights - STEP * slope
    return moved / np.linalg.norm(moved, axis=1, keepdims=True)


@pytest.mark.benchmark(group="an iteration on the circle, N = 4096")
@pytest.mark.parametrize("width", [128, 512, 2048])
@pytest.mark.parametrize("two_timescale", [False, True], ids=["varpro", "two timescales"])
@pytest.mark.parametrize("way", ["ours", "textbook"])
def test_iterations(benchmark, way, two_timescale, width):
    inputs, targets, angles = problem(width)
    data = CircleData.of(inputs, targets)
    if way == "ours":
        benchmark.extra_info["steps"] = ITERATIONS
        benchmark(descend, data, angles, RIDGE, 1.0, STEP, [0, ITERATIONS], two_timescale)
    else:
        weights = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        moved = benchmark(textbook_two_timescale if two_timescale else textbook_varpro, inputs, targets, weights)
        if not two_timescale:
            ours = descend(data, angles, RIDGE, 1.0, STEP, [1]).angles[0]
            np.testing.assert_allclose(np.stack([np.cos(ours), np.sin(ours)], axis=1), moved, atol=1e-9)


@pytest.mark.benchmark(group="energy distance, 1024 against 4096 points of the circle")
@pytest.mark.parametrize("method", ["linear", "textbook"])
def test_distance(benchmark, method):
    rng = np.random.default_rng(0)
    students, teacher = rng.uniform(0, 6, 1024), CircleTeacher(100.0).sample(rng.random(4096))
    measure = CircleMeasure.at(teacher)  # once for a whole run

    def points(angles):
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    if method == "linear":
        value = benchmark(lambda: circle_mmd(CircleMeasure.at(students), measure))
    else:
        value = benchmark(lambda: pairwise_mmd(points(students), points(teacher), chord))
    assert value == pytest.approx(circle_mmd(CircleMeasure.at(students), measure), rel=1e-9)


@pytest.mark.benchmark(group="ultra-fast diffusion, gamma 100, 1001 times")
@pytest.mark.parametrize(("cells", "method"), [(4096, "banded"), (512, "banded"), (512, "textbook")])
def test_diffusion(benchmark, cells, method):
    diffusion, times = Diffusion.of(CircleTeacher(100.0), cells), np.linspace(0, 31.25, 1001)
    if method == "banded":
        density = benchmark(diffusion.solve, times)
    else:
        start = np.full(cells, 1 / (2 * np.pi))
        density = benchmark.pedantic(
            lambda: solve_ivp(lambda _, f: diffusion.drift(f), (0, 31.25), start, "LSODA", times).y.T, rounds=1
        )
    np.testing.assert_allclose(density.mean(axis=1) * 2 * np.pi, 1, atol=1e-6)


@pytest.mark.benchmark(group="mean-field flow, gamma 100, ridge 1e-3, 664 times")
def test_flow(benchmark):
    flow = MeanFieldFlow.of(CircleTeacher(100.0), RIDGE, 1.0, 64)
    _, risk = benchmark.pedantic(flow.solve, (np.linspace(0, 31.25, 664), 1024), rounds=1)
    assert np.diff(risk).max() < 1e-12
