"""Equations of motion of a student that learns a teacher on latents."""

import math
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import STEEP, WITH_SLOPE
from scipy.linalg import expm
from sign_moments import linearised_sign_moments

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.networks.activations import ERF, LINEAR, RELU, TANH
from twolayer.model.networks.learning import Learning
from twolayer.model.teachers.teacher_student import InputMoments, initial_teacher_student, order_parameters
from twolayer.theory.averages.nodes import sobol_nodes, sobol_normals
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.teacher_student import teacher_equations
from twolayer.theory.teacher_student.sign_covariances import exact_sign_moments
from twolayer.theory.teacher_student.spectral_densities import Densities, check, compressed
from twolayer.theory.teacher_student.teacher_averages import (
    averages_room,
    erf_averages,
    field_covariance,
    teacher_pmse,
)
from twolayer.theory.teacher_student.teacher_equations import TeacherEquations, integrate, solve

TIMES = np.array([0.0, 0.3, 2.0, 10.0])
all_activations = pytest.mark.parametrize("activation", WITH_SLOPE.values(), ids=WITH_SLOPE)
few_activations = pytest.mark.parametrize("activation", [ERF, RELU, LINEAR, TANH], ids=lambda a: a.name)
closed = pytest.mark.parametrize("activation", [ERF, LINEAR], ids=["erf", "linear"])


def problem(hidden=2, teachers=2, dimension=120, latent=40, seed=0):
    rng = np.random.default_rng(seed)
    moments = exact_sign_moments(rng.standard_normal((dimension, latent)))
    return initial_teacher_student(rng, hidden, teachers, dimension, latent), moments


def equations(activation, learning_rate=0.2, train_second_layer=True, log2_points=6):
    learning = Learning(learning_rate, train_second_layer=train_second_layer)
    return TeacherEquations.of(activation, learning, sobol_nodes(4, log2_points, 0))


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), hidden=st.integers(1, 4), teachers=st.integers(1, 3))
def test_averages_are_those_of_a_mixture_of_one_cluster(seed, hidden, teachers):
    rng, fields = np.random.default_rng(seed), hidden + teachers
    root, u = rng.standard_normal((fields, fields - 1)), rng.standard_normal(fields)  # singular
    C = root @ root.T
    local_fields = unit_averages(ERF).local_fields
    _, response, noise, readout, _ = local_fields(np.zeros((1, fields)), C, u, np.zeros((1, 1)), None)
    averages, room = averages_room(hidden, fields)
    erf_averages(C, u, averages, room, False)
    assert not averages.noise.any()
    flow = averages.response.copy(), averages.readout.copy()
    erf_averages(C, u, averages, room, True)
    np.testing.assert_array_equal(flow[0], averages.response)
    np.testing.assert_array_equal(flow[1], averages.readout)
    np.testing.assert_allclose(averages.response, response[0, :hidden], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(averages.noise, noise[0, :hidden, :hidden], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(averages.readout, readout[0, :hidden], rtol=1e-12, atol=1e-13)


@all_activations
def test_pmse_against_sampled_fields(activation):
    networks, moments = problem(hidden=3)
    order = order_parameters(networks, moments)
    fields = sobol_normals(5, 16, 0) @ np.linalg.cholesky(field_covariance(order)).T
    error = activation(fields) @ np.concatenate([networks.v, -networks.A])
    pmse = teacher_pmse(order, networks.v, networks.A, activation=activation)
    assert pmse == pytest.approx(np.mean(error**2) / 2, rel=0.1 if activation.name in STEEP else 1e-3)  # heavy tails


@all_activations
def test_trajectory_starts_from_the_networks(activation):
    networks, moments = problem()
    order = order_parameters(networks, moments)
    setting = equations(activation, 0.001 if activation.name in STEEP else 0.2)
    trajectory = integrate(setting, networks, Densities.of(networks, moments), times=TIMES[:2], step=0.1)
    for name in ("Q", "R"):
        np.testing.assert_allclose(getattr(trajectory.order, name)[0], getattr(order, name), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(trajectory.order.T, order.T)
    np.testing.assert_array_equal(trajectory.v[0], networks.v)
    assert trajectory.pmse[0] == pytest.approx(
        teacher_pmse(order, networks.v, networks.A, activation=activation), rel=1e-12
    )
    assert trajectory.pmse[1] < trajectory.pmse[0]


@closed
@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("rk4", 4)])
def test_order_of_convergence(activation, method, order):
    networks, moments = problem()
    densities, end = Densities.of(networks, moments), np.array([0.0, 4.0])
    steps = np.array([0.5, 0.25, 0.125])

    def final(step, method="rk4"):
        return integrate(equations(activation), networks, densities, times=end, step=step, method=method).order.Q

    exact = final(0.01)
    gaps = [np.abs(final(step, method) - exact).max() for step in steps]
    assert np.polyfit(np.log(steps), np.log(gaps), 1)[0] == pytest.approx(order, abs=0.4)


@pytest.mark.parametrize(("nodes", "error"), [(8, 1e-2), (16, 1e-5), (32, 1e-10)])
def test_nodes_stand_for_all_modes(nodes, error):
    networks, moments = problem(dimension=300, latent=100)
    densities = Densities.of(networks, moments)
    times = np.array([0.0, 1.0, 10.0, 100.0])
    exact, none = solve(equations(ERF), networks, densities, nodes=None, times=times, step=0.2)
    few, compression = solve(equations(ERF), networks, densities, nodes=nodes, times=times, step=0.2)
    gap = np.abs(few.pmse / exact.pmse - 1).max()
    assert gap < error
    assert not none.any()
    if nodes < 32:  # where rounding does not hide it
        assert compression.max() == pytest.approx(gap, rel=0.05)


def test_nodes_of_a_flat_spectrum():
    """All modes are one, and twenty nodes no worse for it."""
    rng = np.random.default_rng(0)
    networks = initial_teacher_student(rng, 2, 2, 50, 50)
    densities = Densities.of(networks, identity(50))
    exact, few = (
        integrate(equations(ERF), networks, modes, times=TIMES, step=0.1)
        for modes in (densities, compressed(densities, 20))
    )
    np.testing.assert_allclose(few.pmse, exact.pmse, rtol=1e-10)


@closed
def test_permutation_of_hidden_units(activation):
    networks, moments = problem(hidden=3)
    order = np.array([2, 0, 1])
    permuted = replace(networks, W=networks.W[order], v=networks.v[order])
    first, second = (
        integrate(equations(activation), start, Densities.of(start, moments), times=TIMES, step=0.1)
        for start in (networks, permuted)
    )
    np.testing.assert_allclose(second.order.Q, first.order.Q[:, order][:, :, order], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(second.order.R, first.order.R[:, order], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(second.v, first.v[:, order], rtol=1e-10)


def gradient_flow(networks, moments, time):
    """Weights of linear units with fixed v after dw/dt = v <err x> sqrt N, by a matrix exponential of p = v^T w."""
    (N, D), v = moments.Phi.shape, networks.v
    pull = math.sqrt(N / D) * moments.Phi @ (networks.A @ networks.B)
    p, end = v @ networks.W, np.linalg.solve(moments.Omega, pull)
    moved = (expm(-time * (v @ v) * moments.Omega) - np.eye(N)) @ (p - end)
    return replace(networks, W=networks.W + np.outer(v, moved) / (v @ v))


def test_linear_units_follow_the_gradient_flow_at_small_rates():
    networks, moments = problem()
    densities, gaps = Densities.of(networks, moments), []
    expected = order_parameters(gradient_flow(networks, moments, 2.0), moments)
    for rate in (1e-3, 5e-4):
        setting = equations(LINEAR, learning_rate=rate, train_second_layer=False)
        order = integrate(setting, networks, densities, times=np.array([0.0, 2.0 / rate]), step=0.02 / rate).order
        np.testing.assert_allclose(order.R[-1], expected.R, rtol=1e-6)  # noise acts on Q alone
        gaps.append(np.abs(order.Q[-1] - expected.Q).max())
    assert gaps[1] < 1e-2
    assert gaps[0] / gaps[1] == pytest.approx(2, abs=0.01)


def identity(dimension):
    """Moments of inputs that are their latents."""
    return InputMoments(np.zeros(dimension), np.zeros(dimension), np.eye(dimension), np.eye(dimension))


@pytest.mark.slow
@all_activations
def test_the_teacher_itself_stays(activation):
    rng = np.random.default_rng(0)
    start = initial_teacher_student(rng, 2, 2, 30, 30)
    networks = replace(start, W=start.B.copy(), v=start.A.copy())
    setting = equations(activation, 0.001 if activation.name in STEEP else 0.2)  # at which the teacher is stable
    found = integrate(setting, networks, Densities.of(networks, identity(30)), times=TIMES[:3], step=0.1)
    rounding = 1e-8 if activation.name == "relu" else 1e-12  # where fields coincide, an angle is a root of rounding
    assert np.abs(found.pmse).max() < rounding
    np.testing.assert_allclose(found.order.Q[-1], found.order.T, atol=1e-10)
    np.testing.assert_allclose(found.order.R[-1], found.order.T, atol=1e-10)


def test_second_layer_at_rest():
    networks, moments = problem()
    densities = Densities.of(networks, moments)
    both, first = (
        integrate(equations(ERF, train_second_layer=trained), networks, densities, times=TIMES, step=0.1)
        for trained in (True, False)
    )
    assert (first.v == networks.v).all()
    assert np.abs(both.v[-1] - networks.v).max() > 0.1
    assert np.abs(first.order.Q[-1] - first.order.Q[0]).max() > 0.1


def online_sgd(networks, weights, activation, rate, steps, runs):
    """First layers (runs, K, N) and second layers (runs, K) after training on sign(F c), F (N, D)."""
    (N, D), rng = weights.shape, np.random.default_rng(1)
    W, v = np.tile(networks.W, (runs, 1, 1)), np.tile(networks.v, (runs, 1))
    for _ in range(steps):
        c = rng.standard_normal((runs, D))
        x = np.sign(c @ weights.T)
        fields, teacher = np.einsum("skn,sn->sk", W, x) / math.sqrt(N), c @ networks.B.T / math.sqrt(D)
        g = activation(fields)
        error = activation(teacher) @ networks.A - (v * g).sum(1)
        signal = v * activation.slope(fields) * error[:, None]
        W += rate / math.sqrt(N) * signal[:, :, None] * x[:, None]
        v += rate / N * g * error[:, None]
    return W, v


@pytest.mark.slow
@few_activations
def test_online_sgd_at_finite_dimension(activation):
    """The mean of 16 runs lies within four standard errors and what is of order 1 / N."""
    networks, moments = problem(dimension=400, latent=200)
    rate = 0.4
    final = online_sgd(networks, moments.Phi, activation, rate, steps=5 * 400, runs=16)
    pmse = [
        teacher_pmse(order_parameters(replace(networks, W=W), moments), v, networks.A, activation=activation)
        for W, v in zip(*final, strict=True)
    ]
    setting, densities = equations(activation, rate, log2_points=11), Densities.of(networks, moments)
    theory = integrate(setting, networks, densities, times=np.array([0.0, 5.0]), step=0.1).pmse
    assert theory[1] < 0.9 * theory[0]
    assert theory[1] == pytest.approx(np.mean(pmse), abs=np.std(pmse, ddof=1) + theory[0] / 400)


def test_sums_off_at_the_start_are_reported():
    networks, moments = problem()
    densities = Densities.of(networks, moments)
    latents_per_input = 40 / 120
    wrong = replace(densities, r=densities.r * math.sqrt(0.5 / latents_per_input))
    with pytest.raises(ConfigError, match=r"sum to a R that is off by .* delta = D / N"):
        check(wrong, networks, moments)
    Omega = moments.Omega.copy()
    Omega[0, 1] += 0.5
    with pytest.raises(ConfigError, match=r"sum to a Q that is off by .* give a symmetric Omega"):
        Densities.of(networks, replace(moments, Omega=Omega))


def test_moments_of_other_networks_are_reported():
    networks, moments = problem()
    with pytest.raises(ConfigError, match="120 inputs and a teacher of 39 latents do not fit"):
        Densities.of(replace(networks, B=networks.B[:, 1:]), moments)
    aligned = replace(networks, W=networks.B @ moments.Phi.T)
    with pytest.raises(ConfigError, match=r"do not belong to one distribution: estimate both"):
        Densities.of(aligned, replace(moments, Phi=3 * moments.Phi))


def test_negative_eigenvalues_need_all_modes():
    rng = np.random.default_rng(0)
    widths = (30, 30, 30, 30, 300)
    layers = [rng.standard_normal((b, a)) / math.sqrt(a) for a, b in pairwise(widths)]
    moments = linearised_sign_moments(layers)
    networks = initial_teacher_student(rng, 2, 2, 300, 30)
    densities = Densities.of(networks, moments)
    assert densities.rho[0] < 0
    with pytest.raises(ConfigError, match=r"nodes is 32, but Omega has the eigenvalue -.*use all modes"):
        solve(equations(ERF), networks, densities, nodes=32, times=TIMES, step=0.1)
    path, _ = solve(equations(ERF), networks, densities, nodes=None, times=TIMES, step=0.1)
    assert np.isfinite(path.pmse).all()


@closed
def test_divergence_is_reported(activation):
    networks, moments = problem()
    densities = Densities.of(networks, moments)
    with (
        np.errstate(all="ignore"),
        pytest.raises(NotConverged, match=r"at time .* lower the learning rate, which is 50"),
    ):
        integrate(equations(activation, learning_rate=50.0), networks, densities, times=TIMES, step=0.1)


@pytest.fixture
def steps_taken(monkeypatch):
    """The numbers of steps of integrations in which nothing happens."""
    taken = []

    def stand_still(equations, problem, state, C, u, count, size, method):
        taken.append(count)
        return count

    monkeypatch.setattr(teacher_equations, "take_steps", stand_still)
    return taken


def test_steps_of_the_paper_are_not_too_many(steps_taken):
    """Figure 35 takes two million steps of 3072 modes, in three minutes."""
    networks, moments = problem(dimension=192)
    densities = Densities.of(networks, moments)
    densities = Densities(**{one.name: np.tile(getattr(densities, one.name), 16) for one in fields(densities)})
    options = {"times": np.array([0.0, 1e4]), "step": 0.005}
    integrate(equations(ERF), networks, densities, **options)
    assert steps_taken[-1] == 2e6
    with pytest.raises(NotConverged, match=r"last_time is 10000: 2e\+07 steps of 3072 modes are too many"):
        integrate(equations(ERF), networks, densities, **options | {"step": 0.0005})


def test_stable_steps_grow_between_two_times(steps_taken):
    networks, moments = problem()
    densities = Densities.of(networks, moments)
    integrate(equations(ERF), networks, densities, times=np.array([0.0, 1e3, 1e6]), step=0.05, stable=True)
    assert sum(steps_taken) < 2e6  # 2e7 of equal size


def test_indefinite_fields_are_reported():
    """Too large a step in time takes more from Q than there is."""
    networks, moments = problem()
    densities = Densities.of(networks, moments)
    numerics = {"times": np.array([0.0, 3.0]), "step": 3.0, "method": "euler"}
    with pytest.raises(NotConverged, match=r"eigenvalue -.* or the step, which is 3"):
        integrate(equations(LINEAR, 0.05), networks, densities, **numerics)


@pytest.mark.parametrize(
    ("activation", "learning", "message"),
    [
        ("tanh", Learning(0.1), "averages of tanh units need quasi-random points: give points"),
        ("sign", Learning(0.1), "'sign', whose slope is zero: use one with a slope for the equations of a student"),
    ],
)
def test_what_has_no_equations(activation, learning, message):
    with pytest.raises(ConfigError, match=message):
        TeacherEquations.of(activation, learning)
