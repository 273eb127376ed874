"""A copy of the project with the smallest runs there are."""

import compileall
import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

import forked
import pytest
import yaml

from twolayer.pipeline.catalogue import Catalogue

ROOT = Path(__file__).parents[1]
CATALOGUE = Catalogue.load(ROOT, environment={})  # the catalogue of this project

STUDY = {
    "runs": {
        "xor_sample": {
            "task": "mixture_sample",
            "params": {"sigma": 0.2, "samples": 20},
            "minutes": {"paper": 0.1, "quick": 0.1},
            "mem_mb": 100,
        },
        "xor_random_features": {
            "task": "random_features",
            "grid": {"input_dimension": [20, 30]},
            "params": {
                "sigma": [0.1, 0.5],
                "features_per_dimension": [2.0],
                "projections": 2,
                "simulated_sigma": [0.5],
                "simulated_samples": 500,
            },
            "quick": {"sigma": [0.1, 0.4]},
            "minutes": {"paper": 0.1, "quick": 0.1},
            "mem_mb": 100,
        },
        "mixture": {
            "task": "random_mixture",
            "params": {"input_dimension": 20, "clusters_per_class": 1},
            "minutes": {"paper": 0.1, "quick": 0.1},
            "mem_mb": 100,
        },
        "sgd": {
            "task": "online_sgd",
            "inputs": {"mixture": "mixture"},
            "params": {
                "student": {"activation": "erf", "hidden_units": 2},
                "schedule": {"learning_rate": 0.1, "last_time": 2.0, "measurements": 4},
                "seeds": 2,
                "log2_nodes": 8,
            },
            "minutes": {"paper": 0.1, "quick": 0.1},
            "mem_mb": 100,
        },
        "images": {
            "task": "image_mixture",
            "params": {"dataset": "mnist"},
            "minutes": {"paper": 0.1, "quick": 0.1},
            "mem_mb": 100,
        },
    }
}

STUDY["figures"] = {
    "fig1": {
        "paper_figure": "Figure 1",
        "title": "A small figure",
        "runs": ["xor_sample", "xor_random_features", "sgd"],
    }
}

MODULE = '''"""A small figure."""

import matplotlib.pyplot as plt

from twolayer.figures.checks import NUMERICS, at_most, z_score


def draw(r):
    """One curve."""
    figure, axes = plt.subplots()
    axes.plot(r["sgd"].time, r["sgd"].pmse.mean("seed"))
    return figure


def checks(r):
    """One that passes and one that fails."""
    features = r.find("xor_random_features", input_dimension=20)
    yield z_score(features.closed_pmse, features.simulated_pmse, "features", source="simulation")
    mean = r["sgd"].pmse.mean("seed")
    yield at_most(mean, 0, "a check that fails", tolerance=1e-9, compared=NUMERICS, source="nothing")
'''

NOTEBOOK = """# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---
# %% tags=["parameters"]
preset = "quick"
# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig1", preset)
page.draw()
# %%
page.table()
"""


PROGRAMS = Path(sys.executable).parent  # the programs of the environment


@cache
def forked_programs():
    """The environment in which `snakemake` and `twolayer` are forked, with what they import."""
    return forked.start()


@dataclass(frozen=True)
class Project:
    """A project in a folder of its own, with its own copy of the package."""

    root: Path

    def environment(self, **more):
        """Return the environment of commands in the project."""
        settings = ("TWOLAYER_DATA", "TWOLAYER_GENERATORS")  # the person who runs the tests may have set these
        inherited = {name: value for name, value in os.environ.items() if name not in settings}
        return inherited | {"PYTHONPATH": forked.search_path(self.root / "src")} | forked_programs() | more

    def run(self, *command, **environment):
        """Run a command there; one of `PROGRAMS`, by its path, is not forked, but what it starts is."""
        environment = self.environment(**environment)
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=900)

    def snakemake(self, *arguments, **environment):
        """Run Snakemake there."""
        return self.run("snakemake", *arguments, **environment)

    def stale(self, *targets):
        """Names of the rules, with their runs, that a dry run would execute."""
        done = self.snakemake("--dry-run", "--printshellcmds", "--", *targets)
        assert done.returncode == 0, done.stderr + done.stdout
        lines = (done.stdout + done.stderr).splitlines()
        jobs = {Path(line.split()[1].rstrip(",")).stem for line in lines if line.startswith("    output: ")}
        return jobs

    def edit(self, name, change):
        """Rewrite a YAML file by a function that changes its content."""
        path = self.root / name
        content = yaml.safe_load(path.read_text())
        change(content)
        path.write_text(yaml.safe_dump(content, sort_keys=False))

    def rewrite(self, name, old, new):
        """Replace a text in a file, which has it."""
        path = self.own(name)
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        # Python compares only size and second: the bytecode of the old text can pass as current.
        Path(cache_from_source(path)).unlink(missing_ok=True)

    def own(self, name):
        """The path of a file that is to be changed, and from now on not the same as in other copies."""
        path = self.root / name
        shutil.copy2(path, path.with_name("own"))
        return path.with_name("own").replace(path)

    def copy(self, target):
        """The same project elsewhere, with its results; the modules are links, at a sixth of the cost, see `own`."""
        modules = self.root / "src"
        shutil.copytree(
            self.root, target, symlinks=True, ignore=lambda folder, _: ["src"] if folder == str(self.root) else []
        )
        shutil.copytree(modules, target / "src", copy_function=os.link)
        return Project(target)


def shared_once(tmp_path_factory, name, make):
    """A folder that one of the processes of pytest makes for all, who wait for it: `make(folder)`."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    done = shared / f"{name}-is-made"
    with (shared / f"{name}-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make(shared / name)
            done.touch()
    return shared / name


def made_once(tmp_path_factory, name, make):
    """Return a copy for this process of a project. The first call of any process makes the project."""
    return Project(shared_once(tmp_path_factory, name, make)).copy(tmp_path_factory.mktemp(name) / "project")


def prepare(root):
    """The small project, nothing made yet."""
    root.mkdir()
    shutil.copy(ROOT / "Snakefile", root)
    for folder in ("workflow", "config", "src"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("*.egg-info"))
    (root / "profiles").symlink_to("workflow/profiles")
    settings = yaml.safe_load((root / "config" / "config.yaml").read_text())
    (root / "config" / "config.yaml").write_text(yaml.safe_dump(settings | {"studies": ["mixtures"]}))
    (root / "config" / "mixtures.yaml").write_text(yaml.safe_dump(STUDY))
    (root / "src" / "twolayer" / "figures" / "mixtures" / "fig1.py").write_text(MODULE)
    for notebook in (root / "workflow" / "notebooks").glob("*.py"):
        notebook.unlink()
    (root / "workflow" / "notebooks" / "fig1.py").write_text(NOTEBOOK)
    compileall.compile_dir(root / "src", quiet=1)  # once for all copies


@pytest.fixture(scope="session")
def fresh_project(tmp_path_factory):
    """Nothing made yet."""
    return made_once(tmp_path_factory, "fresh", prepare)


@pytest.fixture(scope="session")
def made_project(fresh_project, tmp_path_factory):
    """The quick preset made, the image mixture as well."""

    def make(root):
        done = fresh_project.copy(root).snakemake("quick", "results/quick/mixtures/image_mixture/images.nc")
        assert done.returncode == 0, done.stderr + done.stdout

    return made_once(tmp_path_factory, "made", make)


@pytest.fixture
def project(made_project, tmp_path):
    """A copy of the made project to play with."""
    return made_project.copy(tmp_path / "project")
