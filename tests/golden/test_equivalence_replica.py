"""Replica solutions, proximal points and Hermite coefficients against the stored numbers in get/."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf, erfc

from twolayer.model.networks.activations import SIGN
from twolayer.model.networks.hermite_expansion import converged_expansion
from twolayer.model.teachers.feature_covariances import power_law_covariances
from twolayer.theory.replica.convex_theory import ConvexTheory
from twolayer.theory.replica.margin_losses import proximal_point
from twolayer.theory.replica.replica_equations import covariate_spectrum

ENTRIES = json.loads((Path(__file__).parent / "gaussian_equivalence" / "goldens.json").read_text())["entries"]
EXPONENTS = {"iso": 0.0, "pow0.6": 0.6, "pow1.2": 1.2}
STORED_OVERLAPS = {"V": "V", "q": "q", "m": "m", "Vhat": "V_hat", "qhat": "q_hat", "mhat": "m_hat"}


def entries(kind, *tasks):
    chosen = [entry for entry in ENTRIES if entry["kind"] == kind and entry.get("task") in (tasks or (None,))]
    return [pytest.param(entry, id=entry["id"]) for entry in chosen]


@pytest.fixture(scope="module")
def spectra():
    return {name: covariate_spectrum(power_law_covariances(500, exponent)) for name, exponent in EXPONENTS.items()}


def assert_overlaps(overlaps, entry):
    for stored, name in STORED_OVERLAPS.items():
        assert getattr(overlaps, name) == pytest.approx(entry[stored], rel=1e-8)


@pytest.mark.parametrize("entry", entries("replica_fixed_point", "ridge", "ridge_sign"))
def test_square_loss(entry, spectra):
    spectrum, signs = spectra[entry["spectrum"]], entry["task"] == "ridge_sign"
    theory = ConvexTheory(spectrum, "square", "sign" if signs else "linear")
    overlaps = theory.solve(entry["alpha"], entry["lam"])
    errors = theory.errors(overlaps)
    assert_overlaps(overlaps, entry)
    rounding = 5e-15  # the errors are differences of sums of 500 numbers of order one
    assert 2 * errors.training_loss == pytest.approx(entry["train_loss"], rel=1e-8, abs=rounding)
    stored = entry["test_mse" if signs else "gen_error"]
    assert 2 * errors.test_loss == pytest.approx(stored, rel=1e-8, abs=rounding)
    if signs:
        assert errors.class_error == pytest.approx(entry["gen_error"], rel=1e-8)


@pytest.mark.parametrize("entry", entries("replica_fixed_point", "logistic"))
def test_logistic_loss(entry, spectra):
    spectrum = spectra[entry["spectrum"]]
    theory = ConvexTheory(spectrum, "logistic")
    overlaps = theory.solve(entry["alpha"], entry["lam"])
    errors = theory.errors(overlaps)
    assert_overlaps(overlaps, entry)
    assert errors.training_loss == pytest.approx(entry["train_loss"], rel=1e-8)
    assert errors.test_loss == pytest.approx(entry["test_loss"], rel=1e-8)
    assert errors.class_error == pytest.approx(entry["gen_error"], rel=1e-8)


@pytest.mark.parametrize("entry", entries("replica_fixed_point", "logistic"))
def test_training_class_error(entry, spectra):
    """The stored value is a sum over nodes that a jump cuts short; ours is the integral up to the jump."""
    spectrum = spectra[entry["spectrum"]]
    theory = ConvexTheory(spectrum, "logistic")
    overlaps = theory.solve(entry["alpha"], entry["lam"])
    angle = math.atanh(overlaps.m / math.sqrt(spectrum.power * overlaps.q))
    jump = -overlaps.V / (2 * math.sqrt(overlaps.q))

    def average(xi, weights):
        Z = erfc(-xi * math.sinh(angle) / math.sqrt(2))
        return float(weights @ (np.exp(-(xi**2) / 2) / math.sqrt(2 * math.pi) * Z))

    nodes = np.linspace(-9, 9, 2161)
    below = nodes < jump
    assert average(nodes[below], np.full(below.sum(), 1 / 120)) == pytest.approx(entry["train_error"], rel=1e-6)
    x, weights = np.polynomial.legendre.leggauss(200)
    half = (jump + 40) / 2
    exact = average(half * (x - 1) + jump, half * weights)
    assert theory.errors(overlaps).training_class_error == pytest.approx(exact, rel=1e-6, abs=1e-16)


@pytest.mark.parametrize("entry", entries("prox_logistic"))
def test_proximal_points(entry):
    points = proximal_point(np.array(entry["omega"]), entry["V"])
    np.testing.assert_allclose(points, entry["prox"], rtol=0, atol=entry["tol"])


@pytest.mark.parametrize("entry", entries("kappa"))
def test_coefficients_of_random_features(entry):
    functions = {"kappa/erf": erf, "kappa/sign": SIGN.value}
    expansion, _ = converged_expansion(functions[entry["id"]], 1.0, 1)
    measured = (*expansion.coefficients, expansion.rest)
    stored = (entry["kappa0"], entry["kappa1"], entry["kappa_star"])
    assert measured == pytest.approx(stored, abs=1e-13)
