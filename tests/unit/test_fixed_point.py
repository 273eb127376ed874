"""Stationary states of the XOR mixture."""

from dataclasses import replace

import numpy as np
import pytest

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.standard_mixtures import xor
from twolayer.model.networks.activations import ERF, LINEAR, RELU, TANH
from twolayer.model.networks.learning import Learning
from twolayer.theory.averages.mixture_averages import local_field_averages
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.averages.series_units import values_and_slopes
from twolayer.theory.mixtures.closed_bayes_errors import xor_error
from twolayer.theory.mixtures.fixed_points.branch import Branch
from twolayer.theory.mixtures.fixed_points.fixed_point import stationary_state, with_other_nodes
from twolayer.theory.mixtures.fixed_points.xor_start import xor_start
from twolayer.theory.mixtures.integration import integrate, observables
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState, aligned
from twolayer.theory.mixtures.state_vectors import packed, typical_sizes, unpacked

RATE, DECAY = 0.1, 0.01
RELAXATION = 5 / (2 * RATE * DECAY)


def equations(sigma, activation=RELU, hidden=4, log2_nodes=8, seed=0, decay=DECAY):
    return IsotropicEquations(xor(sigma**2), activation, Learning(RATE, decay), sobol_nodes(hidden, log2_nodes, seed))


@pytest.fixture(scope="module")
def point():
    return stationary_state(equations(0.5), xor_start(4), RELAXATION)


def test_drift_vanishes(point):
    drift = point.equations.drift(point.state)
    assert max(np.abs(part).max() for part in (drift.Q, drift.R, drift.v)) <= point.residual <= 1e-10
    assert point.stable


def test_first_layer_balances_the_second(point):
    """Q_kk = v_k^2 + lr variance <u_k^2> / (2 decay), as a relu network's scales are free to trade."""
    mixture = point.equations.mixture
    averages = local_field_averages(point.equations.local_fields(point.state), mixture, point.equations.nodes)
    noise = np.diagonal(np.tensordot(mixture.weights, averages.noise, 1))
    expected = point.state.v**2 + RATE * mixture.variance * noise / (2 * DECAY)
    np.testing.assert_allclose(np.diag(point.state.Q), expected, atol=1e-7)


def test_reflection_symmetry(point):
    """(x, y) -> (-y, -x) exchanges the classes, units 0 and 3, and units 1 and 2. The nodes break this symmetry."""
    order = [3, 2, 1, 0]
    np.testing.assert_allclose(point.state.v[order], -point.state.v, atol=2e-4)
    np.testing.assert_allclose(-point.state.R[::-1, order], point.state.R, atol=2e-4)


def test_sgd_noise_leaves_the_plane(point):
    assert np.linalg.eigvalsh(point.state.Q - point.state.R.T @ point.state.R)[0] > 1e-3


@pytest.mark.slow
def test_leading_eigenvalue_is_the_rate_of_return(point):
    shifted = IsotropicState(point.state.Q, point.state.R, 1.02 * point.state.v)
    times = np.array([0.0, 1500.0, 2500.0])
    states = integrate(point.equations, shifted, times, rtol=1e-8, atol=1e-11).states
    early, late = (np.linalg.norm(state.Q - point.state.Q) for state in states[1:])
    assert np.log(late / early) / 1000 == pytest.approx(point.leading_eigenvalue, rel=0.05)


@pytest.mark.slow
def test_errors_hardly_depend_on_the_nodes(point):
    other = stationary_state(equations(0.5, seed=1), point.state, RELAXATION)
    seen, again = (observables(equations(0.5, log2_nodes=13), found.state) for found in (point, other))
    assert again.pmse == pytest.approx(seen.pmse, abs=5e-5)
    assert again.class_error == pytest.approx(seen.class_error, abs=5e-5)
    assert xor_error(0.5) < seen.class_error < xor_error(0.5) + 0.005


@pytest.mark.slow
def test_other_nodes_move_the_point_as_solving_with_them_does(point):
    nodes = sobol_nodes(4, 8, 1)
    other = stationary_state(equations(0.5, seed=1), point.state, 1.0)
    start, moved, solved = (
        observables(point.equations, state).pmse for state in (point.state, with_other_nodes(point, nodes), other.state)
    )
    assert moved - start == pytest.approx(solved - start, rel=0.2, abs=1e-7)


@pytest.fixture(scope="module")
def weakly_decaying():
    """The stationary state at sigma = 0.3 with the decay of the authors' command, 1e-5."""
    return stationary_state(equations(0.3, decay=1e-5), xor_start(4), 10 / (2 * RATE * 1e-5))


@pytest.mark.slow
@pytest.mark.parametrize("path", [[0.2], [0.6, 1.2, 2.5]], ids=["less noise", "more noise"])
def test_weak_decay_leaves_the_network_on_the_oracle(path, weakly_decaying):
    """Newton's method alone is caught in minima of the drift beyond sigma = 1."""
    branch = Branch(lambda sigma: equations(sigma, decay=1e-5), 0.3, weakly_decaying, 1 / (2 * RATE * 1e-5))
    for sigma in path:
        point = branch.at(sigma)
        error = observables(equations(sigma, decay=1e-5, log2_nodes=12), point.state).class_error
        assert point.stable
        assert xor_error(sigma) < error < xor_error(sigma) * 1.012


@pytest.mark.slow
def test_relaxation_alone_comes_close(point):
    start = xor_start(4)
    end = integrate(aligned(equations(0.5), start), start, np.array([0.0, RELAXATION])).observables
    assert end.pmse[-1] == pytest.approx(observables(point.equations, point.state).pmse, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("decay", [1e-3, 1e-5])
def test_slow_modes(decay):
    slow = stationary_state(equations(1.0, decay=decay), xor_start(4), 10 / (2 * RATE * decay))
    assert -8 * RATE * decay < slow.leading_eigenvalue < 0
    seen = observables(equations(1.0, log2_nodes=13), slow.state)
    assert xor_error(1.0) < seen.class_error < xor_error(1.0) + 0.005


@pytest.mark.slow
def test_continuation_finds_the_same_points(point):
    first = stationary_state(equations(0.4), xor_start(4), RELAXATION)
    last = Branch(equations, 0.4, first, RELAXATION).at(0.5)
    np.testing.assert_allclose(last.state.R, point.state.R, atol=1e-3)  # from another start, other lines are chosen
    seen, again = observables(point.equations, point.state), observables(last.equations, last.state)
    assert again.pmse == pytest.approx(seen.pmse, abs=1e-5)


@pytest.mark.slow
def test_noise_beyond_which_weight_decay_wins():
    dead = stationary_state(equations(5.0), xor_start(4), RELAXATION)
    assert dead.stable
    seen = observables(dead.equations, dead.state)
    assert seen.pmse == pytest.approx(0.5, abs=1e-9)
    assert seen.class_error == pytest.approx(0.5, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("activation", [ERF, LINEAR], ids=["erf", "linear"])
def test_odd_network_learns_nothing(activation):
    found = stationary_state(equations(0.3, activation), xor_start(4), RELAXATION)
    seen = observables(found.equations, found.state)
    assert seen.pmse == pytest.approx(0.5, abs=1e-9)
    assert seen.class_error == pytest.approx(0.5, abs=0.01)


def test_few_drifts_lead_from_a_fixed_point_to_the_next(point, monkeypatch):
    """135 today, 46 of them with few nodes. Without these 179, and 473 with new derivatives for every stride."""
    drift, states = IsotropicEquations.drift, []
    monkeypatch.setattr(IsotropicEquations, "drift", lambda *one: states.append(one) or drift(*one))
    assert Branch(equations, 0.5, point, RELAXATION / 5).at(0.6).stable
    assert len(states) < 160
    assert sum(len(equations.nodes.normals) < 256 for equations, *_ in states) > 30


@pytest.mark.slow
def test_more_units_than_clusters():
    wide = stationary_state(equations(0.3, hidden=6), xor_start(6), RELAXATION)
    assert wide.stable
    assert observables(wide.equations, wide.state).pmse < 0.081


def test_start_of_four_units():
    start = xor_start(4)
    np.testing.assert_allclose(start.R[:, 0], [0.88376664, 0.42802772], atol=1e-8)
    np.testing.assert_allclose(start.R[:, 3], [0.42682472, -0.88128275], atol=1e-8)
    np.testing.assert_allclose(start.v, [-0.88376664, 1.0926862, -1.0944736, 0.88128275], atol=1e-7)


def test_start_of_more_units():
    start = xor_start(8)
    np.testing.assert_allclose(start.R[0], [1.07, 0.22, -0.98, 0.2, 0.39, -0.08, 0.1, -0.01])
    np.testing.assert_allclose(start.R[1], [0.22, 1.07, 0.2, -0.98, -0.08, 0.39, -0.01, 0.1])
    np.testing.assert_allclose(start.v, [-1.07, 1.07, -0.98, 0.98, -0.39, 0.39, -0.1, 0.1])


@pytest.mark.parametrize("hidden", [2, 5])
def test_start_of_other_sizes(hidden):
    with pytest.raises(ConfigError, match=f"no XOR start for {hidden} hidden units: use an even number"):
        xor_start(hidden)


def test_failure_names_the_remedy():
    with pytest.raises(NotConverged, match=r"after 1 iterations the drift is still .*change weight_decay, now 0.01"):
        stationary_state(equations(0.5), xor_start(4), 1.0, max_iterations=1)


@pytest.fixture(scope="module")
def branch():
    return Branch(equations, 0.3, stationary_state(equations(0.3), xor_start(4), RELAXATION), RELAXATION / 5)


def test_small_noise_stays_on_the_branch(branch):
    """One large step ends on the trivial branch, where no unit has any weight."""
    point = branch.at(1e-6)
    seen = observables(point.equations, point.state)
    assert seen.pmse < 0.01
    assert seen.class_error < 1e-6


def test_a_point_does_not_depend_on_the_others(branch):
    alone = Branch(equations, 0.3, branch.at(0.3), RELAXATION / 5).at(0.8)
    branch.at(1.5)
    np.testing.assert_array_equal(branch.at(0.8).state.Q, alone.state.Q)


def test_tiny_weight_decay_comes_to_an_end():
    decay = 1e-8
    point = stationary_state(equations(0.5, decay=decay), xor_start(4), 10 / (2 * RATE * decay))
    assert point.stable
    assert observables(point.equations, point.state).class_error < xor_error(0.5) + 0.01


def wide_start(hidden, scale=1.0, seed=24):
    """As the student at initialisation has it, in 2000 dimensions."""
    W = scale * np.random.default_rng(seed).standard_normal((hidden, 2000))
    v = scale * np.random.default_rng(seed + 1).standard_normal(hidden)
    return IsotropicState(W @ W.T / 2000, W[:, :2].T / np.sqrt(2000), v)


@pytest.mark.slow
@pytest.mark.parametrize("start", [xor_start(8), wide_start(6)], ids=["eight from xor", "six at random"])
def test_more_units_than_needed_leave_flat_directions(start):
    """Units that see the same inputs may share their output in any way."""
    hidden = len(start.v)
    point = stationary_state(equations(0.3, hidden=hidden), start, RELAXATION)
    assert point.stable
    assert point.flat_units.shape == (hidden,)
    if point.flat_directions:
        vector, size = point.flat[0], 1e-3
        seen = observables(point.equations, point.state).pmse
        moved = unpacked(point.state, packed(point.state) + size * vector)
        assert observables(point.equations, moved).pmse == pytest.approx(seen, abs=1e-2 * size)


def test_dead_units_are_left_out():
    """A relu unit without weights has no derivative: it neither counts as an instability nor stops the search."""
    start = xor_start(6)
    v = start.v.copy()
    v[-1] = 1e-12
    point = stationary_state(equations(0.3, hidden=6), replace(start, v=v), RELAXATION)
    assert point.stable
    assert point.residual <= 1e-9


def test_the_tolerance_of_a_vanishing_second_layer_exceeds_the_error_of_averages():
    """The sign of the error of tanh units changes at zero. Weights have an absolute tolerance of 1e-6 of their size."""
    weight = 1e-3
    fields = weight * np.linspace(-1, 1, 101)
    error = np.abs(values_and_slopes(TANH, fields)[0] - np.tanh(fields)).max()
    state = IsotropicState(weight**2 * np.eye(2), np.full((2, 2), weight), np.full(2, 1e-9))
    assert 1e-6 * typical_sizes(state)[-1] > error > 1e-10 * weight
