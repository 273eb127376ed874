"""Distances from a Gaussian distribution, on distributions of which they are known; the cases that are measured."""

import math

import numpy as np
import pytest
from sign_moments import linearised_sign_moments

from twolayer.errors import ConfigError
from twolayer.experiments import TASKS
from twolayer.model.teachers.equivalence_cases import CASES, draw_case
from twolayer.model.teachers.teacher_student import order_parameters
from twolayer.parameters import parse
from twolayer.simulation.teacher_student.equivalence_distance import case_fields, decay_exponent, sliced_distances
from twolayer.theory.teacher_student.sign_covariances import exact_sign_moments
from twolayer.theory.teacher_student.teacher_averages import field_covariance

SAMPLES = 40_000


def predicted(case, moments=exact_sign_moments):
    return field_covariance(order_parameters(case.networks, moments(case.F)))


def largest_score(fields, covariance):
    return np.abs(sliced_distances(fields, covariance, 30, np.random.default_rng(2)).variance_score).max()


def test_a_fair_coin():
    """W1 is E ||g| - 1| for a standard normal g, since the coupling by quantiles keeps the sign."""
    rng = np.random.default_rng(0)
    with np.errstate(invalid="ignore"):  # its variance has no error
        found = sliced_distances(np.repeat([[1.0], [-1.0]], SAMPLES // 2, axis=0), np.eye(1), 3, rng)
    phi = math.exp(-0.5) / math.sqrt(2 * math.pi)
    inside = math.erf(math.sqrt(0.5))  # probability that |g| < 1
    assert found.distance == pytest.approx(4 * phi - math.sqrt(2 / math.pi) + 2 * inside - 1, abs=1e-4)
    assert found.kurtosis == pytest.approx(-2, abs=1e-12)


def test_gaussian_fields_of_any_covariance():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((4, 4))
    fields = rng.standard_normal((SAMPLES, 4)) @ root.T
    found = sliced_distances(fields, root @ root.T, 30, rng)
    assert found.distance.max() < 4 / math.sqrt(SAMPLES)
    assert np.abs(found.kurtosis).max() < 5 * math.sqrt(24 / SAMPLES)
    assert np.abs(found.variance_score).max() < 5
    assert largest_score(fields, 1.05 * root @ root.T) > 5


@pytest.mark.parametrize("name", CASES)
def test_the_predicted_covariance(name):
    rng = np.random.default_rng(1)
    case = draw_case(name, rng, 48, 0.5, 2, 2)
    assert np.linalg.norm(case.F, axis=1) == pytest.approx(1)
    assert largest_score(case_fields(case, SAMPLES, rng), predicted(case)) < 5


def test_a_prediction_that_is_slightly_off_is_seen():
    """To the leading order in the correlations of the units, which a generator of low rank makes large."""
    rng = np.random.default_rng(1)
    case = draw_case("low_rank", rng, 48, 0.5, 2, 2)
    assert largest_score(case_fields(case, SAMPLES, rng), predicted(case, lambda F: linearised_sign_moments([F]))) > 5


def test_the_exponent_of_a_power_law():
    rng, sizes = np.random.default_rng(0), np.array([32, 64, 128, 256])
    squares = 0.1 * (sizes / 32.0) ** -2 * (1 + 0.1 * rng.standard_normal((8, 4))) + 1e-4 * rng.standard_normal((8, 4))
    exponent, error = decay_exponent(sizes, squares, np.zeros(len(squares)))
    assert 0 < error < 0.1
    assert abs(exponent - 1) < 5 * error


def test_unknown_case():
    with pytest.raises(ConfigError, match="unknown case 'sparse': choose one of generic, few_latents, localised"):
        draw_case("sparse", np.random.default_rng(0), 10, 0.5, 2, 2)


def test_the_task():
    task = TASKS["equivalence_distance"]
    params = {
        "sizes": [16, 32],
        "samples": 2000,
        "seeds": 2,
        "seed": 0,
        "directions": 5,
        "cases": ["aligned", "generic"],
    }
    first, again = (task.run(parse(task.parameters, params, "test")) for _ in range(2))
    assert first.identical(again)
    assert first.distance.sizes == {"seed": 2, "case": 2, "dimension": 2}
    assert first.distance.sel(case="aligned").min() > first.null_largest_distance.max()
    assert first.decay.sizes == first.decay_sem.sizes == {"case": 2}
