"""Online SGD at finite dimension against the stored runs of mixtures.json and the stored solution of the equations."""

import json
from pathlib import Path

import numpy as np
import pytest

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.standard_mixtures import from_covariance
from twolayer.model.networks.activations import ERF, LINEAR, RELU
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.simulation.mixtures.online_sgd import online_sgd
from twolayer.theory.averages.mixture_averages import mixture_pmse

ENTRIES = json.loads((Path(__file__).parent / "mixtures.json").read_text())["entries"]
CASES = {entry["id"]: entry["inputs"] for entry in ENTRIES if entry["kind"] == "ode_identity_cov"}
STORED_RUNS = [
    pytest.param(entry, id=entry["id"])
    for entry in ENTRIES
    if entry["kind"] == "sgd_vs_ode" and entry["inputs"]["case"] in CASES
]
ARBITRARY = [pytest.param(entry, id=entry["id"]) for entry in ENTRIES if entry["kind"] == "ode_arbitrary_cov"]
ACTIVATIONS = {"erf": ERF, "relu": RELU, "lin": LINEAR}
RUNS = 8


def mixture_of(case):
    means = np.array(case["x_means"])
    return IsotropicMixture(means, np.array(case["labels"]), np.full(len(means), 1 / len(means)), case["var"])


def initial_weights(case, dimension, rng):
    """(K, N) weights with exactly the case's Q0 and R0, random otherwise."""
    Q0, R0, means = np.array(case["Q0"]), np.array(case["R0"]), np.array(case["x_means"])
    plane = np.linalg.lstsq(means, R0)[0]
    eigenvalues, eigenvectors = np.linalg.eigh(Q0 - plane.T @ plane)
    rest = eigenvectors * np.sqrt(np.maximum(eigenvalues, 0))
    directions = np.linalg.qr(rng.standard_normal((dimension - 2, len(Q0))))[0]
    return np.sqrt(dimension) * np.hstack([plane.T, rest @ directions.T])


def pmse_path(mixture, run):
    return [mixture_pmse(distribution, mixture) for distribution in run.local_fields()]


def mean_and_error(paths):
    return np.mean(paths, axis=0), np.std(paths, axis=0, ddof=1) / np.sqrt(len(paths))


def isotropic_run(case, dimension, times, seed):
    rng, mixture, activation = np.random.default_rng(seed), mixture_of(case), ACTIVATIONS[case["activation"]]
    start = Network(initial_weights(case, dimension, rng), np.array(case["v0"]), activation)
    run = online_sgd(mixture.embed(dimension), start, Learning(case["lr"], case["reg"]), times=times, rng=rng)
    return pmse_path(mixture, run)


@pytest.mark.slow
@pytest.mark.parametrize("entry", STORED_RUNS)
def test_isotropic_mean_pmse(entry):
    inputs, times = entry["inputs"], np.array(entry["times"], float)
    mean, error = mean_and_error([isotropic_run(CASES[inputs["case"]], inputs["N"], times, s) for s in range(RUNS)])
    stored = np.array(entry.get("pmse_mean") or entry["pmse_from_orderparams_mean"])
    stored_error = np.array(entry["pmse_std_over_seeds"]) / np.sqrt(inputs["nseeds"])
    assert np.all(np.abs(mean - stored) < 4.5 * np.hypot(error, stored_error) + 3e-6)
    if "ode_pmse" in entry:  # holds for N -> infinity
        assert np.all(np.abs(mean - entry["ode_pmse"]) < 4.5 * error + 3e-6 + 0.1 / inputs["N"])


@pytest.mark.parametrize("entry", ARBITRARY)
def test_arbitrary_covariance_mean_pmse(entry):
    inputs, stored = entry["inputs"], entry["sgd_8seeds"]
    rng, N, K, clusters = np.random.default_rng(0), inputs["N"], inputs["K"], 2 * inputs["NG"]
    F = rng.standard_normal((N, N)) / np.sqrt(N)
    means = rng.standard_normal((clusters, N)) / np.sqrt(N)
    W, v = rng.standard_normal((K, N)), 0.5 * rng.standard_normal(K)
    labels, weights = np.repeat([-1.0, 1.0], inputs["NG"]), np.full(clusters, 1 / clusters)
    mixture, eigenvectors = from_covariance(means, F.T @ F, labels, weights)
    start, learning = (
        Network(W @ eigenvectors, v, ACTIVATIONS[inputs["activation"]]),
        Learning(inputs["lr"], inputs["reg"]),
    )
    times = np.array(inputs["times"], float)
    runs = [online_sgd(mixture, start, learning, times=times, rng=np.random.default_rng(seed)) for seed in range(RUNS)]
    mean, error = mean_and_error([pmse_path(mixture, run) for run in runs])
    stored_error = np.array(stored["pmse_std"]) / np.sqrt(8)
    assert np.all(np.abs(mean - stored["pmse_mean"]) < 4.5 * np.hypot(error, stored_error) + 3e-6)
