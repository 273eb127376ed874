"""Every list and number of the custom studies, edited: checks apply, do not apply, or the configuration is refused."""

import itertools
import os

import numpy as np
import pytest
from custom_studies import ROOT, CustomStudy, edits

from twolayer.errors import ConfigError
from twolayer.figures.outcomes import NOT_APPLICABLE

FIGURES = {
    "custom_mixture": "custom_mixture",
    "custom_data": "custom_data",
    "custom_generator": "custom_generator",
    "phases": "phases",
}
STEP = int(os.environ.get("EDITS_STEP", "25"))  # every such edit is tried; 1 tries all, which takes ten minutes

pytestmark = pytest.mark.slow

MIXTURE_LEARNING = {
    "student": {"activation": "erf", "hidden_units": 2, "scale": 1.0, "seed": 0},
    "schedule": {"learning_rate": 0.2, "weight_decay": 0.01, "last_time": 4, "first_time": 0.5, "measurements": 4},
    "log2_nodes": 5,
}
DATA_LEARNING = {
    "student": {"activation": "erf", "hidden_units": 2, "seed": 1},
    "schedule": {"learning_rate": 0.5, "first_time": 0.5, "last_time": 3, "measurements": 4},
}
PROBLEM = {"losses": ["square", "logistic"], "sample_ratios": [1, 2, 4], "ridges": [0.1], "labels": "classes"}
LATENT_LEARNING = {"last_time": 3, "measurements": 4, "seed": 7}
GENERATED = {"sample_ratios": [1, 2], "ridges": [0.01], "losses": ["square", "logistic"]}

# study -> run -> parameters at the quick preset, the smallest that have everything
SMALL = {
    "custom_mixture": {
        "custom_mixture": {"input_dimension": 12},
        "custom_sgd": MIXTURE_LEARNING | {"seeds": 3},
        "custom_order_parameters": MIXTURE_LEARNING | {"seeds": 3},
        "custom_ode": MIXTURE_LEARNING,
        "custom_features": {
            "sigma": [0.3, 1.0],
            "input_dimension": 10,
            "features_per_dimension": [2.0],
            "projections": 2,
            "simulated_sigma": [0.6],
            "simulated_samples": 200,
        },
        "custom_readout": {
            "input_dimension": 10,
            "schedule": {"learning_rate": 0.3, "last_time": 4, "first_time": 0.5, "measurements": 4},
            "seeds": 2,
        },
    },
    "custom_data": {
        "custom_samples": {"map": {"random_features": 8, "fit_to_data": True}},
        "custom_replica": {"problem": PROBLEM},
        "custom_learning": {"problem": PROBLEM, "seeds": 2, "test_samples": 20},
        "custom_curve": DATA_LEARNING | {"log2_nodes": 5},
        "custom_sgd": DATA_LEARNING | {"seeds": 2, "test_samples": 20},
        "custom_equivalent": DATA_LEARNING | {"seeds": 2, "log2_nodes": 5},
        "custom_one_curve": DATA_LEARNING | {"log2_nodes": 5},
        "custom_one_sgd": DATA_LEARNING | {"seeds": 2, "test_samples": 20},
    },
    "custom_generator": {
        "generator_moments": {"samples": 6000},
        "generator_fields": {"samples": 300, "seeds": 2},
        "generator_curve": {"learning": LATENT_LEARNING, "nodes": 8, "step": 0.1},
        "generator_sgd": {"learning": LATENT_LEARNING, "seeds": 2, "test_samples": 100},
        "generator_equivalent": {"learning": LATENT_LEARNING, "seeds": 2},
        "generator_features": {"features": 10, "samples": 500},
        "generator_replica": {"problem": GENERATED},
        "generator_learning": {"problem": GENERATED, "seeds": 2, "test_samples": 100},
    },
    "phases": {
        "width_rate": {
            "values": [0.05, 0.3, 1.0],
            "student": {"dimension": 20},
            "schedule": {"last_time": 3},
            "seeds": 2,
            "log2_nodes": 5,
        },
        "plateau": {"values": [0.05, 0.2, 0.8], "student": {"dimension": 20}, "schedule": {"last_time": 3}, "seeds": 2},
    },
}
RESULTS = {name: {} for name in FIGURES}  # all tests of this process share them
GRIDS = {"width_rate": {"student.hidden_units": [2, 4, 10]}, "plateau": {"sigma": [0.5, 1.5]}}


class Small(CustomStudy):
    """A custom study with the smallest runs there are."""

    def content(self):
        """The study's file, with these runs and nothing else at the quick preset."""
        content = super().content()
        figure = FIGURES[self.name]
        needed = {*SMALL[self.name], *content["figures"][figure]["runs"], "custom_gaussians", "custom_gaussian"}
        runs = {name: run for name, run in content["runs"].items() if name in needed}
        for name, run in runs.items():
            small = SMALL[self.name].get(name, {})
            run["quick"] = {**run.pop("quick", {}), **small}
            run["params"] = {**run["params"], **{key: value for key, value in small.items() if key == "problem"}}
            if name in GRIDS:
                run["quick_grid"] = GRIDS[name]
        return {"runs": runs, "figures": {figure: content["figures"][figure]}}


@pytest.fixture(scope="module", params=FIGURES)
def study(request, tmp_path_factory):
    return Small(tmp_path_factory.mktemp(request.param), request.param, RESULTS[request.param])


@pytest.fixture(autouse=True)
def project_folder(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MPLBACKEND", "agg")


def test_edits(study):
    tried = itertools.islice(edits(study.content()), 0, None, STEP)
    outcomes = {what: study.outcome(changed, FIGURES[study.name]) for what, changed in tried}
    assert {what: problem for what, problem in outcomes.items() if problem} == {}


def judged(tmp_path, name, change):
    study = Small(tmp_path / name, name, RESULTS[name])
    content = study.content()
    change(content["runs"])
    return {one.title: one for one in study.judged(content, FIGURES[name])}


def reasons(tmp_path, name, change):
    """Title -> reason, of the checks that do not apply."""
    return {title: one.note for title, one in judged(tmp_path, name, change).items() if one.status == NOT_APPLICABLE}


def test_a_training_that_ends_before_the_checked_time(tmp_path):
    found = reasons(tmp_path, "custom_mixture", lambda runs: None)
    assert list(found.values()) == ["custom_readout ends at time 4: set its last_time to at least 900"]


def test_schedules_without_a_common_time(tmp_path):
    def change(runs):
        runs["custom_sgd"]["quick"]["schedule"] = MIXTURE_LEARNING["schedule"] | {
            "first_time": 0.67,
            "last_time": 3,
            "measurements": 2,
        }

    notes = reasons(tmp_path, "custom_mixture", change).values()
    assert any(
        "custom_sgd and custom_order_parameters have no time in common: give them the same values" in note
        for note in notes
    )


def test_phases_of_other_widths(tmp_path):
    def change(runs):
        runs["width_rate"]["quick_grid"] = {"student.hidden_units": [3, 5]}

    found = reasons(tmp_path, "phases", change)
    assert "the configuration has no hidden_units 4 (3, 5)" in found.values()


@pytest.mark.parametrize("losses", [["square"], ["hinge"], ["logistic", "square"]])
def test_other_losses(tmp_path, losses):
    def change(runs):
        for name in ("custom_learning", "custom_replica"):
            runs[name]["quick"]["problem"] = PROBLEM | {"losses": losses}

    found = judged(tmp_path, "custom_data", change)
    main = "logistic" if "logistic" in losses else losses[0]
    assert found[f"custom, {main} test loss against one Gaussian per label"].deviation is not None
    least_squares = found["custom, test loss of least squares against theory"]
    assert (least_squares.status == NOT_APPLICABLE) == ("square" not in losses)


@pytest.mark.parametrize("distributions", [["data"], ["labels", "shuffled"]])
def test_fewer_laws(tmp_path, distributions):
    found = reasons(
        tmp_path, "custom_data", lambda runs: runs["custom_learning"]["quick"].update(distributions=distributions)
    )
    missing = {"data", "labels", "shuffled"} - set(distributions)
    assert {
        distribution
        for distribution in missing
        if any(f"no distribution {distribution}" in note for note in found.values())
    } == missing


def test_every_ridge_is_judged(tmp_path):
    def change(runs):
        for name in ("custom_learning", "custom_replica"):
            runs[name]["quick"]["problem"] = PROBLEM | {"ridges": [0.1, 3.0]}

    found = judged(tmp_path, "custom_data", change)
    assert (
        "of 12 points"
        in found["custom, test_loss of one Gaussian per label with these moments against the replica equations"].note
    )
    assert "of 6 points" in found["custom, test loss of least squares against theory"].note


def test_weights_in_single_precision(tmp_path):
    third = float(np.float32(1 / 3))
    study = Small(tmp_path / "custom_mixture", "custom_mixture", RESULTS["custom_mixture"])
    content = study.content()
    for run in content["runs"].values():
        if "geometry" in run["params"]:
            run["params"]["geometry"]["weights"] = [third] * 3
    assert study.outcome(content, "custom_mixture") == ""


@pytest.mark.parametrize(
    ("name", "run", "changed"),
    [
        ("custom_data", "custom_learning", {"problem": PROBLEM | {"losses": ["square", "square"]}}),
        ("custom_data", "custom_replica", {"problem": PROBLEM | {"sample_ratios": [1, 2, 2]}}),
        ("custom_data", "custom_learning", {"distributions": ["data", "labels", "data"]}),
        ("custom_mixture", "custom_features", {"sigma": [0.3, 0.3]}),
        ("phases", "plateau", {"values": [0.05, 0.2, 0.2]}),
    ],
)
def test_a_value_that_stands_twice_in_a_list_is_refused(tmp_path, name, run, changed):
    """A repeated value would give two points of a result with the same coordinate."""
    with pytest.raises(ConfigError, match=f"{run}.* has the value .* twice: give each value once"):
        judged(tmp_path, name, lambda runs: runs[run]["quick"].update(changed))
