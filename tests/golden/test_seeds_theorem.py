"""Maximum-sliced distances against stored values (tests/golden/seeds), and against independent calculations."""

from pathlib import Path

import numpy as np
import pytest

import twolayer as tl
from twolayer.model.teachers.equivalence_cases import draw_case
from twolayer.simulation.teacher_student.equivalence_distance import case_fields
from twolayer.simulation.teacher_student.maximum_sliced import maximum_sliced_distance, poincare_bound, whitening

FOLDER = Path(__file__).parent / "seeds"


def white(fields):
    return (fields - fields.mean(axis=0)) @ whitening(fields)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["generic", "localised"])
def test_stored_distances(name):
    stored = np.load(FOLDER / f"d_sign_{name}.npz")
    A, w, B = stored["A"], stored["w"], stored["B"]
    rng = np.random.default_rng(0)
    c = rng.standard_normal((int(stored["samples"]), A.shape[1]))
    fields = np.hstack([np.sign(c @ A.T) @ w.T / np.sqrt(len(A)), c @ B.T / np.sqrt(A.shape[1])])
    found = maximum_sliced_distance(white(fields), rng)
    assert found.distance == pytest.approx(stored["max_sliced"].mean(), rel=0.1, abs=0.002)


def test_the_direction_of_a_single_skewed_field_is_found():
    rng = np.random.default_rng(1)
    samples = rng.standard_normal((20_000, 3))
    samples[:, 1] = rng.exponential(size=20_000)
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    found = maximum_sliced_distance(white(samples @ rotation), rng)
    assert found.skewness**2 == pytest.approx(4, rel=0.15)  # the exponential distribution has skewness 2
    assert abs(found.direction @ rotation[1]) > 0.99


def test_no_direction_of_a_grid_is_farther():
    rng = np.random.default_rng(2)
    case = draw_case("smooth_positive", rng, 20, 0.5, 1, 1)
    samples = white(case_fields(case, 20_000, rng, lambda z: np.logaddexp(0, 2 * z) / 2))
    found = maximum_sliced_distance(samples, rng)
    normal = np.sort(rng.standard_normal(200_000)).reshape(20_000, 10).mean(axis=1)
    angles = np.linspace(0, np.pi, 60)
    grid = [np.abs(np.sort(samples @ [np.cos(t), np.sin(t)]) - normal).mean() for t in angles]
    assert found.distance == pytest.approx(max(grid), rel=0.1)


def test_the_bound_of_a_quadratic():
    """For a.s(F c) with s(z) = z^2 / sqrt 2 on independent c, gradient and Hessian are known."""
    D = 50
    a = np.full(D, 1 / np.sqrt(D))
    slope, curvature = (lambda z: np.sqrt(2) * z), (lambda z: np.full_like(z, np.sqrt(2)))
    bound = poincare_bound(np.eye(D), a, np.zeros(D), slope, curvature, np.random.default_rng(3), draws=4000)
    length = (4 * (1 + 2 / D)) ** 0.25  # E (2 |c|^2 / D)^2 = 4 (1 + 2 / D)
    assert bound == pytest.approx(np.sqrt(10) / 2 * np.sqrt(2 / D) * length, rel=0.02)


def test_more_units_than_inputs_are_refused():
    with pytest.raises(tl.ConfigError, match="hidden_units is 8, but the smallest size is 4"):
        tl.sliced_maximum(sizes=[4], samples=100, seeds=2, hidden_units=8)


def test_dependent_fields_are_refused():
    with pytest.raises(tl.ConfigError, match="22 pre-activations has rank 12"):  # ten latents, and two units
        tl.sliced_maximum(sizes=[20], samples=100, hidden_units=2, teacher_units=20, seeds=2)
