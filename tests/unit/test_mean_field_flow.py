"""The mean-field flow: its harmonics, its rest, and the networks that follow it."""

import numpy as np
import pytest

from twolayer.errors import ConfigError
from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.simulation.mean_field.circle_features import CircleData, descend, network_output
from twolayer.simulation.mean_field.distances import CircleMeasure, circle_mmd
from twolayer.theory.mean_field.mean_field_flow import MeanFieldFlow
from twolayer.theory.mean_field.ultrafast_diffusion import Diffusion

UNIFORM = -np.pi + (np.arange(1024) + 0.5) * 2 * np.pi / 1024


def quantiles(teacher, count, cells=200_000):
    """Places of equal mass of the teacher's distribution."""
    edges = np.linspace(-np.pi, np.pi, cells + 1)
    mass = np.append(0, np.cumsum(teacher.cell_averages(edges) * np.diff(edges)))
    return np.interp((np.arange(count) + 0.5) / count, mass, edges)


def circular_data(teacher, samples=4096):
    """Inputs with the second moments of a Gaussian in every direction, answered by the teacher's quantiles."""
    psi = 2 * np.pi * (np.arange(samples) + 0.3) / samples
    inputs = np.sqrt(2) * np.stack([np.cos(psi), np.sin(psi)], axis=1)
    return CircleData.of(inputs, network_output(inputs, quantiles(teacher, 20_000)))


def test_strengths_are_the_harmonics_of_the_relu_kernel():
    """<relu(w.x) relu(w'.x)> = (sin t + (pi - t) cos t) / (2 pi), t the angle between w and w'."""
    flow = MeanFieldFlow.of(CircleTeacher(0.0), 0.1, 1.0, 400)
    angle = np.linspace(0, np.pi, 7)
    series = (flow.strengths[:, None] * np.exp(1j * np.outer(flow.wavenumbers, angle))).sum(axis=0).real
    np.testing.assert_allclose(series, (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi), atol=1e-6)


@pytest.mark.parametrize("ridge", [1e-1, 1e-3])
@pytest.mark.parametrize(("offset", "power"), [(0.0, 2.0), (1.0, 2.0), (1.0, 1.5), (1.0, 1.0)])
def test_a_network_of_quantiles_moves_with_the_flow(ridge, offset, power):
    """Same risk and same velocity; what differs is the number of features, data and harmonics."""
    teacher, step = CircleTeacher(10.0), 2.0**-14
    flow = MeanFieldFlow.of(teacher, ridge, offset, 64, power)
    run = descend(circular_data(teacher), UNIFORM, ridge, offset, step, [0, 1], power=power)
    assert run.risk[0] == pytest.approx(flow.outer_weights(UNIFORM)[1], rel=1e-4)
    velocity = flow.velocity(UNIFORM)
    moved = np.angle(np.exp(1j * (run.angles[1] - UNIFORM))) / step
    np.testing.assert_allclose(moved, velocity, rtol=0, atol=1e-3 * abs(velocity).max())


def test_newton_finds_the_minimum_of_the_quadratic():
    """Any power but 2 takes Newton's method, so one next to 2 has almost the same minimum."""
    direct, newton = (
        MeanFieldFlow.of(CircleTeacher(10.0), 1e-2, 1.0, 64, power).outer_weights(UNIFORM)
        for power in (2.0, np.nextafter(2.0, 3.0))
    )
    np.testing.assert_allclose(newton[0], direct[0], rtol=0, atol=1e-9)
    assert newton[1] == pytest.approx(direct[1], abs=1e-9)


@pytest.mark.slow
def test_a_network_of_quantiles_stays_with_the_flow():
    """Half a unit of time; the descent errs by its step, at first order."""
    teacher, iterations = CircleTeacher(10.0), np.array([0, 64, 512])
    positions, risk = MeanFieldFlow.of(teacher, 1e-2, 1.0, 64).solve(iterations * 2.0**-10, 1024)
    run = descend(circular_data(teacher), UNIFORM, 1e-2, 1.0, 2.0**-10, iterations)
    np.testing.assert_allclose(run.risk, risk, rtol=5e-3)
    assert circle_mmd(CircleMeasure.at(run.angles[-1]), CircleMeasure.at(positions[-1])) < 2e-3


def test_the_teacher_is_at_rest_without_bias_alone():
    teacher = CircleTeacher(10.0)
    places = quantiles(teacher, 4096)
    unbiased, biased = (MeanFieldFlow.of(teacher, 1e-2, offset, 64) for offset in (1.0, 0.0))
    assert unbiased.outer_weights(places)[1] < 1e-8
    assert abs(unbiased.velocity(places)).max() < 1e-3 < abs(biased.velocity(places)).max()


@pytest.mark.slow
def test_risk_falls_and_harmonics_converge():
    times = np.array([0, 0.25, 1.0, 4.0])
    coarse, fine = (MeanFieldFlow.of(CircleTeacher(100.0), 1e-3, 1.0, n).solve(times, 128) for n in (32, 64))
    assert np.diff(fine[1]).max() < 0
    np.testing.assert_allclose(coarse[1], fine[1], rtol=1e-3)


@pytest.mark.slow
def test_it_is_not_the_diffusion():
    """The invisible harmonics keep them apart however small the ridge."""
    teacher, time = CircleTeacher(100.0), np.array([0, 1.0])
    diffusion = Diffusion.of(teacher, 1024)
    limit = CircleMeasure.at(diffusion.centres, diffusion.solve(time)[1] * 2 * np.pi / 1024)
    for ridge in (1e-3, 1e-4):
        places, _ = MeanFieldFlow.of(teacher, ridge, 1.0, 64).solve(time, 128)
        assert circle_mmd(CircleMeasure.at(places[1]), limit) > 0.05


def test_bad_arguments():
    with pytest.raises(ConfigError, match="ridge is 0"):
        MeanFieldFlow.of(CircleTeacher(1.0), 0.0, 1.0, 64)
    with pytest.raises(ConfigError, match="harmonics is 7"):
        MeanFieldFlow.of(CircleTeacher(1.0), 0.1, 1.0, 7)
