"""Learning curves of a student of a teacher against stored solutions and simulations (tests/golden/field)."""

from pathlib import Path

import numpy as np
import pytest

import twolayer as tl
from twolayer.model.networks.learning import LayerRates
from twolayer.model.teachers.teacher_student import GaussianInputs, OrderParameters, TeacherStudent
from twolayer.simulation.teacher_student.gaussian_equivalent_sgd import JointDistribution, teacher_sgd
from twolayer.theory.teacher_student.isotropic_teacher import IsotropicTeacher
from twolayer.theory.teacher_student.signal_averages import Signals
from twolayer.theory.teacher_student.spectral_densities import Densities
from twolayer.theory.teacher_student.teacher_averages import field_covariance
from twolayer.theory.teacher_student.teacher_equations import TeacherEquations, integrate

FOLDER = Path(__file__).parent / "field"
CUSTOM = {"he3": lambda x: x**3 - 3 * x, "square": lambda x: x**2}
LOOSER = {"relu": 1e-6, "relu_erf": 1e-6}
OTHERS = ("covariance", "scaling", "escape")  # have tests of their own
ISOTROPIC = sorted(
    path.stem.removeprefix("teacher_")
    for path in FOLDER.glob("teacher_*.npz")
    if not any(word in path.stem for word in OTHERS)
)


def stored(name):
    with np.load(FOLDER / f"teacher_{name}.npz") as arrays:
        return {key: values if values.ndim else values.item() for key, values in arrays.items()}


def units(one):
    activations = (
        tl.Activation.of(CUSTOM[name]) if name in CUSTOM else name for name in (one["student"], one["teacher"])
    )
    return Signals(*activations, one["noise_std"], "none" if one.get("flow") else "full")


def rates(one):
    decays = one["weight_decay"], one.get("weight_decay_v", one["weight_decay"])
    return LayerRates(one["eta"], decays[0], one["eta_v"], decays[1], one.get("sphere", False))


def order_at_the_start(one):
    return OrderParameters(one["Q0"], one["R0"], one["T"])


@pytest.mark.parametrize("name", ISOTROPIC)
def test_isotropic_inputs(name):
    """The solution is the stored one, and stored runs lie within 4 standard errors."""
    one = stored(name)
    equations = IsotropicTeacher(units(one), rates(one), order_at_the_start(one), one["v0"], one["A"])
    path = equations.solve(one["t"], tolerance=1e-10)
    np.testing.assert_allclose(path.pmse, one["pmse"], rtol=LOOSER.get(name, 1e-7))
    for found, known in ((path.order.Q, one["Q"]), (path.order.R, one["R"]), (path.v, one["v"])):
        np.testing.assert_allclose(found, known, atol=10 * LOOSER.get(name, 1e-7))
    if "sgd_pmse" in one:  # all but gradient flow; runs of He3 have heavy tails
        systematic = 0.01 * one["pmse"][1:] * (name == "he3")
        assert np.all(np.abs(path.pmse - one["sgd_pmse"])[1:] <= 4 * one["sgd_pmse_se"][1:] + systematic)


@pytest.mark.parametrize("name", ["covariance", "covariance_relu"])
def test_inputs_with_a_covariance(name):
    one = stored(name)
    inputs = GaussianInputs(len(one["rho"]), covariance=np.diag(one["rho"]))
    networks = TeacherStudent(one["W0"], one["v0"], inputs.seen_by_teacher(one["B"]), one["A"])
    np.testing.assert_allclose(inputs.order_parameters(networks).T, one["T"], rtol=1e-12)
    densities = Densities.of(networks, inputs.white_moments)
    path = integrate(TeacherEquations(units(one), rates(one)), networks, densities, times=one["t"], step=0.05)
    np.testing.assert_allclose(path.pmse, one["pmse"], rtol=1e-5)
    np.testing.assert_allclose(path.order.Q, one["Q"], atol=1e-5)
    np.testing.assert_allclose(path.v, one["v"], atol=1e-5)


@pytest.mark.slow
def test_simulation_with_a_covariance():
    """Our runs and the stored ones, of the same weights, agree within 4 standard errors of their difference."""
    one = stored("covariance")
    inputs, signals = GaussianInputs(len(one["rho"]), covariance=np.diag(one["rho"])), units(one)
    networks = TeacherStudent(one["W0"], one["v0"], inputs.seen_by_teacher(one["B"]), one["A"])
    distribution, settings = (
        JointDistribution.of(networks.B, inputs.white_moments),
        {"student": signals.student, "teacher": signals.teacher},
    )
    settings |= {"label_noise": signals.label_noise, "times": one["t"]}
    pmse = []
    for rng in np.random.default_rng(0).spawn(16):
        path = teacher_sgd(distribution, networks, rates(one), **settings, rng=rng)
        u = np.hstack([path.v, np.tile(-networks.A, (len(path.v), 1))])
        pmse.append(signals.pmse(field_covariance(path.order_parameters), u, len(networks.v)))
    gap = np.mean(pmse, axis=0) - one["sgd_pmse"]
    error = np.hypot(np.std(pmse, axis=0, ddof=1) / 4, one["sgd_pmse_se"])
    assert np.all(np.abs(gap[1:]) <= 4 * error[1:])
