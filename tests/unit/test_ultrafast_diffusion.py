"""The finite-volume scheme: conservation, positivity, rest, order, and its Jacobian."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from twolayer.errors import ConfigError
from twolayer.model.networks.power_entropies import entropy
from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.theory.mean_field.ultrafast_diffusion import Diffusion, slowest_mode

TIMES = np.array([0, 1 / 16, 1, 10.0])


@pytest.mark.parametrize("gamma", [10.0, 100.0, 1000.0])
def test_mass_is_conserved_and_densities_stay_positive(gamma):
    density = Diffusion.of(CircleTeacher(gamma), 512).solve(TIMES)
    np.testing.assert_allclose(density.mean(axis=1) * 2 * np.pi, 1, rtol=0, atol=1e-12)
    assert density.min() >= CircleTeacher(gamma).density(np.pi + 0.2 * np.pi) / 2


def test_the_ratio_obeys_the_maximum_principle():
    diffusion = Diffusion.of(CircleTeacher(100.0), 256)
    ratio = diffusion.target / diffusion.solve(np.linspace(0, 5, 40))
    assert np.diff(ratio.max(axis=1)).max() < 1e-6
    assert np.diff(ratio.min(axis=1)).min() > -1e-6


def test_the_teacher_is_at_rest():
    diffusion = Diffusion.of(CircleTeacher(1000.0), 128)
    assert abs(diffusion.drift(diffusion.target)).max() == 0


def test_the_scheme_is_of_second_order():
    """The error against a fine grid falls as the square of the spacing."""

    def cells(count):
        return Diffusion.of(CircleTeacher(10.0), count).solve(np.array([0, 0.25]))[1]

    fine = cells(2048)
    errors = [abs(cells(count) - fine.reshape(count, -1).mean(axis=1)).mean() for count in (64, 128, 256)]
    order = -np.polyfit(np.log([64, 128, 256]), np.log(errors), 1)[0]
    assert 1.9 < order < 2.2


@given(seed=st.integers(0, 1000), cells=st.integers(4, 9), power=st.sampled_from([1.0, 1.5, 2.0]))
def test_the_bands_are_derivatives_of_the_drift(seed, cells, power):
    diffusion = Diffusion.of(CircleTeacher(5.0), cells, power)
    density = np.random.default_rng(seed).uniform(0.1, 1, cells)
    exact = np.zeros((cells, cells))
    for shift, band in zip((-1, 0, 1), diffusion.bands(density), strict=True):
        exact[np.arange(cells), (np.arange(cells) + shift) % cells] = band
    steps = 1e-6 * np.eye(cells)
    slope = np.stack([(diffusion.drift(density + s) - diffusion.drift(density - s)) / 2e-6 for s in steps], axis=1)
    np.testing.assert_allclose(exact, slope, rtol=1e-5, atol=1e-5 * abs(slope).max())


@pytest.mark.parametrize("power", [1.0, 1.5])
def test_the_drift_is_the_gradient_flow_of_the_divergence(power):
    """int phi(f*/f) f falls by the mean square velocity, u^(p - 1) u' in u = f*/f, as the cells become small."""
    diffusion = Diffusion.of(CircleTeacher(5.0), 4096, power)
    density = (1 + 0.3 * np.cos(diffusion.centres)) / (2 * np.pi)
    cell = 2 * np.pi / len(density)

    def divergence(density):
        return (entropy(diffusion.target / density, power) * density).sum() * cell

    step = 1e-6 * diffusion.drift(density) / abs(diffusion.drift(density)).max()
    fall = (divergence(density - step) - divergence(density + step)) / 2e-6 * abs(diffusion.drift(density)).max()
    ratio = diffusion.target / density
    velocity = ratio ** (power - 1) * np.gradient(ratio, cell)
    assert fall == pytest.approx((velocity**2 * density)[1:-1].sum() * cell, rel=1e-3)


def test_without_concentration_the_slowest_mode_is_that_of_heat():
    rate, mode = slowest_mode(CircleTeacher(0.0), np.linspace(0, 2 * np.pi, 8, endpoint=False), 8)
    assert rate == pytest.approx(1)
    np.testing.assert_allclose(mode[:4], -mode[4:], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [10.0, 100.0])
def test_the_slowest_mode_is_that_of_the_scheme(gamma):
    """Eigenvalue and left eigenvector of the linearised finite volumes at f*, which err at second order."""
    diffusion = Diffusion.of(CircleTeacher(gamma), 512)
    matrix = np.zeros((512, 512))
    for shift, band in zip((-1, 0, 1), diffusion.bands(diffusion.target), strict=True):
        matrix[np.arange(512), (np.arange(512) + shift) % 512] = band
    values, vectors = np.linalg.eig(-matrix.T)
    second = np.argsort(values.real)[1]
    rate, mode = slowest_mode(CircleTeacher(gamma), diffusion.centres)
    assert rate == pytest.approx(values[second].real, rel=1e-3)
    vector = vectors[:, second].real
    np.testing.assert_allclose(mode, vector / vector[abs(mode).argmax()], atol=0.01)


def test_the_diffusion_converges_at_that_rate():
    diffusion = Diffusion.of(CircleTeacher(10.0), 512)
    rate, mode = slowest_mode(CircleTeacher(10.0), diffusion.centres)
    size = abs((diffusion.solve(np.array([0, 7.0, 9.0])) - diffusion.target) @ mode)
    assert np.log(size[1] / size[2]) / 2 == pytest.approx(rate, rel=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("cells", [63, 64])
def test_another_integrator_agrees(cells):
    diffusion = Diffusion.of(CircleTeacher(100.0), cells)
    start = np.full(cells, 1 / (2 * np.pi))
    other = solve_ivp(lambda _, f: diffusion.drift(f), (0, 10), start, "Radau", TIMES, rtol=1e-9, atol=1e-12).y.T
    np.testing.assert_allclose(diffusion.solve(TIMES), other, rtol=0, atol=2e-6)


def test_a_grid_needs_cells():
    with pytest.raises(ConfigError, match="cells is 3"):
        Diffusion.of(CircleTeacher(1.0), 3)
