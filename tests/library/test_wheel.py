"""The package as it is installed: built, unpacked, and used far from any checkout."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = {
    "h5netcdf",
    "h5py",
    "numba",
    "numpy",
    "pandas",
    "platformdirs",
    "safetensors",
    "scikit-learn",
    "scipy",
    "tqdm",
    "xarray",
}
WITHOUT_EXTRAS = """
import sys

EXTRAS = {"torch", "safetensors", "matplotlib", "PIL", "snakemake", "yaml", "fastjsonschema", "jinja2", "pooch",
          "papermill", "jupytext", "nbformat", "IPython", "hypothesis", "pytest"}


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])


sys.meta_path.insert(0, Absent())
sys.path.append(sys.argv[2])
from forked import share_compiled_code

share_compiled_code()
import numpy as np
import twolayer as tl

assert sys.argv[1] in tl.__file__, tl.__file__
"""
USE = """
mixture = tl.Mixture(means=[[1.0, 0], [-1, 0]], labels=[1, -1], weights=[0.5, 0.5], sigma=1, dimension=50)
student, schedule = tl.Student("tanh", 2), tl.Schedule(learning_rate=0.1, last_time=1, measurements=3)
theory = tl.learning_curve(mixture, student, schedule, log2_nodes=6)
runs = [function(mixture, student, schedule, seeds=2) for function in (tl.online_sgd, tl.order_parameter_sgd)]
tl.random_features(mixture, features_per_dimension=[2.0], projections=1, simulated_sigma=[1.0], simulated_samples=100)
tl.bayes_error(mixture)
tl.ultrafast_diffusion(gamma=1.0, cells=64, descent=tl.Descent(iterations=20, every=10))
rng = np.random.default_rng(0)
measured = tl.feature_covariances(rng.standard_normal((5000, 5)), rng.standard_normal(5000))
problem = tl.ConvexProblem(sample_ratios=[2.0], ridges=[0.1], losses=["square"], labels="linear")
tl.replica(measured, problem), tl.convex_learning(measured, problem, seeds=2)
tl.one_step_simulation(tl.SpikedData(20, 30), tl.Axes(width=[1.0]), seeds=2)
tl.write(theory, "theory.nc")
assert tl.read("theory.nc").pmse.identical(theory.pmse)
for call in (lambda: tl.sign_generator(widths=[3, 4])), (lambda: tl.variable_projection([[1], [2]], [1, 2])):
    try:
        call()
    except tl.ConfigError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Folder that holds the contents of the wheel, built from the files that belong to the package."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / "src", folder / "source" / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "source")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, "."]
    subprocess.run(command, cwd=folder / "source", check=True)
    (built,) = folder.glob("*.whl")
    zipfile.ZipFile(built).extractall(folder / "unpacked")
    for path in (folder / "unpacked" / "twolayer").rglob("*.py"):  # what was compiled from files of that time is loaded
        shutil.copystat(ROOT / "src" / path.relative_to(folder / "unpacked"), path)
    return folder / "unpacked"


def run_outside(wheel, tmp_path, program):
    environment = os.environ | {"PYTHONPATH": str(wheel)}
    (tmp_path / "empty").mkdir()
    command = [sys.executable, "-c", program, str(wheel), str(ROOT / "tests")]
    return subprocess.run(command, cwd=tmp_path / "empty", env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_the_core_needs_no_extra(wheel, tmp_path):
    done = run_outside(wheel, tmp_path, WITHOUT_EXTRAS + USE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"{function} needs torch: install it by `pip install 'twolayer[torch]'`"
        for function in ("sign_generator", "variable_projection")
    ]


@pytest.mark.slow
def test_the_command_says_which_extra_it_needs(wheel, tmp_path):
    command = "from twolayer_command import main\nsys.argv = ['twolayer', 'list']\nsys.exit(main())"
    done = run_outside(wheel, tmp_path, WITHOUT_EXTRAS + command)
    assert done.returncode == 2
    assert done.stderr == (
        "error: the command twolayer list needs fastjsonschema: install it by `pip install 'twolayer[figures]'`\n"
    )


@pytest.mark.slow
def test_a_task_needs_no_extra(wheel, tmp_path):
    words = ["twolayer", "run", "mixture_sample", "--params", '{"sigma": 0.2, "samples": 9}', "--output", "it.nc"]
    command = f"from twolayer_command import main\nsys.argv = {words}\nsys.exit(main())"
    done = run_outside(wheel, tmp_path, WITHOUT_EXTRAS + command)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "empty" / "it.nc").exists()


@pytest.mark.slow
def test_what_it_holds(wheel):
    names = {path.relative_to(wheel).as_posix() for path in wheel.rglob("*")}
    assert {"twolayer/py.typed", "twolayer/__init__.pyi", "twolayer/pipeline/templates"} <= names
    (metadata,) = wheel.glob("*.dist-info/METADATA")
    fields = Parser().parsestr(metadata.read_text())
    core = {re.split(r"[>=]", entry)[0] for entry in fields.get_all("Requires-Dist") if "extra" not in entry}
    assert core == CORE
    extras = {"torch", "figures", "notebooks", "parquet", "workflow", "docs", "pages", "dev"}
    assert set(fields.get_all("Provides-Extra")) == extras


def test_dependencies():
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {entry.split(">=")[0] for entry in entries} == CORE
