"""Averages over local fields, the two equations of motion and their integration."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from twolayer.errors import NotConverged
from twolayer.model.activations import ACTIVATIONS, ERF, LINEAR, RELU
from twolayer.model.mixtures import IsotropicMixture, circle, random_mixture, xor
from twolayer.theory.mixture_equations import (
    IsotropicEquations,
    IsotropicState,
    Nodes,
    SpectralEquations,
    SpectralState,
    aligned,
    classification_error,
    local_field_averages,
    sobol_nodes,
    sobol_normals,
)
from twolayer.theory.ode import euler, integrate, observables, sampling_error

SLOPES = {
    "erf": lambda x: math.sqrt(2 / math.pi) * np.exp(-0.5 * x**2),
    "relu": lambda x: (x > 0).astype(float),
    "linear": np.ones_like,
}
FIELDS = ("drive", "response", "noise", "readout")
all_activations = pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
seeds = st.integers(0, 2**32 - 1)


def law(seed, hidden=3, clusters=4):
    """M, covariance, v, labels and weights of some clusters."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((hidden, hidden + 2)) / math.sqrt(hidden + 2)
    weights = rng.uniform(0.5, 1.5, clusters)
    labels = np.where(np.arange(clusters) % 2, 1.0, -1.0)
    M = rng.standard_normal((clusters, hidden))
    return M, root @ root.T, rng.standard_normal(hidden), labels, weights / weights.sum()


def sampled_averages(M, covariance, v, labels, weights, activation, normals):
    """The same averages from plain points."""
    result, squared_error, wrong = {name: [] for name in FIELDS}, [], []
    deviation = normals @ np.linalg.cholesky(covariance).T
    for mean, label in zip(M, labels, strict=True):
        g = activation(mean + deviation)
        error = label - g @ v
        u = v * SLOPES[activation.name](mean + deviation) * error[:, None]
        result["drive"].append(u.mean(axis=0))
        result["response"].append(np.linalg.solve(covariance, deviation.T @ u / len(u)).T)
        result["noise"].append(u.T @ u / len(u))
        result["readout"].append((error[:, None] * g).mean(axis=0))
        squared_error.append(np.mean(error**2))
        wrong.append(np.mean(label * (g @ v) < 0) + 0.5 * np.mean(g @ v == 0))
    averages = {name: np.array(value) for name, value in result.items()}
    return averages | {"pmse": 0.5 * weights @ squared_error, "class_error": weights @ wrong}


def isotropic(activation, seed=0, hidden=4, dimension=30, mixture=None, log2_nodes=6):
    rng = np.random.default_rng(seed)
    nodes = sobol_nodes(hidden, log2_nodes, 1)
    weights, v = rng.standard_normal((hidden, dimension)), rng.standard_normal(hidden)
    mixture = mixture or xor(0.3)
    state = IsotropicState.of_network(weights, v, mixture.means.shape[1])
    return aligned(IsotropicEquations(mixture, activation, 0.4, 0.02, nodes), state), state, weights


def spectral(activation, seed=0, hidden=3, dimension=20, fluctuating=True):
    rng = np.random.default_rng(seed)
    mixture, _ = random_mixture(rng, dimension, 2)
    state = SpectralState.of_network(rng.standard_normal((hidden, dimension)), rng.standard_normal(hidden))
    if fluctuating:
        root = 0.3 * rng.standard_normal((hidden, hidden, dimension))
        state = replace(state, fluctuations=np.einsum("kit,lit->klt", root, root))
    return SpectralEquations(mixture, activation, 0.4, 0.02, sobol_nodes(hidden, 6, 1)), state


@all_activations
@pytest.mark.parametrize("seed", [0, 1])
def test_averages_of_samples(activation, seed):
    problem = law(seed)
    batches = [sampled_averages(*problem, activation, sobol_normals(3, 15, 100 + batch)) for batch in range(8)]
    found = [local_field_averages(*problem, activation, sobol_nodes(3, 12, batch)) for batch in range(4)]
    for name in (*FIELDS, "pmse"):
        expected, own = np.array([b[name] for b in batches]), np.array([getattr(f, name) for f in found])
        variance = expected.var(axis=0, ddof=1) / len(expected) + own.var(axis=0, ddof=1) / len(own)
        gap = np.abs(own.mean(axis=0) - expected.mean(axis=0))
        assert gap.max() < 5 * np.sqrt(variance.max()), name


@all_activations
def test_classification_error_of_samples(activation):
    problem = law(2)
    batches = [sampled_averages(*problem, activation, sobol_normals(3, 15, 100 + b))["class_error"] for b in range(8)]
    found = classification_error(*problem, activation, sobol_nodes(3, 14, 0))[0]
    assert found == pytest.approx(np.mean(batches), abs=5e-4)


@pytest.mark.parametrize("activation", [ERF, LINEAR], ids=["erf", "linear"])
def test_odd_network_guesses_the_classes_of_xor(activation):
    equations, state, _ = isotropic(activation, log2_nodes=14)
    seen = observables(equations, state)
    assert seen.class_error == pytest.approx(0.5, abs=2e-3)
    assert seen.pmse >= 0.5


def test_zero_output_where_all_units_are_off():
    M, covariance, v = np.array([[-1.0, -1.0]]), np.diag([0.5, 2.0]), np.array([0.7, 0.4])
    error, zero = classification_error(M, covariance, v, np.ones(1), np.ones(1), RELU, sobol_nodes(2, 12, 0))
    off = norm.cdf(1 / math.sqrt(0.5)) * norm.cdf(1 / math.sqrt(2.0))
    assert zero == pytest.approx(off, abs=1e-5)
    assert error == pytest.approx(0.5 * off, abs=1e-5)


def test_units_without_output_do_not_decide_the_class():
    M, covariance, v, labels, weights = law(3)
    v = v * np.array([1.0, 0.0, 0.0])
    error, zero = classification_error(M, covariance, v, labels, weights, RELU, sobol_nodes(3, 14, 0))
    on = norm.cdf(M[:, 0] / math.sqrt(covariance[0, 0]))
    assert zero == pytest.approx(weights @ (1 - on), abs=1e-4)
    assert error == pytest.approx(weights @ np.where(labels * v[0] < 0, on, 0) + 0.5 * zero, abs=1e-4)


@pytest.mark.parametrize("log2_nodes", [0, 3])
def test_one_relu_unit_needs_no_nodes(log2_nodes):
    M, covariance, v, labels, weights = law(4, hidden=1)
    noise = local_field_averages(M, covariance, v, labels, weights, RELU, sobol_nodes(1, log2_nodes, 0)).noise
    m, s = M[:, 0], math.sqrt(covariance[0, 0])
    on, first = norm.cdf(m / s), m * norm.cdf(m / s) + s * norm.pdf(m / s)
    second = (m**2 + s**2) * on + m * s * norm.pdf(m / s)
    expected = v[0] ** 2 * (labels**2 * on - 2 * labels * v[0] * first + v[0] ** 2 * second)
    assert noise[:, 0, 0] == pytest.approx(expected, abs=1e-14)


def test_relu_noise_converges_with_the_nodes():
    problem = law(5, hidden=4)

    def noise(log2_size, seed):
        nodes = sobol_nodes(4, log2_size, seed).aligned(problem[1])
        return local_field_averages(*problem, RELU, nodes).noise

    reference = np.mean([noise(14, seed) for seed in range(20, 24)], axis=0)
    sizes = np.arange(4, 11)
    errors = [np.sqrt(np.mean([(noise(size, seed) - reference) ** 2 for seed in range(8)])) for size in sizes]
    assert np.polyfit(sizes, np.log2(errors), 1)[0] < -0.75
    assert errors[-1] < 5e-3 * np.abs(reference).max()


def test_relu_averages_are_smooth_where_eigenvalues_cross():
    """The second difference of a smooth average falls with the square of the shift; a jump would not."""
    M, _, v, labels, weights = law(6, hidden=4)
    nodes = sobol_nodes(4, 8, 0).aligned(np.eye(4))
    direction = np.diag([1.0, -1.0, 0.5, 0.0])

    def second_difference(shift):
        noise = [
            local_field_averages(M, np.eye(4) + s * direction, v, labels, weights, RELU, nodes).noise
            for s in (-shift, 0, shift)
        ]
        return np.abs(noise[0] - 2 * noise[1] + noise[2]).max()

    assert second_difference(1e-4) < 2e-2 * second_difference(1e-3)


@all_activations
def test_singular_covariance(activation):
    M, _, v, labels, weights = law(7, hidden=4)
    root = np.random.default_rng(0).standard_normal((4, 2))
    nodes = sobol_nodes(4, 8, 0).aligned(root @ root.T)
    singular = local_field_averages(M, root @ root.T, v, labels, weights, activation, nodes)
    near = local_field_averages(M, root @ root.T + 1e-12 * np.eye(4), v, labels, weights, activation, nodes)
    for name in FIELDS:
        assert getattr(singular, name) == pytest.approx(getattr(near, name), abs=1e-4)


def test_proportional_relu_units():
    """A unit of twice the weights is on with the other one and doubles its output."""
    copies = np.array([[1, 0], [2, 0], [0, 1]])
    M, covariance, _, labels, weights = law(8, hidden=2)
    v, doubled = np.array([0.6, 0.2, -0.5]), np.array([1.0, -0.5])
    nodes = sobol_nodes(3, 10, 0).aligned(copies @ covariance @ copies.T)
    found = local_field_averages(M @ copies.T, copies @ covariance @ copies.T, v, labels, weights, RELU, nodes)
    merged = local_field_averages(M, covariance, doubled, labels, weights, RELU, sobol_nodes(2, 10, 0))
    assert found.pmse == pytest.approx(merged.pmse, abs=1e-7)
    assert found.drive[:, [0, 2]] / v[[0, 2]] == pytest.approx(merged.drive / doubled, abs=1e-7)
    assert found.drive[:, 0] / v[0] == pytest.approx(found.drive[:, 1] / v[1], abs=1e-7)
    assert found.noise[:, 0, 1] / (v[0] * v[1]) == pytest.approx(found.noise[:, 0, 0] / v[0] ** 2, abs=1e-12)


@all_activations
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_permutation_of_hidden_units(activation, seed):
    equations, state, _ = isotropic(activation, seed)
    order = np.random.default_rng(seed).permutation(4)
    nodes = equations.nodes
    nodes = Nodes(nodes.normals, nodes.direction[order], nodes.frame[order])
    permuted = IsotropicState(state.Q[np.ix_(order, order)], state.R[:, order], state.v[order])
    drift, permuted_drift = equations.drift(state), replace(equations, nodes=nodes).drift(permuted)
    np.testing.assert_allclose(permuted_drift.Q, drift.Q[np.ix_(order, order)], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(permuted_drift.R, drift.R[:, order], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(permuted_drift.v, drift.v[order], rtol=1e-9, atol=1e-11)
    assert observables(equations, permuted).pmse == pytest.approx(observables(equations, state).pmse, rel=1e-12)


@all_activations
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
@pytest.mark.parametrize("dimension", [7, 40])
def test_one_eigenvalue_is_the_isotropic_case(activation, dimension):
    """Exactly, without the squared means of the inputs; with them, up to noise of order 1/N."""
    equations, state, weights = isotropic(activation, dimension=dimension)
    embedded = equations.mixture.embed(dimension)
    for input_mean_noise in (False, True):
        other = SpectralEquations(embedded, activation, 0.4, 0.02, equations.nodes, input_mean_noise)
        start = SpectralState.of_network(weights, state.v)
        drift, expected = other.drift(start), equations.drift(state)
        growth = drift.mean_weights @ weights.T
        found = (growth + growth.T + drift.fluctuations.sum(axis=-1)) / dimension
        extra = 0.0
        if input_mean_noise:
            mixture = equations.mixture
            averages = local_field_averages(
                *equations.local_fields(state), state.v, mixture.labels, mixture.weights, activation, equations.nodes
            )
            extra = 0.4**2 * np.tensordot(mixture.weights, averages.noise, 1) / dimension  # means of length one
        assert found == pytest.approx(expected.Q + extra, rel=1e-10, abs=1e-12)
        assert drift.mean_weights[:, :2].T / math.sqrt(dimension) == pytest.approx(expected.R, rel=1e-10, abs=1e-12)
        assert drift.v == pytest.approx(expected.v, rel=1e-10, abs=1e-12)


@all_activations
def test_spectral_drift_is_that_of_the_papers_densities(activation):
    """q_kl = <w_k> <w_l> + fluctuation and r_bk = mu_b <w_k> in each mode, written out term by term."""
    equations, state = spectral(activation)
    equations = replace(equations, input_mean_noise=False)
    mixture, rate, decay = equations.mixture, equations.learning_rate, equations.weight_decay
    W, mu = state.mean_weights, math.sqrt(mixture.dimension) * mixture.means
    q, r = np.einsum("kt,lt->klt", W, W) + state.fluctuations, np.einsum("bt,kt->bkt", mu, W)
    M, covariance = r.mean(axis=-1), (mixture.eigenvalues * q).mean(axis=-1)
    averages = local_field_averages(
        M, covariance, state.v, mixture.labels, mixture.weights, activation, equations.nodes
    )
    p, eigenvalues = mixture.weights, mixture.eigenvalues
    dr = rate * np.einsum("a,ak,bt,at->bkt", p, averages.drive, mu, mu) - rate * decay * r
    dr += rate * eigenvalues * np.einsum("a,akj,bjt->bkt", p, averages.response, r)
    dq = rate * np.einsum("a,ak,alt->klt", p, averages.drive, r)
    dq += rate * eigenvalues * np.einsum("a,akj,jlt->klt", p, averages.response, q)
    dq = dq + dq.transpose(1, 0, 2) - 2 * rate * decay * q
    dq += rate**2 * eigenvalues * np.einsum("a,akl->kl", p, averages.noise)[:, :, None]

    drift = equations.drift(state)
    outer = np.einsum("kt,lt->klt", drift.mean_weights, W)
    assert np.einsum("bt,kt->bkt", mu, drift.mean_weights) == pytest.approx(dr, abs=1e-12)
    assert outer + outer.transpose(1, 0, 2) + drift.fluctuations == pytest.approx(dq, abs=1e-12)


def test_means_without_antipodes():
    """Each mean drives its own overlap: on a hexagon no two are opposite with the same label."""
    equations, state, _ = isotropic(RELU, mixture=circle(3, 0.05), log2_nodes=12)
    mixture, (M, covariance) = equations.mixture, equations.local_fields(state)
    overlaps = mixture.means @ equations.drift(state).R  # d(mu_b . w_k) / dt
    expected = np.zeros_like(overlaps)
    for cluster, mean in enumerate(mixture.means):
        joint = np.block([[covariance, 0.05 * state.R.T], [0.05 * state.R, 0.05 * np.eye(2)]])
        points = sobol_normals(6, 15, cluster) @ np.linalg.cholesky(joint).T + np.concatenate([M[cluster], mean])
        fields, x = points[:, :4], points[:, 4:]
        error = mixture.labels[cluster] - RELU(fields) @ state.v
        u = state.v * (fields > 0) * error[:, None]
        expected += mixture.weights[cluster] * (mixture.means @ (x.T @ u) / len(u))
    expected = 0.4 * expected - 0.4 * 0.02 * mixture.means @ state.R
    assert overlaps == pytest.approx(expected, abs=5e-3 * np.abs(expected).max())


@all_activations
def test_euler_approaches_the_adaptive_solution(activation):
    equations, state, _ = isotropic(activation)
    times = np.array([0.0, 0.5, 2.0])
    exact = integrate(equations, state, times)
    gaps = [
        np.abs(euler(equations, state, times, step).states[-1].Q - exact.states[-1].Q).max() for step in (0.02, 0.01)
    ]
    assert gaps[0] / gaps[1] == pytest.approx(2, abs=0.1)
    assert exact.observables.M.shape == (3, 4, 4)
    assert exact.states[0] is state


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


def test_divergence_is_reported():
    equations, state, _ = isotropic(LINEAR)
    fast = replace(equations, learning_rate=50.0)
    with np.errstate(all="ignore"), pytest.raises(NotConverged, match=r"diverge at time .* lower the learning rate"):
        euler(fast, state, np.array([0.0, 1000.0]), 0.1)
    with pytest.raises(NotConverged, match="time 0 "):
        integrate(equations, replace(state, Q=-state.Q), np.array([0.0, 1.0]))


def test_priors_weigh_the_clusters():
    equations, state, _ = isotropic(ERF)
    alone = [
        replace(equations, mixture=IsotropicMixture(mean[None], label[None], np.ones(1), 0.3)).drift(state).v
        for mean, label in zip(equations.mixture.means, equations.mixture.labels, strict=True)
    ]
    priors = np.array([0.1, 0.2, 0.3, 0.4])
    weighted = replace(equations, mixture=replace(equations.mixture, weights=priors)).drift(state).v
    assert weighted == pytest.approx(priors @ np.array(alone), abs=1e-13)
