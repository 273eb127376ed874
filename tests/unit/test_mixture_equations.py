"""The two equations of motion and their integration."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixture_paths import euler, sampling_error
from sampling import WITH_SLOPE

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.model.mixtures.standard_mixtures import circle, from_covariance, from_means, random_mixture, xor
from twolayer.model.networks.activations import ERF, LINEAR, RELU, TANH, Activation
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import LocalFields, Network
from twolayer.simulation.mixtures.online_sgd import online_sgd
from twolayer.theory.averages.mixture_averages import local_field_averages, mixture_pmse
from twolayer.theory.averages.nodes import Nodes, sobol_nodes, sobol_normals
from twolayer.theory.mixtures.integration import integrate, observables
from twolayer.theory.mixtures.mixture_equations import (
    IsotropicEquations,
    IsotropicState,
    SpectralEquations,
    SpectralState,
    aligned,
)

BOUNDED = {name: a for name, a in WITH_SLOPE.items() if not name.startswith("hermite") and name != "square"}
LEARNING = Learning(0.4, 0.02)
all_activations = pytest.mark.parametrize("activation", BOUNDED.values(), ids=BOUNDED)
three_activations = pytest.mark.parametrize("activation", [ERF, RELU, TANH], ids=["erf", "relu", "tanh"])
seeds = st.integers(0, 2**32 - 1)


def isotropic(activation, seed=0, hidden=4, dimension=30, mixture=None, log2_nodes=6):
    rng = np.random.default_rng(seed)
    nodes = sobol_nodes(hidden, log2_nodes, 1)
    weights, v = rng.standard_normal((hidden, dimension)), rng.standard_normal(hidden)
    mixture = mixture or xor(0.3)
    state = IsotropicState.of_network(Network(weights, v, activation), mixture.means.shape[1])
    return aligned(IsotropicEquations(mixture, activation, LEARNING, nodes), state), state, weights


def spectral(activation, seed=0, hidden=3, dimension=20, fluctuating=True):
    rng = np.random.default_rng(seed)
    mixture, _ = random_mixture(rng, dimension, 2)
    network = Network(rng.standard_normal((hidden, dimension)), rng.standard_normal(hidden), activation)
    state = SpectralState.of_network(network)
    if fluctuating:
        root = 0.3 * rng.standard_normal((hidden, hidden, dimension))
        state = replace(state, fluctuations=np.einsum("kit,lit->klt", root, root))
    return SpectralEquations(mixture, activation, LEARNING, sobol_nodes(hidden, 6, 1)), state


@pytest.mark.parametrize("activation", [ERF, LINEAR], ids=["erf", "linear"])
def test_odd_network_guesses_the_classes_of_xor(activation):
    equations, state, _ = isotropic(activation, log2_nodes=14)
    seen = observables(equations, state)
    assert seen.class_error == pytest.approx(0.5, abs=2e-3)
    assert seen.pmse >= 0.5


@three_activations
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_permutation_of_hidden_units(activation, seed):
    equations, state, _ = isotropic(activation, seed)
    order = np.random.default_rng(seed).permutation(4)
    nodes = equations.nodes
    normals = nodes.normals[:, order] if activation == TANH else nodes.normals  # points or lines
    nodes = Nodes(normals, nodes.direction[order], nodes.frame[order])
    permuted = IsotropicState(state.Q[np.ix_(order, order)], state.R[:, order], state.v[order])
    drift, permuted_drift = equations.drift(state), replace(equations, nodes=nodes).drift(permuted)
    np.testing.assert_allclose(permuted_drift.Q, drift.Q[np.ix_(order, order)], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(permuted_drift.R, drift.R[:, order], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(permuted_drift.v, drift.v[order], rtol=1e-9, atol=1e-11)
    assert observables(equations, permuted).pmse == pytest.approx(observables(equations, state).pmse, rel=1e-12)


@three_activations
@settings(max_examples=15, deadline=None)
@given(seed=seeds, angle=st.floats(0, 2 * math.pi))
def test_rotation_of_the_plane(activation, seed, angle):
    equations, state, _ = isotropic(activation, seed, mixture=circle(3, 0.3))
    rotation = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    mixture = replace(equations.mixture, means=equations.mixture.means @ rotation.T)
    rotated = replace(equations, mixture=mixture).drift(replace(state, R=rotation @ state.R))
    drift = equations.drift(state)
    np.testing.assert_allclose(rotated.Q, drift.Q, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(rotated.R, rotation @ drift.R, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(rotated.v, drift.v, rtol=1e-9, atol=1e-10)


@all_activations
@pytest.mark.parametrize(("dimension", "variance"), [(7, 0.3), (40, np.array([0.1, 0.3, 0.5, 0.2]))])
def test_one_eigenvalue_is_the_isotropic_case(activation, dimension, variance):
    """Exactly, without the squared means of the inputs; with them, up to noise of order 1/N."""
    equations, state, weights = isotropic(activation, dimension=dimension, mixture=xor(variance))
    embedded = equations.mixture.embed(dimension)
    for input_mean_noise in (False, True):
        other = SpectralEquations(embedded, activation, LEARNING, equations.nodes, input_mean_noise)
        start = SpectralState.of_network(Network(weights, state.v, activation))
        drift, expected = other.drift(start), equations.drift(state)
        growth = drift.mean_weights @ weights.T
        found = (growth + growth.T + drift.fluctuations.sum(axis=-1)) / dimension
        extra = 0.0
        if input_mean_noise:
            mixture = equations.mixture
            averages = local_field_averages(equations.local_fields(state), mixture, equations.nodes)
            extra = 0.4**2 * np.tensordot(mixture.weights, averages.noise, 1) / dimension  # means of length one
        assert found == pytest.approx(expected.Q + extra, rel=1e-10, abs=1e-11)
        assert drift.mean_weights[:, :2].T / math.sqrt(dimension) == pytest.approx(expected.R, rel=1e-10, abs=1e-12)
        assert drift.v == pytest.approx(expected.v, rel=1e-10, abs=1e-12)


def test_a_constant_input_is_a_mode_without_noise():
    dimension, variance = 30, np.array([0.1, 0.3, 0.5, 0.2])
    equations, state, weights = isotropic("erf", dimension=dimension, mixture=xor(variance).with_constant_input())
    mixture = equations.mixture
    other = SpectralEquations(mixture.embed(dimension), "erf", LEARNING, equations.nodes, input_mean_noise=False)
    drift = other.drift(SpectralState.of_network(Network(weights, state.v, "erf")))
    expected, growth = equations.drift(state), drift.mean_weights @ weights.T
    averages = local_field_averages(equations.local_fields(state), mixture, equations.nodes)
    missing = 0.4**2 * np.tensordot(mixture.weights * variance, averages.noise, 1) / dimension  # of the mode
    found = (growth + growth.T + drift.fluctuations.sum(axis=-1)) / dimension
    assert found == pytest.approx(expected.Q - missing, rel=1e-10, abs=1e-11)
    assert drift.mean_weights[:, :3].T / math.sqrt(dimension) == pytest.approx(expected.R, rel=1e-10, abs=1e-12)
    assert drift.v == pytest.approx(expected.v, rel=1e-10, abs=1e-12)


@all_activations
@pytest.mark.parametrize("own", [False, True], ids=["common", "own covariances"])
def test_spectral_drift_is_that_of_the_papers_densities(activation, own):
    """q_kl = <w_k> <w_l> + fluctuation and r_bk = mu_b <w_k> in each mode, written out term by term."""
    equations, state = spectral(activation)
    if own:
        spectra = equations.mixture.spectra * np.random.default_rng(1).uniform(0.5, 2, (4, 20))
        equations = replace(equations, mixture=replace(equations.mixture, eigenvalues=spectra))
    equations = replace(equations, input_mean_noise=False)
    mixture, rate, decay = equations.mixture, LEARNING.learning_rate, LEARNING.weight_decay
    W, mu = state.mean_weights, math.sqrt(mixture.dimension) * mixture.means
    q, r = np.einsum("kt,lt->klt", W, W) + state.fluctuations, np.einsum("bt,kt->bkt", mu, W)
    p, eigenvalues = mixture.weights, mixture.spectra
    covariances = np.einsum("at,klt->akl", eigenvalues, q) / mixture.dimension
    fields = LocalFields(r.mean(axis=-1), covariances, state.v, activation)
    averages = local_field_averages(fields, mixture, equations.nodes)
    dr = rate * np.einsum("a,ak,bt,at->bkt", p, averages.drive, mu, mu) - rate * decay * r
    dr += rate * np.einsum("a,at,akj,bjt->bkt", p, eigenvalues, averages.response, r)
    dq = rate * np.einsum("a,ak,alt->klt", p, averages.drive, r)
    dq += rate * np.einsum("a,at,akj,jlt->klt", p, eigenvalues, averages.response, q)
    dq = dq + dq.transpose(1, 0, 2) - 2 * rate * decay * q
    dq += rate**2 * np.einsum("a,at,akl->klt", p, eigenvalues, averages.noise)

    # The noise is computed at points. If a point is at a kink, rounding decides its side.
    near = 1e-8 if activation.kinks.size else 1e-11
    drift = equations.drift(state)
    outer = np.einsum("kt,lt->klt", drift.mean_weights, W)
    assert np.einsum("bt,kt->bkt", mu, drift.mean_weights) == pytest.approx(dr, rel=1e-10, abs=1e-11)
    assert outer + outer.transpose(1, 0, 2) + drift.fluctuations == pytest.approx(dq, rel=1e-10, abs=near)


@all_activations
def test_equal_covariances_are_a_common_one(activation):
    equations, state, _ = isotropic(activation)
    same = replace(equations, mixture=xor(np.full(4, 0.3)))
    assert_same_drift(same.drift(state), equations.drift(state))
    assert observables(same, state).class_error == pytest.approx(observables(equations, state).class_error, rel=1e-9)
    equations, state = spectral(activation)
    same = replace(equations, mixture=replace(equations.mixture, eigenvalues=equations.mixture.spectra.copy()))
    assert_same_drift(same.drift(state), equations.drift(state))
    assert observables(same, state).pmse == pytest.approx(observables(equations, state).pmse, rel=1e-12)


def assert_same_drift(found, expected):
    for name, values in vars(expected).items():
        np.testing.assert_allclose(getattr(found, name), values, rtol=1e-9, atol=1e-11 * np.abs(values).max())


def test_covariances_that_do_not_commute_are_left_to_simulations():
    rotations = np.linalg.qr(np.random.default_rng(0).standard_normal((2, 5, 5)))[0]
    covariances = rotations * np.arange(1, 6) @ rotations.swapaxes(1, 2)
    mixture, _ = from_covariance(np.eye(5)[:2], covariances, np.array([1.0, -1]), np.full(2, 0.5))
    with pytest.raises(ConfigError, match=r"do not commute, and the order-parameter equations .* with online_sgd"):
        SpectralEquations(mixture, ERF, LEARNING, sobol_nodes(2, 4, 0))


@pytest.mark.slow
@pytest.mark.parametrize("activation", [ERF, RELU], ids=["erf", "relu"])
def test_learning_from_clusters_of_their_own_spectra_is_that_of_simulations(activation):
    """Equations with the average covariance in the place of each cluster's are far off."""
    rng, dimension, times = np.random.default_rng(2), 400, np.array([0.0, 1.0, 5.0])
    spectra = np.stack([np.full(dimension, 0.1), np.linspace(0.1, 3, dimension), np.linspace(4, 0, dimension) ** 2 / 4])
    means = np.zeros((3, dimension))
    means[:, [0, 200]] = [[1, 0.5], [-1, 0.5], [0, -1]]
    mixture = SpectralMixture(means, np.array([1.0, -1, 1]), np.array([0.3, 0.5, 0.2]), spectra)
    network, learning = (
        Network(rng.standard_normal((3, dimension)), rng.standard_normal(3), activation),
        Learning(0.3, 0.02),
    )
    runs = [online_sgd(mixture, network, learning, times=times, rng=stream).local_fields() for stream in rng.spawn(40)]
    simulated = np.array([[mixture_pmse(distribution, mixture) for distribution in run] for run in runs])
    standard_error = simulated.std(axis=0, ddof=1) / math.sqrt(len(runs))
    equations = SpectralEquations(mixture, activation, learning, sobol_nodes(3, 9, 0))
    path = integrate(equations, SpectralState.of_network(network), times).observables
    assert np.all(np.abs(path.pmse - simulated.mean(axis=0)) < 4 * standard_error + 0.3 / dimension)
    blurred = replace(equations, mixture=replace(mixture, eigenvalues=mixture.weights @ spectra))
    other = integrate(blurred, SpectralState.of_network(network), times).observables
    assert np.abs(other.pmse - simulated.mean(axis=0)).max() > 12 * standard_error.max()


def test_means_without_antipodes():
    """Each mean drives its own overlap: on a hexagon no two are opposite with the same label."""
    equations, state, _ = isotropic(RELU, mixture=circle(3, 0.05), log2_nodes=12)
    mixture, fields = equations.mixture, equations.local_fields(state)
    M, covariance = fields.M, fields.covariance
    overlaps = mixture.means @ equations.drift(state).R  # d(mu_b . w_k) / dt
    expected = np.zeros_like(overlaps)
    for cluster, mean in enumerate(mixture.means):
        joint = np.block([[covariance, 0.05 * state.R.T], [0.05 * state.R, 0.05 * np.eye(2)]])
        points = sobol_normals(6, 15, cluster) @ np.linalg.cholesky(joint).T + np.concatenate([M[cluster], mean])
        at, x = points[:, :4], points[:, 4:]
        error = mixture.labels[cluster] - RELU(at) @ state.v
        u = state.v * (at > 0) * error[:, None]
        expected += mixture.weights[cluster] * (mixture.means @ (x.T @ u) / len(u))
    expected = 0.4 * expected - 0.4 * 0.02 * mixture.means @ state.R
    assert overlaps == pytest.approx(expected, abs=5e-3 * np.abs(expected).max())


@pytest.mark.slow
@three_activations
def test_euler_approaches_the_adaptive_solution(activation):
    equations, state, _ = isotropic(activation)
    times = np.array([0.0, 0.5, 2.0])
    exact = integrate(equations, state, times)
    gaps = [
        np.abs(euler(equations, state, times, step=step).states[-1].Q - exact.states[-1].Q).max()
        for step in (0.02, 0.01)
    ]
    assert gaps[0] / gaps[1] == pytest.approx(2, abs=0.1)
    assert exact.observables.M.shape == (3, 4, 4)
    assert exact.states[0] is state


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_overlaps_stay_positive(seed):
    equations, state, _ = isotropic(RELU, seed)
    for later in integrate(equations, state, np.geomspace(0.01, 50, 5), rtol=1e-5, atol=1e-7).states:
        assert np.linalg.eigvalsh(later.Q - later.R.T @ later.R)[0] > -1e-6
    equations, state = spectral(RELU, seed, fluctuating=False)
    end = integrate(equations, state, np.array([0.0, 5.0]), rtol=1e-5, atol=1e-7).states[-1]
    assert np.linalg.eigvalsh(end.fluctuations.transpose(2, 0, 1)).min() > -1e-6


def test_sampling_error():
    equations, state, _ = isotropic(RELU, log2_nodes=8)
    trajectory = integrate(equations, state, np.array([0.0, 1.0, 5.0]))
    pmse, class_error = sampling_error(equations, trajectory, sobol_nodes(4, 8, 2))
    assert pmse[0] == pytest.approx(0, abs=1e-15)  # closed form, at the same initial state
    assert 0 < pmse[-1] < 1e-3
    assert 0 < class_error.max() < 1e-2


@pytest.mark.slow
def test_sampling_error_of_the_class_error_is_of_its_size_at_all_times():
    """A single change is near zero at some times; a check that divides by it there fails by chance."""
    equations, state, _ = isotropic(RELU, log2_nodes=6)
    trajectory = integrate(equations, state, np.geomspace(0.1, 2, 30))
    errors = sampling_error(equations, trajectory, sobol_nodes(4, 6, 2))[1]
    assert errors.min() > 0.1 * errors.max()


def test_divergence_is_reported():
    equations, state, _ = isotropic(LINEAR)
    with pytest.raises(NotConverged, match=r"diverge at time 0 .* lower the learning rate"):
        integrate(equations, replace(state, Q=-state.Q), np.array([0.0, 1.0]))


def test_the_reason_is_that_averages_are_unknown(monkeypatch):
    equations, state, _ = isotropic(ERF)
    drift = IsotropicEquations.drift

    def drift_nearby(self, other, *known):
        if np.abs(other.Q - state.Q).max() > 0.1:
            raise NotConverged("averages are unknown")
        return drift(self, other, *known)

    monkeypatch.setattr(IsotropicEquations, "drift", drift_nearby)
    with pytest.raises(NotConverged, match="averages are unknown"):
        integrate(equations, state, np.array([0.0, 50.0]))


def test_priors_weigh_the_clusters():
    equations, state, _ = isotropic(ERF)
    alone = [
        replace(equations, mixture=IsotropicMixture(mean[None], label[None], np.ones(1), 0.3)).drift(state).v
        for mean, label in zip(equations.mixture.means, equations.mixture.labels, strict=True)
    ]
    priors = np.array([0.1, 0.2, 0.3, 0.4])
    weighted = replace(equations, mixture=replace(equations.mixture, weights=priors)).drift(state).v
    assert weighted == pytest.approx(priors @ np.array(alone), abs=1e-13)


@pytest.mark.slow
def test_frozen_second_layer_of_the_simulation():
    """The mean of 8 runs with v kept lies within four standard errors of the equations, far from those that train v."""
    dimension, mixture, times = 600, circle(1, 0.5, 0.4), np.array([0.0, 2.0, 10.0])
    rng = np.random.default_rng(3)
    network = Network(rng.standard_normal((3, dimension)), rng.standard_normal(3), TANH)
    kept = Learning(0.3, 0.05, train_second_layer=False)
    runs = [
        online_sgd(mixture.embed(dimension), network, kept, times=times, rng=stream).local_fields()
        for stream in rng.spawn(8)
    ]
    simulated = np.array([[mixture_pmse(distribution, mixture) for distribution in run] for run in runs])
    starts = {
        "isotropic": (
            IsotropicEquations(mixture, TANH, kept, sobol_nodes(3, 12, 0)),
            IsotropicState.of_network(network, 2),
        ),
        "spectral": (
            SpectralEquations(mixture.embed(dimension), TANH, kept, sobol_nodes(3, 12, 0)),
            SpectralState.of_network(network),
        ),
    }
    standard_error = simulated.std(axis=0, ddof=1) / math.sqrt(8)
    for equations, start in starts.values():
        path = integrate(equations, start, times)
        np.testing.assert_array_equal(path.observables.v, np.tile(network.v, (3, 1)))
        assert np.all(np.abs(path.observables.pmse - simulated.mean(axis=0)) < 4 * standard_error + 0.5 / dimension)
        trained = integrate(replace(equations, learning=Learning(0.3, 0.05)), start, times)
        assert np.abs(trained.observables.pmse - simulated.mean(axis=0)).max() > 8 * standard_error.max()


@pytest.mark.parametrize(
    ("activation", "message"),
    [
        ("sign", "activation is 'sign', whose slope is zero: use one with a slope for the order-parameter equations"),
        (
            Activation.of(lambda x: x + np.sign(x), name="leap"),
            "'leap', whose slope is not the derivative of its value",
        ),
        (
            Activation.of(np.sign, lambda x: np.exp(-(x**2)), "surrogate"),
            "'surrogate', whose slope is not the derivative",
        ),
        (
            Activation.of(lambda x: np.sqrt(np.abs(x - 1)), name="cusp"),
            "'cusp', whose slope has no finite mean square because it is infinite at 1: use one with a finite slope",
        ),
    ],
)
def test_activations_without_equations(activation, message):
    for kind, mixture in ((IsotropicEquations, xor(0.3)), (SpectralEquations, xor(0.3).embed(5))):
        with pytest.raises(ConfigError, match=message):
            kind(mixture, activation, LEARNING, sobol_nodes(2, 4, 0))


def test_an_activation_by_its_name_or_function():
    known, state, _ = isotropic(TANH)
    named, own = (replace(known, activation=activation).drift(state) for activation in ("tanh", np.tanh))
    for name in ("Q", "R", "v"):
        np.testing.assert_array_equal(getattr(named, name), getattr(known.drift(state), name))
        np.testing.assert_allclose(getattr(own, name), getattr(named, name), rtol=0, atol=1e-8)


@pytest.mark.parametrize("variance", [1.0, 1e6, 1e12])
def test_the_response_of_an_erf_unit_at_any_variance(variance):
    """For mean 0, <d u / d lambda> = -v^2 <g'> <g'>' / (1 + variance), with the second average where g' weighs inputs.

    The terms of the response are larger than their sum by a factor of the variance.
    """
    fields = LocalFields(np.zeros((1, 1)), np.array([[variance]]), np.array([1.5]), ERF)
    mixture = from_means([[0.0, 0.0]], [1], [1.0], 1.0)
    found = local_field_averages(fields, mixture, sobol_nodes(1, 4, 0)).response[0, 0, 0]
    shrunk = variance / (1 + variance)
    expected = -(1.5**2) * 2 / math.pi / math.sqrt((1 + variance) * (1 + shrunk)) / (1 + variance)
    assert found == pytest.approx(expected, rel=1e-3, abs=0)


@pytest.mark.parametrize("correlation", [-0.9, 0.05, 0.3, 0.6, 0.9, 0.999])
def test_compiled_averages_of_erf_units_are_those_of_two_fields(correlation):
    M, covariance = np.array([[0.8, -0.5], [-0.3, 1.2]]), 9 * np.array([[1.0, correlation], [correlation, 1.0]])
    fields = LocalFields(M, covariance, np.array([0.7, -0.4]), ERF)
    mixture = from_means([[1.0, 0.0], [-1.0, 0.0]], [1, -1], [0.4, 0.6], 1.0)
    found = local_field_averages(fields, mixture, sobol_nodes(2, 4, 0)).pmse
    assert found == pytest.approx(mixture_pmse(fields, mixture), rel=1e-9)
