"""Covariances of sign networks, averages and learning curves of a teacher on latents, against the numbers in get/."""

import json
from pathlib import Path

import gaussian_forms
import numpy as np
import pytest
from sign_moments import linearised_sign_moments

from twolayer.model.networks.activations import activation_named
from twolayer.model.networks.learning import Learning
from twolayer.model.teachers.teacher_student import TeacherStudent, order_parameters
from twolayer.theory.teacher_student.sign_covariances import exact_sign_moments
from twolayer.theory.teacher_student.spectral_densities import Densities
from twolayer.theory.teacher_student.teacher_averages import averages_room, erf_averages
from twolayer.theory.teacher_student.teacher_equations import TeacherEquations, solve

FOLDER = Path(__file__).parent / "gaussian_equivalence"
ENTRIES = json.loads((FOLDER / "goldens.json").read_text())["entries"]
ROUNDING = 1e-14


def entries(kind):
    return [pytest.param(entry, id=entry["id"]) for entry in ENTRIES if entry["kind"] == kind]


def stored_networks(name):
    """Both networks, and the layers of the generator."""
    with np.load(FOLDER / name) as stored:
        layers = [stored[key] for key in sorted(stored.files) if key.startswith("F")]
        return TeacherStudent(*(stored[key] for key in ("w", "v", "B", "A"))), layers


def assert_entries(matrix, stored):
    for row, column, value in stored:
        assert matrix[row, column] == pytest.approx(value, abs=ROUNDING)


@pytest.mark.parametrize("entry", entries("analytic_covariance"))
def test_linearised_covariances(entry):
    networks, layers = stored_networks(entry["weights_file"])
    moments = linearised_sign_moments(layers)
    assert_entries(moments.Omega, entry["Omega_entries"])
    assert_entries(moments.Phi, entry["Phi_entries"])
    eigenvalues = np.linalg.eigvalsh(moments.Omega)
    assert (eigenvalues[0], eigenvalues[-1]) == pytest.approx((entry["eig_min"], entry["eig_max"]), abs=1e-12)
    order = order_parameters(networks, moments)
    np.testing.assert_allclose(order.Q, entry["Q0"], atol=1e-13)
    np.testing.assert_allclose(order.R, entry["R0"], atol=1e-13)


@pytest.mark.parametrize("entry", [entry for entry in entries("analytic_covariance") if "odeA" in entry.id])
def test_exact_covariances(entry):
    _, layers = stored_networks(entry["weights_file"])
    moments = exact_sign_moments(layers[0])
    assert_entries(moments.Omega, entry["exact_arcsine_Omega_entries"])
    assert_entries(moments.Phi, entry["exact_Phi_entries"])
    # rounding of the cosine 1 makes the stored diagonal 1 - 1e-8
    assert np.linalg.norm(moments.Omega) == pytest.approx(entry["exact_Omega_fro"], rel=1e-8)


@pytest.mark.parametrize("entry", entries("erf_integrals"))
def test_averages(entry):
    C, tolerance = np.array(entry["C"]), entry["tol"]
    found = {
        "I2": gaussian_forms.erf_value_value(np.zeros(2), C[:2, :2]),
        "I3": gaussian_forms.erf_slope_field_value(np.zeros(3), C[:3, :3]),
        "I4": gaussian_forms.erf_slope_slope_value_value(np.zeros(4), C),
    }
    for name, value in found.items():
        assert value == pytest.approx(entry[name], abs=tolerance)
    (averages, room), u = averages_room(2, 4), np.array([1.0, 1.0, 0.0, 0.0])
    erf_averages(C, u, averages, room, True)
    assert averages.response[0, 1] == pytest.approx(-entry["J2"], abs=tolerance)
    erf_averages(C, np.array([0.0, 1.0, 0.0, 0.0]), averages, room, True)
    assert averages.readout[0] == pytest.approx(-entry["I2"], abs=tolerance)


@pytest.mark.parametrize("nodes", [None, 32])
@pytest.mark.parametrize("entry", entries("ode_trajectory"))
def test_learning_curve(entry, nodes):
    params, tolerance = entry["params"], entry["tol"]
    networks, layers = stored_networks(params["weights_file"].split()[0])
    assert params["delta"] == networks.B.shape[1] / networks.W.shape[1]
    activation = activation_named({"lin": "linear"}.get(params["g"], params["g"]))
    learning = Learning(params["lr"], train_second_layer=params["both_layers"])
    equations = TeacherEquations.of(activation, learning)
    densities = Densities.of(networks, linearised_sign_moments(layers))
    trajectory, compression = solve(
        equations, networks, densities, nodes=nodes, times=np.array(entry["t"]), step=params["dt"], method="euler"
    )
    found = {"eg": trajectory.pmse, "Q": trajectory.order.Q, "R": trajectory.order.R, "v": trajectory.v}
    for name, values in found.items():
        np.testing.assert_allclose(values, entry[f"{name}_double"], rtol=0, atol=tolerance["double_abs"])
        np.testing.assert_allclose(values, entry[f"{name}_cpp"], rtol=tolerance["cpp_rel"], atol=2e-6)
    np.testing.assert_allclose(trajectory.order.T, entry["T"], rtol=1e-12)
    assert compression.max() < tolerance["double_abs"]
