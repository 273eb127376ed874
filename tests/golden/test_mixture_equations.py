"""Gaussian averages, learning curves and fixed points against the stored values of mixtures.json."""

import json
from pathlib import Path

import gaussian_forms
import numpy as np
import pytest
from mixture_paths import euler

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.standard_mixtures import class_weights, from_covariance
from twolayer.model.networks.activations import activation_named
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.mixtures.fixed_points.fixed_point import stationary_state
from twolayer.theory.mixtures.integration import integrate, observables
from twolayer.theory.mixtures.mixture_equations import (
    IsotropicEquations,
    IsotropicState,
    SpectralEquations,
    SpectralState,
)

ENTRIES = json.loads((Path(__file__).parent / "mixtures.json").read_text())["entries"]
STORED = 5e-9  # values below 1 are stored to eight digits
SAMPLED = 1e-4  # error of the stored Q, R and v of relu: their equations were averaged over sampled points
FUNCTIONS = {
    "Eg_a_g_b": ("value_value", 2),
    "Egprime_a_b": ("slope_field", 2),
    "Egprime_a_b_g_c": ("slope_field_value", 3),
    "Egprime_a_gprime_b_g_c_g_d": ("slope_slope_value_value", 4),
}


def entries(kind):
    return [pytest.param(entry, id=entry["id"]) for entry in ENTRIES if entry["kind"] == kind]


@pytest.mark.parametrize("entry", entries("gaussian_integral"))
def test_averages(entry):
    activation = entry["id"].split("_")[1]
    mean, covariance = np.array(entry["inputs"]["mean"]), np.array(entry["inputs"]["cov"])
    for name, stored in entry["closed"].items():
        if name == "Eg_a":
            found = getattr(gaussian_forms, f"{activation}_value")(mean[0], covariance[0, 0])
        else:
            function, count = FUNCTIONS[name]
            found = getattr(gaussian_forms, f"{activation}_{function}")(mean[:count], covariance[:count, :count])
        assert found == pytest.approx(stored, abs=STORED)
        assert found == pytest.approx(entry["qmc"][name], abs=entry["tolerance_suggest"]["qmc"])


def isotropic(inputs, log2_nodes):
    means, labels = np.array(inputs["x_means"]), np.array(inputs["labels"])
    mixture = IsotropicMixture(means, labels, class_weights(labels, inputs["rho"]), inputs["var"])
    activation = activation_named({"lin": "linear"}.get(inputs["activation"], inputs["activation"]))
    learning = Learning(inputs["lr"], inputs["reg"])
    return IsotropicEquations(mixture, activation, learning, sobol_nodes(inputs["K"], log2_nodes, 0))


def column(rows, name):
    return np.array([row[name] for row in rows])


@pytest.mark.slow
@pytest.mark.parametrize("entry", entries("ode_identity_cov"))
def test_isotropic_learning_curve(entry):
    inputs, tolerance = entry["inputs"], entry["tolerance_suggest"]
    equations = isotropic(inputs, 10 if inputs["activation"] == "relu" else 13)
    R = np.linalg.lstsq(equations.mixture.means, np.array(inputs["R0"]), rcond=None)[0]
    start = IsotropicState(np.array(inputs["Q0"]), R, np.array(inputs["v0"]))
    stepped = euler(equations, start, np.array(inputs["times"]), step=inputs["dstep"])
    solved = integrate(equations, start, np.array(inputs["times"]))
    for trajectory, rows in ((stepped, entry["own_euler0.1"]), (solved, entry["own_rk4_dt_to_0"])):
        seen = trajectory.observables
        np.testing.assert_allclose(seen.pmse, column(rows, "pmse"), atol=2e-5)
        ties_correct = seen.class_error - 0.5 * seen.zero_probability
        np.testing.assert_allclose(ties_correct, column(rows, "class_err_ties_correct"), atol=tolerance["class_err"])
    rows = entry["own_euler0.1"]
    for name, found in (
        ("Q", [state.Q for state in stepped.states]),
        ("R", [equations.mixture.means @ state.R for state in stepped.states]),
        ("v", [state.v for state in stepped.states]),
    ):
        np.testing.assert_allclose(found, column(rows, name), atol=SAMPLED)
    np.testing.assert_allclose(stepped.observables.zero_probability, column(rows, "prob_zero_output"), atol=1e-3)


@pytest.mark.parametrize("entry", entries("ode_arbitrary_cov"))
def test_spectral_learning_curve(entry):
    """Euler steps of W differ from the stored Euler steps of w w^T, so both are compared at step size zero."""
    inputs = entry["inputs"]
    N, K, clusters = inputs["N"], inputs["K"], 2 * inputs["NG"]
    rng = np.random.default_rng(0)
    F = rng.standard_normal((N, N)) / np.sqrt(N)
    means, W = rng.standard_normal((clusters, N)) / np.sqrt(N), rng.standard_normal((K, N))
    v, labels = 0.5 * rng.standard_normal(K), np.repeat([-1.0, 1.0], inputs["NG"])
    np.testing.assert_allclose(v, inputs["v0"], atol=STORED)
    mixture, basis = from_covariance(means, F.T @ F + 1e-5 * np.eye(N), labels, class_weights(labels, 0.5))
    activation, learning = activation_named(inputs["activation"]), Learning(inputs["lr"], inputs["reg"])
    equations = SpectralEquations(mixture, activation, learning, sobol_nodes(K, 13, 0), input_mean_noise=False)
    start = SpectralState.of_network(Network(W @ basis, v, activation))
    trajectory = integrate(equations, start, np.array(inputs["times"]))
    seen = trajectory.observables
    np.testing.assert_allclose(seen.M[0], entry["own_initial"]["M"], atol=STORED)
    np.testing.assert_allclose(seen.covariance[0], entry["own_initial"]["Q"], atol=STORED)
    coarse, fine = (column(entry[name], "pmse") for name in ("own_euler0_1", "own_euler0_025"))
    np.testing.assert_allclose(seen.pmse, fine - (coarse - fine) / 3, atol=2e-5)
    np.testing.assert_allclose(seen.class_error, column(entry["own_euler0_025"], "class_err"), atol=2e-3)
    tolerance = entry["tolerance_suggest"]
    np.testing.assert_allclose(seen.covariance[-1], entry["own_final"]["Q"], atol=tolerance["Q"])
    np.testing.assert_allclose(seen.M[-1], entry["own_final"]["M"], atol=tolerance["M"])


@pytest.mark.slow
@pytest.mark.parametrize("entry", entries("fixed_point"))
def test_fixed_point(entry):
    inputs, stored, tolerance = entry["inputs"], entry["own"], entry["tolerance_suggest"]
    inputs = inputs | {"x_means": [[1, 0], [-1, 0], [0, 1], [0, -1]], "labels": [-1.0, -1.0, 1.0, 1.0]}
    start = IsotropicState(np.array(inputs["init_Q"]), np.array(inputs["init_R"])[[0, 2]], np.array(inputs["init_v"]))
    point = stationary_state(isotropic(inputs, 9), start, 2000.0)
    seen = observables(isotropic(inputs, 13), point.state)
    assert seen.pmse == pytest.approx(stored["pmse"], abs=stored["pmse_err"])
    assert seen.class_error - 0.5 * seen.zero_probability == pytest.approx(
        stored["class_err"], abs=tolerance["class_err"]
    )
    np.testing.assert_allclose(point.state.Q, stored["Q"], atol=1e-2)  # their nodes break the mixture's symmetries
    np.testing.assert_allclose(point.state.R, stored["R_e1_e2"], atol=1e-2)
    np.testing.assert_allclose(point.state.v, stored["v"], atol=2e-3)
    assert point.leading_eigenvalue == pytest.approx(stored["jacobian_eig_max_min"][0], rel=0.25)
