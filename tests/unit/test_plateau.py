"""The plateau of a network that does not see the means: closed forms, SGD, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest

import twolayer as tl
from twolayer.errors import ConfigError, NotConverged
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.learning import Learning
from twolayer.simulation.mixtures.order_parameter_sgd import order_parameter_paths
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState
from twolayer.theory.mixtures.plateau import plateau
from twolayer.theory.mixtures.right_side import Divergence


def equations(sigma, rate, decay, units, geometry=None):
    mixture = build(geometry or Geometry(), sigma, 1000)
    return IsotropicEquations(mixture, as_activation("relu"), Learning(rate, decay, False), sobol_nodes(units, 8, 0))


@pytest.mark.parametrize(("sigma", "rate", "decay"), [(0.5, 0.2, 0.01), (1.0, 0.1, 0.05), (1.0, 0.5, 0.05)])
def test_one_relu_unit(sigma, rate, decay):
    """Q from <u lambda> = -s^2 / 2 and <u^2> = (1 + s^2) / 2; the class of the unit's sign drives R by its slope."""
    found = plateau(equations(sigma, rate, decay, 1), np.ones(1))
    power = sigma**2
    Q = rate * power / 2 / (power + 2 * decay - rate * power**2 / 2)
    width = sigma * math.sqrt(Q)
    assert found.state.Q[0, 0] == pytest.approx(Q, rel=1e-7)
    growth = rate * (1 / (2 * width * math.sqrt(2 * math.pi)) - 1 / 4 - power / 2 - decay)
    assert found.rate == pytest.approx(growth, rel=1e-5)
    assert (found.rate > 0) == (rate < 0.5)
    average, of_label = (1 + width**2) / 2, 2 * width / math.sqrt(2 * math.pi)  # <u^2>, and its part with the label
    drive = np.array([power * average + (average - label * of_label) / 2 for label in (-1, 1)])
    np.testing.assert_allclose(np.sort(np.diag(found.noise)), np.sort(rate**2 * drive), rtol=1e-6)
    np.testing.assert_allclose(found.noise - np.diag(np.diag(found.noise)), 0, atol=1e-9)


@pytest.mark.parametrize("units", [1, 2])
def test_next_to_a_known_one(units):
    """It is the one that the flow leads to, to the rounding of the nodes, and none where the flow finds none."""
    v = np.where(np.arange(units) % 2, -1.0, 1.0)
    known = plateau(equations(1.0, 0.1, 0.01, units), v)
    for rate in (0.11, 0.4):
        own, near = (plateau(equations(1.0, rate, 0.01, units), v, start) for start in (None, known))
        np.testing.assert_allclose(near.state.Q, own.state.Q, rtol=1e-3)
        assert near.rate == pytest.approx(own.rate, rel=1e-3, abs=1e-5)
    with pytest.raises(NotConverged):
        plateau(equations(2.0, 3.0, 0.01, units), v, known)


@pytest.mark.parametrize("Q", [1e2, 1e9, 1e15, 1e20])
def test_none_is_found_from_far_away(Q):
    """Q is stationary if its drift is small relative to Q, and not relative to the start of the search."""
    known, v = plateau(equations(1.0, 0.1, 0.01, 1), np.ones(1)), np.ones(1)
    far = replace(known, state=replace(known.state, Q=np.array([[Q]])))
    with pytest.raises(NotConverged):
        plateau(equations(2.0, 3.0, 0.01, 1), v, far)


def test_one_of_another_width_is_of_no_use():
    known, v = plateau(equations(1.0, 0.1, 0.01, 1), np.ones(1)), np.array([1.0, -1.0])
    own, near = (plateau(equations(1.0, 0.1, 0.01, 2), v, start) for start in (None, known))
    np.testing.assert_array_equal(near.state.Q, own.state.Q)


def test_the_mean_square_of_one_unit():
    """Each axis grows, or shrinks, by itself: e^(2 J t) of its start, and the noise in between."""
    found, N, times = plateau(equations(0.5, 0.2, 0.01, 1), np.ones(1)), 1000, np.linspace(0, 20, 5)
    rates, noise = np.diag(found.jacobian), np.diag(found.noise) / N
    growth = np.exp(2 * np.outer(times, rates))
    expected = found.state.Q[0, 0] / N * growth + noise * (growth - 1) / (2 * rates)
    np.testing.assert_allclose(found.mean_square(times, N)[0], expected.sum(axis=1), rtol=1e-6)


@pytest.mark.slow
def test_sgd_leaves_it_as_the_theory_says():
    """Two units at N = 4000, while what has grown is small: six z scores with 79 degrees of freedom."""
    problem, v, N = equations(0.8, 0.2, 0.01, 2), np.array([1.0, -1.0]), 4000
    found = plateau(problem, v)
    times, root = np.linspace(0, 1.5 / found.rate, 7), np.linalg.cholesky(found.state.Q)
    rng = np.random.default_rng(0)
    starts = [
        IsotropicState(found.state.Q, (root @ rng.standard_normal((2, 2))).T / math.sqrt(N), v) for _ in range(80)
    ]
    options = {"activation": problem.activation, "dimension": N, "times": times}
    paths = order_parameter_paths(problem.mixture, starts, problem.learning, **options, rng=rng)
    rows = [np.sum(path.R**2, axis=(1, 2)) for path in paths]
    expected, directions = found.mean_square(times, N)
    scores = (np.mean(rows, axis=0) - expected) / np.std(rows, axis=0, ddof=1) * math.sqrt(80)
    assert np.abs(scores).max() < 4.5
    assert expected[-1] > 10 * expected[0]
    assert np.all((directions >= 1) & (directions <= 4))


def test_the_probability_of_having_left():
    """One unit's two directions are normal, each with the variance that its own rate and noise give it."""
    found, N, times = plateau(equations(0.5, 0.2, 0.01, 1), np.ones(1)), 1000, np.linspace(0, 20, 5)
    rates, noise, Q = np.diag(found.jacobian), np.diag(found.noise) / N, found.state.Q[0, 0]
    growth = np.exp(2 * np.outer(times, rates))
    deviations = np.sqrt(Q / N * growth + noise * (growth - 1) / (2 * rates))
    draws = np.random.default_rng(0).standard_normal((100_000, 2))
    left = np.mean((draws**2 @ (deviations**2).T) > 0.05 * Q, axis=0)
    np.testing.assert_allclose(found.escape_probabilities(0.05, N, times), left, atol=0.01)
    assert found.escape_probabilities(0.05, N, np.linspace(0, 1e6, 5))[-1] == 1


def test_a_stable_plateau_is_not_left():
    found = plateau(equations(1.0, 0.5, 0.05, 1), np.ones(1))
    assert found.escape_probabilities(0.2, 1000, np.linspace(0, 1000, 101)).max() < 1e-9


def test_it_is_left_later_in_more_dimensions():
    """By the logarithm of the dimension over twice the rate."""
    found = plateau(equations(0.6, 0.1, 0.01, 2), np.array([1.0, -1.0]))
    times = np.linspace(0, 400, 1001)
    medians = [np.interp(0.5, found.escape_probabilities(0.1, N, times), times) for N in (10**6, 10**8)]
    assert medians[1] - medians[0] == pytest.approx(math.log(100) / (2 * found.rate), rel=0.02)


@pytest.mark.parametrize("activation", ["erf", "tanh"])
def test_two_odd_units_are_one(activation):
    """Opposite units with the second layer (1, -1) are one unit with 2, half the rate and twice the decay.

    At large learning rates their equal part grows. The plateau next to a known one is then also the one of the flow.
    """

    def found(units, rate, decay, v, near=None):
        problem = equations(0.4, rate, decay, units)
        return plateau(replace(problem, activation=as_activation(activation)), np.array(v), near)

    two, one = found(2, 0.2, 0.01, [1.0, -1.0]), found(1, 0.1, 0.02, [2.0])
    np.testing.assert_allclose(two.state.Q, one.state.Q[0, 0] * np.array([[1, -1], [-1, 1]]), rtol=1e-5)
    rates = np.linalg.eigvals(two.jacobian).real  # of opposite changes, which one unit has too, and of equal changes
    assert np.abs(rates - one.rate).min() < 1e-4 * abs(one.rate)
    own, near = (found(2, 1.36, 0.01, [1.0, -1.0], start) for start in (None, two))
    assert np.linalg.eigvalsh(own.state.Q)[0] > 0.1
    np.testing.assert_allclose(near.state.Q, own.state.Q, rtol=1e-5)


def test_learning_close_to_divergence_has_a_plateau():
    """The squared weights grow for a long time, but ever more slowly. Their sum depends on the nodes."""
    problem, v = equations(1.0, 0.62, 0.01, 4), np.array([1.0, -1.0, 1.0, -1.0])
    assert np.trace(plateau(problem, v).state.Q) == pytest.approx(16, abs=1)
    with pytest.raises(Divergence):
        plateau(equations(1.0, 0.8, 0.01, 4), v)


@pytest.mark.parametrize(("activation", "units", "rate"), [("tanh", 2, 0.1), ("erf", 4, 0.01)])
def test_equal_parts_of_odd_units_vanish_slowly(activation, units, rate):
    """Q is then singular, and the search approaches it step by step."""
    problem = replace(equations(0.5, rate, 0.01, units), activation=as_activation(activation))
    v = np.where(np.arange(units) % 2, -1.0, 1.0)
    found = plateau(problem, v).state.Q
    np.testing.assert_allclose(found, found[0, 0] * np.outer(v, v), rtol=1e-4)


def test_the_drift_decides_whether_means_keep_a_network_on_the_plateau():
    """Two opposite odd units are in balance at any common mean of two classes of the same weight."""
    shifted = Geometry(means=((2.0, 0.0), (0.0, 0.0), (1.0, 1.0), (1.0, -1.0)), labels=(-1, -1, 1, 1))
    problem = replace(equations(0.5, 0.2, 0.01, 2, shifted), activation=as_activation("erf"))
    found = plateau(problem, np.array([1.0, -1.0])).state
    np.testing.assert_allclose(problem.drift(found).R, 0, atol=1e-9)


def test_what_has_no_plateau_is_refused():
    three = Geometry(means=((1.0, 0.0), (-1.0, 0.0)), labels=(1, -1), weights=(0.5, 0.5))
    centre = Geometry(means=((0.0, 0.0), (1.0, 0.0)), labels=(-1, 1))
    for geometry in (three, centre):
        with pytest.raises(ConfigError, match="the means of the clusters drive weights"):
            plateau(equations(0.5, 0.1, 0.01, 1, geometry), np.ones(1))
    training = replace(equations(0.5, 0.1, 0.01, 1), learning=Learning(0.1))
    with pytest.raises(ConfigError, match="train_second_layer is true"):
        plateau(training, np.ones(1))


STUDENT = {"activation": "relu", "hidden_units": 2, "dimension": 100, "scale": 0.1}


class TestRow:
    def test_along_any_parameter(self):
        schedule = tl.Schedule(learning_rate=0.2, last_time=5)
        for along, values in (("sigma", [0.3, 0.5]), ("weight_decay", [0.01, 0.1]), ("dimension", [50, 80])):
            row = tl.phase_row(tl.Mixture(sigma=0.3), STUDENT, schedule, along=along, values=values, seeds=2)
            assert row.success.shape == (2, 2)
            assert list(row.value) == values

    def test_a_cell_is_the_chain(self):
        """The same start, inputs and end as the task of a single cell with these seeds."""
        schedule = tl.Schedule(learning_rate=0.2, last_time=5)
        mixture, student = tl.Mixture(sigma=0.3), tl.Student(**STUDENT)
        narrow = tl.phase_row(mixture, student, schedule, along="hidden_units", values=[2, 3], seeds=3)
        again = tl.phase_row(
            mixture, {**STUDENT, "hidden_units": 7}, schedule, along="hidden_units", values=[3], seeds=3
        )
        assert narrow.pmse.sel(value=3).values == pytest.approx(again.pmse.sel(value=3).values)

    def test_divergence_is_an_outcome(self):
        schedule = tl.Schedule(learning_rate=0.1, last_time=50)
        row = tl.phase_row(tl.Mixture(sigma=1.0), STUDENT, schedule, along="learning_rate", values=[0.1, 40], seeds=2)
        np.testing.assert_array_equal(row.diverged, [[0, 0], [1, 1]])
        assert np.isinf(row.pmse[1]).all()

    def test_whole_numbers(self):
        with pytest.raises(ConfigError, match=r"values of hidden_units contain 2\.5: give whole numbers"):
            tl.phase_row(tl.Mixture(sigma=1.0), STUDENT, tl.Schedule(0.1, 5), along="hidden_units", values=[2.5])

    def test_a_second_layer_that_trains_starts_where_the_student_does(self):
        """Units with `start="xor"` separate the classes at the first time, random units do not."""
        schedule = tl.Schedule(learning_rate=0.1, last_time=0.5)
        student = {**STUDENT, "hidden_units": 4}
        informed, random = (
            tl.phase_row(tl.Mixture(sigma=0.1), {**student, **start}, schedule, along="sigma", values=[0.1], seeds=3)
            for start in ({"start": "xor"}, {})
        )
        assert informed.success.all()
        assert not random.success.any()

    @pytest.mark.parametrize(
        ("given", "named"),
        [
            ({"student": {"start": "xor"}}, "start or second_layer is not 'random'"),
            ({"student": {"second_layer": "unit"}}, "start or second_layer is not 'random'"),
            ({"spreads": (1, 1, 2, 2)}, "spreads is given: the theory of the plateau is for equal noise"),
        ],
        ids=["start", "second layer", "spreads"],
    )
    def test_a_plateau_has_a_start_of_its_own(self, given, named):
        kept = tl.Schedule(0.1, 5, train_second_layer=False)
        mixture = tl.Mixture(sigma=1.0, spreads=given.get("spreads"))
        with pytest.raises(ConfigError, match=named):
            tl.phase_row(mixture, STUDENT | given.get("student", {}), kept, along="sigma", values=[0.5], seeds=2)
