"""Kernels, kernel regression and its theory against stored values (tests/golden/seeds)."""

import csv
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl
from twolayer.model.networks.kernels import kernel, kernel_matrix
from twolayer.simulation.features.kernel_regression import feature_outputs, kernel_outputs
from twolayer.theory.kernels.kernel_learning import learned_by_features, learned_from_samples
from twolayer.theory.kernels.kernel_modes import mixed_xor, strong_xor, weak_three_clusters, weak_xor

FOLDER = Path(__file__).parent / "seeds"
KERNELS = {
    "relu": ("features", "relu"),
    "erf": ("features", "erf"),
    "ntk_relu": ("tangent", "relu"),
    "ntk_erf": ("tangent", "erf"),
    "ntk1_relu": ("first_layer", "relu"),
    "ntk1_erf": ("first_layer", "erf"),
}
MODES = {
    ("xor", "low"): weak_xor,
    ("three", "low"): weak_three_clusters,
    ("xor", "mixed"): mixed_xor,
    ("xor", "high"): strong_xor,
}
MIXTURES = {"xor": "xor", "three": "three_clusters"}


def rows(name):
    with open(FOLDER / f"a_{name}.csv") as file:
        return [pytest.param(row, id="-".join(list(row.values())[:7])) for row in csv.DictReader(file)]


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name):
    stored = np.load(FOLDER / "a_kernels.npz")
    np.testing.assert_allclose(
        kernel_matrix(kernel(*KERNELS[name]), stored["X"], stored["Z"]), stored[name], atol=1e-10
    )


@pytest.mark.parametrize("name", KERNELS)
def test_regression(name):
    stored = np.load(FOLDER / "a_krr.npz")
    outputs = kernel_outputs(kernel(*KERNELS[name]), stored["X"], stored["y"], float(stored["lam"]), stored["T"])
    np.testing.assert_allclose(outputs, stored[f"f_{name}"], atol=1e-7)


def test_regression_on_features_has_the_same_outputs_in_both_forms():
    rng = np.random.default_rng(0)
    features, targets, test = rng.standard_normal((30, 20)), rng.standard_normal(30), rng.standard_normal((5, 20))
    matrix = features @ features.T / 20 + 0.1 * np.eye(30)
    expected = test @ features.T @ np.linalg.solve(matrix, targets) / 20
    np.testing.assert_allclose(feature_outputs(features, targets, 0.1, test), expected, atol=1e-12)


@pytest.mark.parametrize("row", rows("ridge"))
def test_theory(row):
    sigma, D, n, ridge = (float(row[name]) for name in ("sigma", "D", "n", "lam"))
    name, activation = KERNELS[row["kernel"]]
    modes = MODES[row["shape"], row["regime"]](kernel(name, activation), sigma, int(D))
    learned = learned_from_samples(modes, n, ridge)
    expected = [float(row[name]) for name in ("r", "kappa", "pmse", "q_noise")]
    np.testing.assert_allclose([modes.rest, learned.effective_ridge, learned.pmse, learned.noise], expected, rtol=1e-6)
    mixture = tl.Mixture(shape=MIXTURES[row["shape"]], regime=row["regime"], sigma=sigma, dimension=int(D))
    options = {"samples": [int(n)], "ridge": ridge, "kernel": name, "activation": activation}
    class_error = tl.kernel_theory(mixture, **options).class_error.item()
    assert class_error == pytest.approx(float(row["class_error"]), abs=2e-6)


@pytest.mark.parametrize("row", [one for one in rows("features") if one.values[0]["regime"] == "low"])
def test_features_with_infinitely_many_samples(row):
    modes = weak_xor(kernel("features", "relu"), float(row["sigma"]), int(row["D"]))
    expected = float(row["pmse_asymptotic"])
    assert learned_by_features(modes, float(row["F"])).pmse == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("row", rows("features"))
def test_features_against_their_exact_covariance(row):
    """Stored for one or two draws of the features, whose scatter and finite dimension are a few percent."""
    build = MODES[row["shape"], row["regime"]]
    modes = build(kernel("features", "relu"), float(row["sigma"]), int(row["D"]))
    expected = float(row["pmse_exact_covariance_mean"])
    assert learned_by_features(modes, float(row["F"])).pmse == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("row", [one for one in rows("features") if int(one.values[0]["F"]) <= 200])
def test_closed_form_against_the_exact_covariance(row):
    mixture = tl.Mixture(regime=row["regime"], sigma=float(row["sigma"]), dimension=int(row["D"]))
    found = tl.random_features(mixture, features_per_dimension=[float(row["F"]) / float(row["D"])], projections=6)
    assert float(found.pmse.mean()) == pytest.approx(float(row["pmse_exact_covariance_mean"]), rel=0.03)
