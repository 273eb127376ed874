"""Drifts of the order parameters in closed form and along lines, against plain Gaussian sampling in numpy."""

import math

import numpy as np
import pytest

from twolayer.model.mixtures.standard_mixtures import random_mixture, xor
from twolayer.model.networks.activations import ERF, RELU, TANH
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.mixtures.fixed_points.fixed_point import stationary_state
from twolayer.theory.mixtures.fixed_points.xor_start import xor_start
from twolayer.theory.mixtures.mixture_equations import (
    IsotropicEquations,
    IsotropicState,
    SpectralEquations,
    SpectralState,
    aligned,
)

RATE, DECAY, VARIANCE = 0.1, 0.01, 0.05


def textbook_isotropic(equations, state, normals):
    """The same normal points (n, K + 2) at all times, of the pre-activations and the inputs in the plane together."""
    mixture, K = equations.mixture, len(state.v)
    joint = VARIANCE * np.block([[state.Q, state.R.T], [state.R, np.eye(2)]])
    eigenvalues, eigenvectors = np.linalg.eigh(joint)
    deviation = normals @ (eigenvectors * np.sqrt(np.maximum(eigenvalues, 0))).T
    dQ, dR, dv = -2 * RATE * DECAY * state.Q, -RATE * DECAY * state.R, -RATE * DECAY * state.v
    for mean, label, weight in zip(mixture.means, mixture.labels, mixture.weights, strict=True):
        fields, inputs = deviation[:, :K] + mean @ state.R, deviation[:, K:] + mean
        g = equations.activation(fields)
        error = label - g @ state.v
        u = state.v * equations.activation.slope(fields) * error[:, None]
        for k in range(K):
            for p in range(2):
                dR[p, k] += RATE * weight * np.mean(u[:, k] * inputs[:, p])
            for j in range(K):
                product = u[:, k] * fields[:, j] + u[:, j] * fields[:, k] + RATE * VARIANCE * u[:, k] * u[:, j]
                dQ[k, j] += RATE * weight * np.mean(product)
            dv[k] += RATE * weight * np.mean(error * g[:, k])
    return IsotropicState(dQ, dR, dv)


def textbook_spectral(equations, densities, v, normals):
    """Densities q (K, K, N) and r (C, K, N), every pair of units and clusters in turn; normals (n, K)."""
    mixture, K = equations.mixture, len(v)
    (q, r), mu, eigenvalues = densities, np.sqrt(mixture.dimension) * mixture.means, mixture.eigenvalues
    covariance = (eigenvalues * q).mean(axis=-1)
    deviation, inverse = normals @ np.linalg.cholesky(covariance).T, np.linalg.inv(covariance)
    dq, dr, dv = np.zeros_like(q), np.zeros_like(r), np.zeros(K)
    for a, (label, weight) in enumerate(zip(mixture.labels, mixture.weights, strict=True)):
        fields = r[a].mean(axis=-1) + deviation
        g = equations.activation(fields)
        error = label - g @ v
        u = v * equations.activation.slope(fields) * error[:, None]
        dv += RATE * weight * np.mean(error[:, None] * g, axis=0)
        response = u.T @ deviation / len(u) @ inverse
        for k in range(K):
            for b in range(len(mu)):
                dr[b, k] += RATE * weight * u[:, k].mean() * mu[b] * mu[a]
                for j in range(K):
                    dr[b, k] += RATE * weight * eigenvalues * response[k, j] * r[b, j]
            for l in range(K):  # noqa: E741
                dq[k, l] += RATE * weight * (u[:, k].mean() * r[a, l] + u[:, l].mean() * r[a, k])
                dq[k, l] += RATE**2 * weight * np.mean(u[:, k] * u[:, l]) * (eigenvalues + mu[a] ** 2 / mu.shape[1])
                for j in range(K):
                    dq[k, l] += RATE * weight * eigenvalues * (response[k, j] * q[j, l] + response[l, j] * q[j, k])
    return dq, dr, dv


def isotropic_problem(log2_nodes, activation=RELU):
    rng = np.random.default_rng(0)
    state = IsotropicState.of_network(Network(rng.standard_normal((4, 500)), rng.standard_normal(4), activation), 2)
    nodes = sobol_nodes(4, log2_nodes, 0)
    return aligned(IsotropicEquations(xor(VARIANCE), activation, Learning(RATE, DECAY), nodes), state), state


def spectral_problem(hidden, clusters_per_class, dimension):
    rng = np.random.default_rng(0)
    mixture, _ = random_mixture(rng, dimension, clusters_per_class)
    network = Network(rng.standard_normal((hidden, dimension)), rng.standard_normal(hidden), ERF)
    return SpectralEquations(mixture, ERF, Learning(RATE), sobol_nodes(hidden, 4, 0)), SpectralState.of_network(network)


def gap(drift, other):
    return max(np.abs(getattr(drift, name) - getattr(other, name)).max() for name in ("Q", "R", "v"))


@pytest.mark.parametrize("log2_nodes", [4, 8])
def test_fewer_lines_than_points_are_more_accurate(log2_nodes):
    exact, state = isotropic_problem(14)
    few, _ = isotropic_problem(log2_nodes)
    reference = exact.drift(state)
    sampled = textbook_isotropic(exact, state, np.random.default_rng(1).standard_normal((10**4, 6)))
    assert gap(few.drift(state), reference) < 0.1 * gap(sampled, reference)


@pytest.mark.benchmark(group="drift, relu, K=4, XOR")
@pytest.mark.parametrize("nodes", [64, 256, 1024, 4096, 8192])
def test_isotropic_drift(benchmark, nodes):
    equations, state = isotropic_problem(round(math.log2(nodes)))
    benchmark(equations.drift, state)


@pytest.mark.benchmark(group="drift, tanh, K=4, XOR")
@pytest.mark.parametrize("nodes", [1024, 8192])
def test_isotropic_drift_without_closed_forms(benchmark, nodes):
    equations, state = isotropic_problem(round(math.log2(nodes)), TANH)
    benchmark(equations.drift, state)


@pytest.mark.benchmark(group="drift, relu, K=4, XOR")
@pytest.mark.parametrize("points", [10**4, 2**13])
def test_textbook_isotropic_drift(benchmark, points):
    equations, state = isotropic_problem(4)
    benchmark(textbook_isotropic, equations, state, np.random.default_rng(1).standard_normal((points, 6)))


@pytest.mark.parametrize(("hidden", "clusters_per_class", "dimension"), [(3, 1, 200), (4, 5, 784)])
class TestSpectralDrift:
    def test_closed_form(self, benchmark, hidden, clusters_per_class, dimension):
        benchmark.group = f"drift, erf, K={hidden}, N={dimension}, {2 * clusters_per_class} clusters"
        equations, state = spectral_problem(hidden, clusters_per_class, dimension)
        benchmark(equations.drift, state)

    def test_textbook(self, benchmark, hidden, clusters_per_class, dimension):
        benchmark.group = f"drift, erf, K={hidden}, N={dimension}, {2 * clusters_per_class} clusters"
        equations, state = spectral_problem(hidden, clusters_per_class, dimension)
        W, mu = state.mean_weights, np.sqrt(dimension) * equations.mixture.means
        densities = np.einsum("kt,lt->klt", W, W), np.einsum("at,kt->akt", mu, W)
        normals = np.random.default_rng(1).standard_normal((10**4, hidden))
        _, _, dv = benchmark(textbook_spectral, equations, densities, state.v, normals)
        np.testing.assert_allclose(dv, equations.drift(state).v, atol=5e-3)


@pytest.mark.benchmark(group="fixed point, relu, K=4, XOR")
def test_fixed_point(benchmark):
    equations, _ = isotropic_problem(11)
    point = benchmark.pedantic(stationary_state, args=(equations, xor_start(4), 5000.0), rounds=3, warmup_rounds=1)
    assert point.residual <= 1e-10
