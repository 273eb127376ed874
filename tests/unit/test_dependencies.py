"""The import walk behind what reruns, and where compiled code is kept."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from twolayer import compiled
from twolayer.experiments import TASKS
from twolayer.pipeline.dependencies import PACKAGE, module_files


def names(*modules):
    return {path.stem for path in module_files(*modules)}


def test_finds_what_is_imported_indirectly():
    found = names("twolayer.experiments.mixtures.learning_curve")
    assert {"learning_curve", "mixture_equations", "activations"} <= found


def test_an_experiment_does_not_depend_on_its_neighbours():
    assert "random_features" not in names("twolayer.experiments.mixtures.online_sgd")
    assert names("twolayer.experiments.mixtures.mixture_sample") == {"mixture_sample", "geometry", "mixtures"}


def test_parameters_are_passed_through():
    """What they say reaches a rule by its params; what they compute with is a dependency."""
    found = names("twolayer.experiments.circle.ultrafast_diffusion")
    assert "descent" in found
    assert not found & {"parameters", "errors", "catalogue", "tasks"}


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("experiments/*/parameters.py")), ids=lambda path: path.parent.name)
def test_parameters_compute_nothing_themselves(path):
    """A number in a method of theirs would change results without rerunning anything."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith(("__", "check_", "_check_")):
            (statement,) = [one for one in node.body if not isinstance(one, ast.Expr | ast.ImportFrom)]
            assert isinstance(statement, ast.Return), f"{node.name} does more than to pass values on"
            assert not [one for one in ast.walk(statement) if isinstance(one, ast.Constant)], node.name


def test_every_task_has_its_module():
    for task in TASKS.values():
        assert module_files(task.module)


def test_compiled_code_is_kept_apart_by_content(monkeypatch, tmp_path):
    folders = []
    monkeypatch.setattr(compiled, "_PACKAGE", tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    (tmp_path / "model").mkdir()
    for content in ("x = 1", "x = 1", "x = 2"):
        (tmp_path / "model" / "activations.py").write_text(content)
        compiled.cache_compiled_code()
        folders.append(os.environ["NUMBA_CACHE_DIR"])
    assert folders[0] == folders[1] != folders[2]


@pytest.mark.slow
@pytest.mark.parametrize("first", ["", "import numba; "])
def test_a_script_finds_its_compiled_code_by_content(first):
    """Whoever imports the package, with whatever before it, gets the folder of these very sources."""
    script = f"{first}import twolayer, numba; print(numba.config.CACHE_DIR)"
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    paths = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", script], env=environment | paths, capture_output=True, text=True)
    compiled.cache_compiled_code()
    assert Path(done.stdout.strip()) == Path(os.environ["NUMBA_CACHE_DIR"])


def test_what_numba_loads_is_the_users_own(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "_cache", lambda: tmp_path / "twolayer" / "numba")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    compiled.guard_cache()
    folder = tmp_path / "twolayer" / "numba"
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    (folder / "poison.nbi").touch()
    assert compiled.guard_cache() == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not list(folder.iterdir())
