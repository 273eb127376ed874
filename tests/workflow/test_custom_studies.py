"""Every list and number of the custom studies, edited: checks apply, do not apply, or the configuration is refused."""

import pytest
from custom_studies import ROOT, CustomStudy, edits

from twolayer.figures.checks import FAIL, NOT_APPLICABLE

FIGURES = {"own": "own", "own_data": "own_data", "own_generator": "own_generator", "phases": "phases"}
STEP = 9  # of the edits that are tried without --slow

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
    "own": {
        "own_mixture": {"input_dimension": 12},
        "own_sgd": MIXTURE_LEARNING | {"seeds": 3},
        "own_chain": MIXTURE_LEARNING | {"seeds": 3},
        "own_ode": MIXTURE_LEARNING,
        "own_features": {
            "sigma": [0.3, 1.0],
            "input_dimension": 10,
            "features_per_dimension": [2.0],
            "projections": 2,
            "simulated_sigma": [0.6],
            "simulated_samples": 200,
        },
        "own_readout": {
            "input_dimension": 10,
            "schedule": {"learning_rate": 0.3, "last_time": 4, "first_time": 0.5, "measurements": 4},
            "seeds": 2,
        },
    },
    "own_data": {
        "own_samples": {"map": {"random_features": 8, "fit_to_data": True}},
        "own_replica": {"problem": PROBLEM},
        "own_learning": {"problem": PROBLEM, "seeds": 2, "test_samples": 20},
        "own_curve": DATA_LEARNING | {"log2_nodes": 5},
        "own_sgd": DATA_LEARNING | {"seeds": 2, "test_samples": 20},
        "own_twin": DATA_LEARNING | {"seeds": 2, "log2_nodes": 5},
        "own_one_curve": DATA_LEARNING | {"log2_nodes": 5},
        "own_one_sgd": DATA_LEARNING | {"seeds": 2, "test_samples": 20},
    },
    "own_generator": {
        "generator_moments": {"samples": 1000},
        "generator_fields": {"samples": 300, "seeds": 2},
        "generator_curve": {"learning": LATENT_LEARNING, "nodes": 8, "step": 0.1},
        "generator_sgd": {"learning": LATENT_LEARNING, "seeds": 2, "test_samples": 100},
        "generator_twin": {"learning": LATENT_LEARNING, "seeds": 2},
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
GRIDS = {"width_rate": {"student.hidden_units": [2, 4, 10]}, "plateau": {"sigma": [0.5, 1.5]}}


class Small(CustomStudy):
    """A custom study with the smallest runs there are."""

    def content(self):
        """The study's file, with these runs and nothing else at the quick preset."""
        content = super().content()
        figure = FIGURES[self.name]
        needed = {*SMALL[self.name], *content["figures"][figure]["runs"], "own_gaussians", "own_one"}
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
    return Small(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(autouse=True)
def project_folder(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MPLBACKEND", "agg")


def tried(study, every, first=0):
    content = study.content()
    wrong = {}
    for number, (what, changed) in enumerate(edits(content)):
        if number % every == first and (problem := study.outcome(changed, FIGURES[study.name])):
            wrong[what] = problem
    assert not wrong


def test_some_edits(study):
    tried(study, STEP)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1, STEP))
def test_all_other_edits(study, first):
    tried(study, STEP, first)


def judged(tmp_path, name, change):
    study = Small(tmp_path / name, name)
    content = study.content()
    change(content["runs"])
    return {one.title: one for one in study.judged(content, FIGURES[name])}
