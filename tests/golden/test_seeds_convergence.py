"""Networks after one gradient step of n inputs, samples and units against stored means (tests/golden/seeds)."""

import csv
from pathlib import Path

import numpy as np
import pytest

import twolayer as tl

FILE = Path(__file__).parent / "seeds" / "e_convergence.csv"
N, RUNS = 100, 20  # the smallest stored size, and the number of networks here
PENALTY = 0.1  # ridge times the number of samples, for all sizes


@pytest.fixture(scope="module")
def stored():
    with open(FILE) as file:
        rows = [row for row in csv.DictReader(file) if int(row["n"]) == N]
    return {(float(row.pop("beta")), row.pop("activation")): {k: float(v) for k, v in row.items()} for row in rows}


@pytest.fixture(scope="module")
def runs():
    data, axes = tl.SpikedData(input_dimension=N, samples=N), tl.Axes(beta=[0, 0.5, 0.74])
    shared = {"ridge": PENALTY / N, "activations": ["relu", "tanh"], "seeds": RUNS, "seed": 1}
    return tl.one_step_simulation(data, axes, precision="double", **shared), tl.one_step_theory(data, axes, **shared)


def test_means(stored, runs):
    """Of network, training error, theory and their difference: 24 z scores, each beyond 5 once in a million."""
    network, theory = runs
    values = {
        "net": network.network,
        "train": network.network_training,
        "theory": theory.theory,
        "diff": network.network - theory.theory,
    }
    assert len(stored) == 6
    for (beta, activation), row in stored.items():
        for name, value in values.items():
            here = value.sel(beta=beta, activation=activation)
            error = np.hypot(row[f"{name}_se"], row[f"{name}_sd"] / RUNS**0.5)
            assert abs(float(here.mean()) - row[name]) < 5 * error, (beta, activation, name)


def test_fluctuations(stored, runs):
    """Of 12 standard deviations of 20 runs each, on average within 15 percent."""
    network, theory = runs
    ratios = [
        float(value.sel(beta=beta, activation=activation).std("seed", ddof=1)) / row[f"{name}_sd"]
        for (beta, activation), row in stored.items()
        for name, value in {"net": network.network, "theory": theory.theory}.items()
    ]
    assert np.mean(ratios) == pytest.approx(1, abs=0.15)
