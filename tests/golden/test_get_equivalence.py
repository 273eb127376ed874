"""Distances from the Gaussian law against the stored ones, which are those of other draws of the weights."""

import json
import math
from pathlib import Path

import pytest

from twolayer.experiments import TASKS
from twolayer.parameters import parse

ENTRIES = json.loads((Path(__file__).parent / "get" / "goldens.json").read_text())["entries"]
CASES = {
    "generic": "generic",
    "smallD": "few_latents",
    "sparse": "localised",
    "lowrank": "low_rank",
    "lowrank_aligned": "aligned",
}
SEEDS = 5
STORED = [pytest.param(entry, id=entry["id"]) for entry in ENTRIES if entry["kind"] == "get_check"]


def measured(cases, size, samples):
    task = TASKS["gaussian_equivalence"]
    params = {"cases": cases, "sizes": [size, 8], "samples": samples, "seeds": SEEDS, "seed": 1, "directions": 16}
    return task.run(parse(task.parameters, params, "test"))


@pytest.mark.slow
@pytest.mark.parametrize("entry", STORED)
def test_distance_and_kurtosis(entry):
    """The stored numbers are one more draw: of 16 scores with 4 degrees of freedom, one exceeds 7 in 30."""
    result = measured([CASES[entry["case"]]], entry["N"], entry["samples"]).isel(dimension=0, case=0)
    for name, stored in {"distance": "mean_W1", "kurtosis": "mean_abs_kurt"}.items():
        draws = result[name].values
        assert abs(draws.mean() - entry[stored]) < 7 * draws.std(ddof=1) * math.sqrt(1 + 1 / SEEDS)


def test_samples_of_the_gaussian_law():
    result, floor = measured(["generic"], 16, 100_000), STORED[0].values[0]["floor"]
    for name, stored in {"floor_distance": "mean_W1", "floor_kurtosis": "mean_abs_kurt"}.items():
        draws = result[name].values
        assert abs(draws.mean() - floor[stored]) < 7 * draws.std(ddof=1) * math.sqrt(1 + 1 / SEEDS)
