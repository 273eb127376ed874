"""Variable projection on the torus: one iteration, with lagged projections and by textbook numpy, N = 4096.

The iterations continue a run from where the features have begun to move, as nearly all of a run's do.
"""

import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve

from twolayer.model.teachers.teacher_distributions import wrap
from twolayer.model.teachers.torus_problem import draw_problem
from twolayer.simulation.mean_field.distances import mean_distance, pairwise_mmd, torus_distance
from twolayer.simulation.mean_field.reduced_descent import EXCESS, ReducedDescent
from twolayer.simulation.mean_field.torus_features import TorusFeatures, teacher_output

STEP, RIDGE, SAMPLES, BEGUN = 2.0**-10, 1e-3, 4096, 200


def textbook(inputs, targets, weights):
    """Unbiased; single precision if the arrays are."""
    difference = wrap(weights[None] - inputs[:, None])
    distance = np.linalg.norm(difference, axis=-1)
    features = 8 * np.exp(-2 * distance)
    samples, width = features.shape
    matrix = features.T @ features / (samples * width)
    matrix[np.diag_indices(width)] += RIDGE
    outer = cho_solve(cho_factor(matrix), features.T @ targets / samples + RIDGE)
    error = features @ outer / width - targets
    slope = -2 * np.einsum("n,nj,njd->jd", error, features / distance, difference, optimize=True)
    return wrap(weights - STEP / (RIDGE * samples) * outer[:, None] * slope)


def iterate(descent):
    descent.project()
    descent.move()


@pytest.mark.parametrize("width", [128, 1024])
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("way", ["lagged", "textbook"])
def test_iteration(benchmark, way, precision, width):
    benchmark.group = f"torus, one iteration, N = {SAMPLES}, M = {width}"
    samples = SAMPLES if benchmark.enabled else 512
    drawn = draw_problem(np.random.SeedSequence(0), 100.0, 4096, samples, width)
    targets = teacher_output(drawn.inputs, drawn.teacher)
    features = TorusFeatures(drawn.inputs, targets, width, precision)
    descent = ReducedDescent(features, drawn.student, RIDGE, 1.0, STEP, EXCESS[precision])
    for _ in range(BEGUN if way == "lagged" and benchmark.enabled else 1):
        iterate(descent)
    if way == "lagged":
        benchmark.pedantic(iterate, (descent,), rounds=100 if benchmark.enabled else 1)
    else:
        kind = {"single": np.float32, "double": float}[precision]
        arrays = (array.astype(kind) for array in (drawn.inputs, targets, drawn.student))
        moved = benchmark.pedantic(textbook, tuple(arrays), rounds=3 if benchmark.enabled else 1)
        tolerance = {"single": 1e-3, "double": 1e-9}[precision]
        np.testing.assert_allclose(wrap(descent.weights - moved), 0, atol=tolerance)


@pytest.mark.benchmark(group="energy distance, 1024 against 4096 points of the torus")
@pytest.mark.parametrize("way", ["compiled", "textbook"])
def test_distance(benchmark, way):
    rng = np.random.default_rng(0)
    student, teacher = rng.uniform(-2, 2, (1024, 2)), rng.uniform(-2, 2, (4096, 2))
    spread = mean_distance(teacher, teacher, torus_distance)  # once for a whole run

    def mean(first, second):
        return np.linalg.norm(wrap(first[:, None] - second), axis=-1).mean()

    def plain():
        return np.sqrt(2 * mean(student, teacher) - mean(student, student) - spread)

    if way == "compiled":
        assert benchmark(pairwise_mmd, student, teacher, torus_distance, spread) == pytest.approx(plain(), rel=1e-9)
    else:
        benchmark(plain)
