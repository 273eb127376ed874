"""The import walk behind what reruns, and where compiled code is kept."""

import ast
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from twolayer import compiled
from twolayer.dependencies import PACKAGE, module_files
from twolayer.experiments import TASKS


def names(*modules):
    return {path.stem for path in module_files(*modules)}


def test_finds_what_is_imported_indirectly():
    found = names("twolayer.experiments.mixtures.learning_curve")
    assert {"learning_curve", "mixture_equations", "activations"} <= found


def test_an_experiment_does_not_depend_on_its_neighbours():
    assert "random_features" not in names("twolayer.experiments.mixtures.online_sgd")
    assert names("twolayer.experiments.mixture_inputs.mixture_sample") == {
        "mixture_sample",
        "geometry",
        "shapes",
        "gaussian_mixtures",
        "standard_mixtures",
    }


def test_parameters_are_passed_through():
    """The values of parameters reach a rule by its params. The code that uses them is a dependency."""
    found = names("twolayer.experiments.circle.ultrafast_diffusion")
    assert "descent" in found
    assert not found & {"parameters", "errors", "catalogue", "tasks"}


NORMALISING = (
    "__",
    "check_",
    "_check_",
    "_given",
    "_name_circle",
    "_is_xor",
)  # what they change is in the parameters of a rule


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("experiments/*/parameters.py")), ids=lambda path: path.parent.name)
def test_parameters_compute_nothing_themselves(path):
    """A number in a method of theirs would change results without rerunning anything."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith(NORMALISING):
            (statement,) = [one for one in node.body if not isinstance(one, ast.Expr | ast.ImportFrom)]
            assert isinstance(statement, ast.Return), f"{node.name} does more than to pass values on"
            assert not [one for one in ast.walk(statement) if isinstance(one, ast.Constant)], node.name


def test_every_task_has_its_module():
    for task in TASKS.values():
        assert module_files(task.module)


@pytest.mark.parametrize(
    ("place", "counts"),
    [
        ("model", True),
        ("theory/mixtures", True),
        ("simulation/mixtures/steps", True),
        (".", True),
        ("figures/mixtures", False),
        ("pipeline", False),
    ],
)
def test_compiled_code_is_kept_apart_by_content(monkeypatch, tmp_path, place, counts):
    """A module that compiled code can use counts, at any depth. A new figure compiles nothing."""
    folders = []
    monkeypatch.setattr(compiled, "PACKAGE", tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    for content in ("x = 1", "x = 1", "x = 2"):
        (tmp_path / place / "activations.py").write_text(content)
        compiled.cache_compiled_code()
        folders.append(os.environ["NUMBA_CACHE_DIR"])
    assert folders[0] == folders[1]
    assert (folders[1] != folders[2]) == counts


def test_only_counted_modules_compile():
    compiling = [
        path.relative_to(PACKAGE)
        for path in PACKAGE.rglob("*.py")
        if re.search(r"^ *(from|import) numba\b", path.read_text(), re.MULTILINE)
    ]
    assert {path.parts[0] for path in compiling} == {"model", "simulation", "theory"}


CALLEE = """from numba import njit


@njit(cache=True)
def value(x):
    return {factor} * x
"""
CALLER = """from numba import njit

from twolayer.theory.parts.callee import value


@njit(cache=True)
def of_two():
    return value(2.0)
"""


@pytest.mark.slow
def test_an_edit_in_a_subpackage_recompiles_the_callers(tmp_path):
    """numba itself would return 2.0 again: it does not look at the files of called functions."""
    package = tmp_path / "src" / "twolayer"
    (package / "theory" / "parts").mkdir(parents=True)
    for name in ("__init__.py", "compiled.py", "private_folders.py", "versions.py", "errors.py"):
        shutil.copy(PACKAGE / name, package)
    (package / "theory" / "caller.py").write_text(CALLER)
    paths = {"PYTHONPATH": str(tmp_path / "src"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    # Python itself compares size and second of a file: both versions of the called module can have the same.
    paths["PYTHONDONTWRITEBYTECODE"] = "1"
    script = "from twolayer.theory.caller import of_two; print(of_two())"
    for factor in (1.0, 5.0):
        (package / "theory" / "parts" / "callee.py").write_text(CALLEE.format(factor=factor))
        done = subprocess.run([sys.executable, "-c", script], env=os.environ | paths, capture_output=True, text=True)
        assert done.stdout.strip() == str(2 * factor), done.stderr


def test_compiled_code_of_old_states_is_removed(monkeypatch, tmp_path):
    """A week after a process last used it. Recent states stay, since another clone may run them."""
    monkeypatch.setattr(compiled, "PACKAGE", tmp_path / "package")
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path / "numba")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    (tmp_path / "package").mkdir()
    for name, days in (("old", 8), ("recent", 6)):
        (tmp_path / "numba" / name / "model").mkdir(parents=True)
        used = time.time() - days * 24 * 3600
        os.utime(tmp_path / "numba" / name, (used, used))
    compiled.cache_compiled_code()
    assert [path.name for path in (tmp_path / "numba").iterdir()] == ["recent"]
    Path(os.environ["NUMBA_CACHE_DIR"]).mkdir()
    os.utime(os.environ["NUMBA_CACHE_DIR"], (0, 0))
    compiled.cache_compiled_code()
    assert time.time() - Path(os.environ["NUMBA_CACHE_DIR"]).stat().st_mtime < 3600


@pytest.mark.slow
@pytest.mark.parametrize("first", ["", "import numba; "])
def test_a_script_finds_its_compiled_code_by_content(first, monkeypatch):
    """Whoever imports the package, with whatever before it, gets the folder of these very sources."""
    script = f"{first}import twolayer, numba; print(numba.config.CACHE_DIR)"
    names = ("NUMBA_CACHE_DIR", "TWOLAYER_NUMBA_CACHE_DIR")
    for name in names:
        monkeypatch.setenv(name, "")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    paths = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", script], env=environment | paths, capture_output=True, text=True)
    compiled.cache_compiled_code()
    assert Path(done.stdout.strip()) == Path(os.environ["NUMBA_CACHE_DIR"])


def test_what_numba_loads_is_the_users_own(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    compiled.cache_folder()
    folder = tmp_path / "twolayer" / "numba"
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    (folder / "poison.nbi").touch()
    assert compiled.cache_folder() == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not list(folder.iterdir())
