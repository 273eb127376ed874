"""The torus against the stored runs of varpro.json, compiled and by automatic gradients, in both precisions."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from twolayer.model.networks.feature_maps import TORUS
from twolayer.model.teachers.teacher_distributions import wrap
from twolayer.simulation.mean_field.autograd_features import AutogradFeatures
from twolayer.simulation.mean_field.distances import pairwise_mmd, torus_distance
from twolayer.simulation.mean_field.reduced_descent import EXCESS, ReducedDescent
from twolayer.simulation.mean_field.torus_features import TorusFeatures, teacher_output

FOLDER = Path(__file__).parent
ENTRIES = json.loads((FOLDER / "varpro.json").read_text())["entries"]
RUNS = [pytest.param(entry, id=entry["id"]) for entry in ENTRIES if entry["kind"].startswith("rbf_")]
OFFSETS = {"unbiased": 1.0, "biased": 0.0}
# tolerances of risk, distance and features; single precision has none for features
TOLERANCES = {"double": ("rel_loss", "abs_mmd", "abs_W"), "single": ("float32_rel_loss", "float32_abs_mmd", None)}


def autograd_features(*arguments):
    return AutogradFeatures(TORUS, *arguments, torch.device("cpu"))


@pytest.mark.slow
@pytest.mark.parametrize("precision", TOLERANCES)
@pytest.mark.parametrize("kind", [TorusFeatures, autograd_features])
@pytest.mark.parametrize("entry", RUNS)
def test_short_runs(entry, kind, precision):
    given, wanted = (np.load(FOLDER / "varpro" / f"{entry['id']}.{part}.npz") for part in ("inputs", "expected"))
    targets = teacher_output(given["X"], given["teacher"])
    np.testing.assert_allclose(targets, wanted["targets"][:, 0], rtol=0, atol=1e-12)
    features = kind(given["X"], targets, entry["M"], precision)
    parameters = entry["lmbda"], OFFSETS[entry["regularization"]], entry["time_scale"], EXCESS[precision]
    descent = ReducedDescent(features, given["W0"], *parameters)
    rel_loss, abs_mmd, abs_weights = (entry["suggested_tolerance"].get(name) for name in TOLERANCES[precision])
    for iteration in range(entry["iterations"] + 1):
        risk, weights = descent.project(), features.numpy(descent.weights)
        if str(iteration) in entry["loss"]:
            assert risk == pytest.approx(entry["loss"][str(iteration)], rel=rel_loss)
        if str(iteration) in entry["mmd"]:
            mmd = pairwise_mmd(weights, given["teacher"], torus_distance)
            assert mmd == pytest.approx(entry["mmd"][str(iteration)], abs=abs_mmd)
            if abs_weights:
                np.testing.assert_allclose(wrap(weights - wanted[f"W_{iteration}"]), 0, atol=abs_weights)
        descent.move()
