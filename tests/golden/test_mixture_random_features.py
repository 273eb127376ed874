"""Closed-form random features and Bayes errors against the stored values of mixtures.json."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.theory.mixtures.closed_bayes_errors import xor_error
from twolayer.theory.mixtures.random_features import (
    feature_covariance,
    feature_moments,
    optimal_readout,
    projection_overlaps,
    random_projection,
)

ENTRIES = json.loads((Path(__file__).parent / "mixtures.json").read_text())["entries"]
STORED = 5e-9  # inputs and values below 1 are stored to eight digits


def entries(kind):
    return [pytest.param(entry, id=entry["id"]) for entry in ENTRIES if entry["kind"] == kind]


def xor_at(regime, dimension, deviation):
    means = {1: [[1, 0], [-1, 0], [0, 1], [0, -1]]}
    far = math.sqrt(dimension)
    means[3] = [[far, 1], [-far, -1], [far, -1], [-far, 1]]
    labels = np.array([-1.0, -1.0, 1.0, 1.0])
    return IsotropicMixture(np.array(means[regime], float), labels, np.full(4, 0.25), deviation**2)


def readout_at(regime, dimension, features, deviation, seed):
    projection = random_projection(np.random.default_rng(seed), dimension, features)
    return optimal_readout(xor_at(regime, dimension, deviation), projection, projection_overlaps(projection))


def pmse_without_ridge_penalty(readout):
    """(1 - w.E[y z]) / 2, which the stored values hold; the readout's own error is lower by ridge |w|^2 / 2."""
    return readout.pmse + 0.5e-6 * readout.weights @ readout.weights


@pytest.mark.parametrize("entry", entries("rf_analytical"))
def test_readout(entry):
    inputs, stored, tolerance = entry["inputs"], entry["own_diag_jitter"], entry["tolerance_suggest"]
    for seed, (pmse, class_error) in enumerate(zip(stored["pmse_per_seed"], stored["class_per_seed"], strict=True)):
        readout = readout_at(inputs["regime"], inputs["D"], inputs["F"], inputs["sigma"], seed)
        assert readout.pmse == pytest.approx(pmse, abs=tolerance["pmse_abs"])
        assert pmse_without_ridge_penalty(readout) == pytest.approx(pmse, abs=1e-8)
        assert readout.class_error == pytest.approx(class_error, abs=tolerance["class_abs"])
        assert readout.class_error == pytest.approx(class_error, rel=1e-7, abs=1e-300)


@pytest.mark.parametrize("entry", entries("rf_moments"))
def test_moments(entry):
    inputs = entry["inputs"]
    projection = np.array(inputs["P"])
    mean_of_x = np.array(inputs["mu_paper_scale"]) / math.sqrt(len(projection))
    mixture = IsotropicMixture(mean_of_x[None], np.ones(1), np.ones(1), inputs["sigma"] ** 2)
    mean, variance, coefficients = feature_moments(mixture, projection, overlap_order=1)
    overlaps = projection_overlaps(projection)
    covariance = np.tril(feature_covariance(overlaps, coefficients, variance, np.zeros_like(mean), np.ones(1)))
    # The projection's entries are above 1, so stored ten times less precisely.
    np.testing.assert_allclose(mean[0], entry["orig_mean"], rtol=0, atol=10 * STORED)
    np.testing.assert_allclose(covariance, np.tril(entry["orig_cov"]), rtol=0, atol=10 * STORED)


@pytest.mark.parametrize("entry", entries("rf_formula_vs_simulation"))
def test_formula_and_stored_simulation(entry):
    inputs = entry["inputs"]
    regime, deviation = (3 if "regime3" in entry["id"] else 1), 0.3
    readout = readout_at(regime, inputs["D"], inputs["F"], deviation, inputs["projection_seed"])
    pmse, class_error = entry["formula"]
    assert pmse_without_ridge_penalty(readout) == pytest.approx(pmse, abs=1e-8)
    assert readout.class_error == pytest.approx(class_error, rel=1e-7)
    simulated_pmse, simulated_class_error = entry["sim_with_analytic_w"]
    standard_error = math.sqrt(class_error * (1 - class_error) / 20_000)
    assert abs(simulated_class_error - readout.class_error) < 4 * standard_error
    assert simulated_pmse == pytest.approx(readout.pmse, rel=0.03)


@pytest.mark.parametrize("entry", entries("bayes_error"))
def test_oracle(entry):
    stored = entry["class_err"]
    assert xor_error(entry["inputs"]["sigma"]) == pytest.approx(stored, abs=STORED)
    assert xor_error(entry["inputs"]["sigma"]) == pytest.approx(stored, rel=1e-7)
