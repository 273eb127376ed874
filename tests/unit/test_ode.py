"""Integration of the order-parameter equations: accuracy, number of right-hand sides, stiffness and budgets."""

from dataclasses import replace

import numpy as np
import pytest
from mixture_paths import sampling_error

import twolayer as tl
from twolayer.errors import NotConverged
from twolayer.model.mixtures.standard_mixtures import from_means
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.simulation.mixtures.stepping import log_times
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.mixtures.integration import flow, integrate
from twolayer.theory.mixtures.mixture_equations import (
    IsotropicEquations,
    IsotropicState,
    SpectralEquations,
    SpectralState,
)
from twolayer.theory.mixtures.state_vectors import packed

MEANS, LABELS, WEIGHTS = [[1.5, 0.0], [-0.5, 1.0], [-0.5, -1.0]], [1, -1, -1], [0.5, 0.3, 0.2]
MEANS_IN_SPACE = [[-0.26, 2.5, 0.99], [-2.46, -0.01, -0.94], [0.22, -2.41, 0.36], [0.35, 2.36, 0.47]]


def problem(name, hidden=3, rate=0.2, decay=0.01, log2_nodes=8, seed=0):
    rng = np.random.default_rng(seed)
    activation = as_activation(name)
    network = Network(rng.standard_normal((hidden, 1000)), rng.standard_normal(hidden), activation)
    mixture = from_means(MEANS, LABELS, WEIGHTS, 0.36)
    nodes = sobol_nodes(hidden, log2_nodes, seed)
    return IsotropicEquations(mixture, activation, Learning(rate, decay), nodes), IsotropicState.of_network(network, 2)


@pytest.mark.parametrize(
    ("name", "most"), [("erf", 130), ("linear", 160), ("tanh", 110), ("relu", 150), ("swish", 110)]
)
def test_few_right_hand_sides(name, most):
    """One integration with dense output: 41 output times cost no right-hand sides of their own."""
    equations, start = problem(name)
    many = integrate(equations, start, log_times(0.1, 10.0, 40, 1000))
    few = integrate(equations, start, np.array([0.0, 10.0]))
    assert many.evaluations <= most
    assert many.evaluations - few.evaluations <= 3 * 40
    assert many.observables.pmse[-1] == pytest.approx(few.observables.pmse[-1], abs=1e-12)


@pytest.mark.parametrize("name", ["erf", "relu", "tanh"])
def test_dense_output_is_as_accurate_as_steps(name):
    equations, start = problem(name)
    times = log_times(0.1, 300.0, 20, 1000)
    found = integrate(equations, start, times).observables.pmse
    tight = integrate(equations, start, times, rtol=1e-10, atol=1e-12).observables.pmse
    np.testing.assert_allclose(found, tight, rtol=2e-4 if name == "relu" else 1e-5)  # other lines after realignments


@pytest.mark.parametrize("name", ["erf", "relu", "linear"])
def test_long_times_are_implicit(name):
    """An explicit method takes some 10,000 right-hand sides."""
    equations, start = problem(name, rate=1.0, decay=0.1)
    path = integrate(equations, start, np.array([0.0, 10_000.0]))
    assert path.evaluations < 5000
    late = integrate(equations, path.states[-1], np.array([0.0, 100.0])).observables.pmse
    assert late[-1] == pytest.approx(late[0], rel=1e-5)


def test_a_huge_learning_rate_comes_to_an_end():
    """An explicit method takes more than 54,000 right-hand sides."""
    equations, start = problem("linear", rate=100.0)
    path = integrate(equations, start, np.array([0.0, 1000.0]))
    assert path.evaluations < 10_000
    assert np.isfinite(path.observables.pmse).all()


@pytest.mark.parametrize(
    "call", [integrate, lambda *args, **options: flow(*args[:2], args[2][-1], rtol=1e-7, atol=1e-9)]
)
def test_the_budget(call, monkeypatch):
    monkeypatch.setattr("twolayer.theory.mixtures.integration.BUDGET", 50)
    equations, start = problem("erf")
    with pytest.raises(
        NotConverged, match="after 50 evaluations of the right-hand side: lower last_time or learning_rate"
    ):
        call(equations, start, np.array([0.0, 1000.0]), max_evaluations=50)


def test_closed_forms_are_not_integrated_again(monkeypatch):
    equations, start = problem("erf")
    path = integrate(equations, start, np.array([0.0, 10.0]))
    monkeypatch.setattr("twolayer.theory.mixtures.integration.integrate", None)
    pmse_error, class_error_error = sampling_error(equations, path, sobol_nodes(3, 8, 1))
    assert np.all(pmse_error == 0)
    assert np.all(class_error_error > 0)


def test_a_long_flow_with_more_units_than_means():
    """Some combinations of the weights vanish up to errors of integration, which make Q slightly indefinite."""
    mixture = from_means(MEANS_IN_SPACE, [1, -1, -1, 1], [0.2, 0.1, 0.4, 0.3], 0.09)
    rng = np.random.default_rng(0)
    network = Network(rng.standard_normal((5, 1000)), rng.standard_normal(5), as_activation("erf"))
    equations = IsotropicEquations(mixture, network.activation, Learning(0.1, 0.08), sobol_nodes(5, 4, 0))
    end = flow(equations, IsotropicState.of_network(network, 3), 8e4, rtol=1e-4, atol=1e-6)
    assert np.abs(packed(equations.drift(end))).max() < 1e-5


@pytest.mark.parametrize("name", ["erf", "relu", "linear", "tanh"])
def test_weights_that_decay_keep_their_direction(name):
    """With nothing to learn, R and v decay at the rate of weight decay, and Q as t exp(-2 rate t) because of the noise
    of SGD, far below the absolute tolerance.
    """
    equations, start = problem(name, rate=0.2, decay=0.5)
    equations = replace(equations, mixture=from_means([[1.0, 0.0], [1.0, 0.0]], [1, -1], [0.5, 0.5], 1.0))
    times = np.array([0.0, 100.0, 130.0, 160.0, 4000.0])
    *middle, end = integrate(equations, start, times).states[1:]
    grown = [
        np.concatenate([(one.R * np.exp(0.1 * time)).ravel(), one.v * np.exp(0.1 * time)])
        for one, time in zip(middle, times[1:4], strict=True)
    ]
    np.testing.assert_allclose(grown[1:], [grown[0]] * 2, rtol=1e-5, atol=1e-7)
    Q = [one.Q * np.exp(0.2 * time) for one, time in zip(middle, times[1:4], strict=True)]
    np.testing.assert_allclose(Q[2] - Q[1], Q[1] - Q[0], rtol=0.05, atol=1e-3)
    smallest = unit_averages(equations.activation).smallest
    assert 0.01 * smallest < np.abs(packed(end)).max() < smallest


def test_tiny_weights_grow():
    """The integration does not end because weights are small at the start."""
    equations, start = problem("tanh")
    tiny = IsotropicState(1e-18 * start.Q, 1e-9 * start.R, 1e-9 * start.v)
    assert integrate(equations, tiny, np.array([0.0, 1000.0])).observables.pmse[-1] < 0.3


def test_many_modes_stay_explicit():
    """A Jacobian of thousands of unknowns would cost more than it saves."""
    equations, start = problem("erf", rate=1.0, decay=0.1)
    spectral = SpectralEquations(
        equations.mixture.embed(300), equations.activation, equations.learning, equations.nodes, input_mean_noise=False
    )
    rng = np.random.default_rng(0)
    network = Network(rng.standard_normal((3, 300)), start.v, equations.activation)
    found = integrate(spectral, SpectralState.of_network(network), np.array([0.0, 100.0]))
    same = integrate(equations, IsotropicState.of_network(network, 2), np.array([0.0, 100.0]))
    assert found.observables.pmse[-1] == pytest.approx(same.observables.pmse[-1], rel=1e-5)


def test_it_stops_early_if_the_time_hardly_begins():
    """Fields of 1e6 drive relu units apart within 1e-22 of the unit of time."""
    student, schedule = tl.Student("relu", 4, dimension=100), tl.Schedule(learning_rate=0.1, last_time=10)
    with pytest.raises(
        NotConverged, match="after 5000 evaluations of the right-hand side: lower last_time or learning"
    ):
        tl.learning_curve(tl.Mixture("xor", sigma=1e6), student, schedule)


def test_erf_units_at_large_noise():
    """Rounding errors of the drift would shorten the steps until the budget is spent."""
    student, schedule = tl.Student("erf", 4, dimension=100), tl.Schedule(learning_rate=0.1, last_time=10)
    found = tl.learning_curve(tl.Mixture("xor", sigma=1e6), student, schedule)
    assert np.isfinite(found.pmse).all()


def test_rough_activations_are_refused_at_once():
    equations, start = problem(lambda x: np.sin(200 * x), log2_nodes=6)
    with pytest.raises(NotConverged, match="averages"):
        integrate(equations, start, np.array([0.0, 10.0]))
