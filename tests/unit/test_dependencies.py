"""The import walk behind what reruns."""

import os

from twolayer.experiments import TASKS
from twolayer.pipeline import dependencies
from twolayer.pipeline.dependencies import module_files


def names(*modules):
    return {path.stem for path in module_files(*modules)}


def test_finds_what_is_imported_indirectly():
    assert {"learning_curve", "mixture_equations", "activations"} <= names(
        "twolayer.experiments.mixtures.learning_curve"
    )


def test_an_experiment_does_not_depend_on_its_neighbours():
    assert "random_features" not in names("twolayer.experiments.mixtures.online_sgd")
    assert names("twolayer.experiments.mixtures.mixture_sample") == {"mixture_sample", "mixture_results", "mixtures"}


def test_configuration_is_no_dependency():
    assert not names("twolayer.experiments.mixtures.fixed_point") & {"parsing", "errors", "catalogue", "tasks"}


def test_every_task_has_its_module():
    for task in TASKS.values():
        assert module_files(task.module)


def test_compiled_code_is_kept_apart_by_content(monkeypatch, tmp_path):
    folders = []
    monkeypatch.setattr(dependencies, "_PACKAGE", tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    (tmp_path / "model").mkdir()
    for content in ("x = 1", "x = 1", "x = 2"):
        (tmp_path / "model" / "activations.py").write_text(content)
        dependencies.cache_compiled_code()
        folders.append(os.environ["NUMBA_CACHE_DIR"])
    assert folders[0] == folders[1] != folders[2]
