"""Distances from the Gaussian distribution agree with stored distances for other draws of the weights."""

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from twolayer.experiments.equivalence import equivalence_distance
from twolayer.experiments.equivalence.parameters import EquivalenceDistance

ENTRIES = json.loads((Path(__file__).parent / "gaussian_equivalence" / "goldens.json").read_text())["entries"]
CASES = {
    "generic": "generic",
    "smallD": "few_latents",
    "sparse": "localised",
    "lowrank": "low_rank",
    "lowrank_aligned": "aligned",
}
SEEDS, SAMPLES = 5, 100_000
SMALL = 32  # second size of a case that is stored at a single size
STORED = [entry for entry in ENTRIES if entry["kind"] == "get_check"]
SIZES = {
    case: tuple(entry["N"] for entry in STORED if entry["case"] == name and entry["samples"] == SAMPLES)
    for name, case in CASES.items()
}


@cache
def measured(sizes):
    """Draws of all cases that are stored at these sizes."""
    cases = [case for case, stored in SIZES.items() if stored == sizes]
    at_least_two = sizes if len(sizes) > 1 else (SMALL, *sizes)
    config = EquivalenceDistance(at_least_two, SAMPLES, SEEDS, cases=cases, directions=8)
    draws = [equivalence_distance.measure_draw(config, stream) for stream in np.random.default_rng(1).spawn(SEEDS)]
    return xr.concat(draws, "seed")


@pytest.mark.slow
@pytest.mark.parametrize("entry", STORED, ids=[entry["id"] for entry in STORED])
def test_distance_and_kurtosis(entry):
    """The stored numbers are one more draw: of 16 scores with 4 degrees of freedom, one exceeds 7 in 30."""
    case = CASES[entry["case"]]
    result = measured(SIZES[case]).sel(dimension=entry["N"], case=case)
    for name, stored in {"distance": "mean_W1", "kurtosis": "mean_abs_kurt"}.items():
        draws = result[name].values
        assert abs(draws.mean() - entry[stored]) < 7 * draws.std(ddof=1) * math.sqrt(1 + 1 / SEEDS)


@pytest.mark.slow
def test_samples_of_the_gaussian_law():
    result, floor = measured(SIZES["few_latents"]), STORED[0]["floor"]
    for name, stored in {"null_distance": "mean_W1", "null_kurtosis": "mean_abs_kurt"}.items():
        draws = result[name].values
        assert abs(draws.mean() - floor[stored]) < 7 * draws.std(ddof=1) * math.sqrt(1 + 1 / SEEDS)
