"""Equations for covariances that do not commute against stored values (tests/golden/seeds), limits and simulation."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl
from twolayer.model.mixtures.gaussian_mixtures import SpectralMixture
from twolayer.model.mixtures.standard_mixtures import from_covariance
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.theory.averages.mixture_averages import local_field_averages
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.mixtures.integration import integrate
from twolayer.theory.mixtures.matrix_equations import MatrixEquations, MatrixState
from twolayer.theory.mixtures.mixture_equations import SpectralEquations, SpectralState

FOLDER = Path(__file__).parent / "seeds"


def stored_problem(name):
    stored = np.load(FOLDER / f"c_{name}.npz")
    F, N = stored["F"], stored["F"].shape[1]
    means = stored["mu"] / np.sqrt(N)
    mixture, _ = from_covariance(means, np.swapaxes(F, 1, 2) @ F, stored["labels"], stored["weights"])
    learning = Learning(float(stored["lr"]), float(stored["reg"]))
    equations = MatrixEquations(mixture, name, learning, sobol_nodes(2, 12, 0))
    return stored, equations, MatrixState.of_network(Network(stored["W0"], stored["v0"], name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["erf", "relu"])
def test_stored_solution_and_simulations(name):
    stored, equations, start = stored_problem(name)
    drift = equations.drift(start).mean_weights
    assert np.abs(drift - stored["drift_W_t0"]).max() < 1e-3 * np.abs(drift).max()
    averages = local_field_averages(equations.local_fields(start), equations.mixture, equations.nodes)
    np.testing.assert_allclose(averages.noise, stored["E_uu_t0"], rtol=5e-3, atol=1e-6)
    found = integrate(equations, start, stored["t"].astype(float)).observables
    np.testing.assert_allclose(found.pmse, stored["pmse"], rtol=2e-4)
    np.testing.assert_allclose(found.class_error, stored["class_error"], atol=3e-3)
    assert np.all(np.abs(found.pmse - stored["sgd_pmse"]) < 5 * stored["sgd_pmse_se"] + 1e-3)


@pytest.mark.parametrize("name", ["erf", "relu"])
def test_they_are_the_closed_equations_if_covariances_commute(name):
    rng = np.random.default_rng(0)
    C, N, K = 3, 8, 2
    means, spectra = rng.standard_normal((C, N)), rng.uniform(0.2, 2.0, (C, N))
    labels, weights = np.array([1.0, -1.0, 1.0]), np.array([0.5, 0.3, 0.2])
    common = SpectralMixture(means, labels, weights, spectra)
    turned = replace(common, bases=np.stack([np.eye(N)] * C))
    network = Network(rng.standard_normal((K, N)), rng.standard_normal(K), name)
    rules = name, Learning(0.4, 0.02), sobol_nodes(K, 8, 0)
    times = np.array([0.0, 1.0, 3.0])
    matrix = integrate(MatrixEquations(turned, *rules), MatrixState.of_network(network), times)
    spectral = integrate(SpectralEquations(common, *rules), SpectralState.of_network(network), times)
    np.testing.assert_allclose(matrix.observables.pmse, spectral.observables.pmse, rtol=1e-6)
    np.testing.assert_allclose(matrix.observables.covariance, spectral.observables.covariance, rtol=1e-5, atol=1e-8)


def test_covariances_of_a_mixture():
    mixture = tl.random_covariances(input_dimension=6, clusters_per_class=1)
    inputs = SpectralMixture(*(mixture[name].values for name in ("means", "labels", "weights", "eigenvalues", "bases")))
    for covariance, basis, values in zip(inputs.covariances, inputs.bases, inputs.spectra, strict=True):
        np.testing.assert_allclose(covariance @ basis, basis * values, atol=1e-12)
    first, second = inputs.covariances
    assert np.abs(first @ second - second @ first).max() > 0.1


def test_too_many_weights_are_refused():
    mixture = tl.random_covariances(input_dimension=60, clusters_per_class=1)
    with pytest.raises(tl.ConfigError, match="allow at most 2000: use online_sgd"):
        tl.learning_curve(mixture, tl.Student("erf", 40), tl.Schedule(learning_rate=0.1, last_time=1))
