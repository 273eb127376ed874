"""The workflow with results in another folder: `--directory`, `module:`, and clones with the wrong environment."""

import shutil
import subprocess

import pytest
from small_project import PROGRAMS, Project

from twolayer.dependencies import PACKAGE
from twolayer.errors import ConfigError
from twolayer.pipeline.project import check_package

pytestmark = pytest.mark.slow

GENERATOR = {
    "task": "named_generator",
    "params": {"module": "workflow.scripts.custom_network:network", "latent_size": 100},
    "minutes": {"paper": 0.01, "quick": 0.01},
    "mem_mb": 500,
}
MADE = ("figures/quick/fig1.pdf", "results/quick/checks/fig1.json", "results/quick/notebooks/fig1.ipynb")
GENERATED = "results/quick/mixtures/named_generator/generator.nc"
MODULE = """
module theirs:
    snakefile: "{snakefile}"
    config: config

use rule * from theirs as {names}

rule ours:
    default_target: True
    input: "figures/quick/fig1.pdf", "{generated}"
"""


@pytest.fixture
def clone(fresh_project, tmp_path):
    """A project with a run that reads a module of its own, and a brother of its folder."""
    clone = fresh_project.copy(tmp_path / "a clone")
    clone.edit("config/mixtures.yaml", lambda study: study["runs"].update(generator=GENERATOR))
    (tmp_path / "work").mkdir()
    return clone


def from_elsewhere(clone, folder, *command):
    """Run a command in another folder with the package of a clone."""
    return subprocess.run(command, cwd=folder, env=clone.environment(), capture_output=True, text=True, timeout=900)


def check_made(clone, work):
    """All that was made is in the working folder, and a command finds it there."""
    assert all((work / path).exists() for path in (*MADE, GENERATED))
    made = [path for folder in ("results", "figures") for path in (clone.root / folder).rglob("*.*") if path.is_file()]
    assert [path.name for path in made if path.name != ".dry_run_records"] == []
    judged = from_elsewhere(clone, work, "twolayer", "check", "fig1", "--preset", "quick")
    assert "a check that fails" in judged.stdout


def test_another_directory(clone, tmp_path):
    work = tmp_path / "work"
    profile = str(clone.root / "workflow" / "profiles" / "default")
    command = (
        "snakemake",
        "--profile",
        profile,
        "--snakefile",
        str(clone.root / "Snakefile"),
        "--directory",
        str(work),
    )
    done = from_elsewhere(clone, tmp_path, *command, "figures/quick/fig1.pdf", GENERATED)
    assert done.returncode == 0, done.stderr
    check_made(clone, work)
    again = from_elsewhere(clone, tmp_path, *command, "figures/quick/fig1.pdf", GENERATED)
    assert "Nothing to be done" in again.stderr + again.stdout
    assert "unlocked" in from_elsewhere(clone, work, str(PROGRAMS / "twolayer"), "recover").stdout


def test_another_directory_with_a_configuration_of_its_own(clone, tmp_path):
    work = tmp_path / "work"
    shutil.copytree(clone.root / "config", work / "config")
    Project(work).edit("config/mixtures.yaml", lambda study: study["runs"]["xor_sample"]["params"].update(samples=33))
    command = ("snakemake", "--cores", "1", "--snakefile", str(clone.root / "Snakefile"), "--directory", str(work))
    done = from_elsewhere(clone, tmp_path, *command, "--dry-run", "--printshellcmds", "figures/quick/fig1.pdf")
    assert '"samples":33' in (done.stdout + done.stderr).replace(" ", "")


@pytest.mark.parametrize("names", ["*", "their_*"])
def test_a_module_of_another_workflow(clone, tmp_path, names):
    """The folder has a configuration of the other workflow, which is not ours."""
    work = tmp_path / "work"
    (work / "config").mkdir()
    (work / "config" / "config.yaml").write_text("samples: samples.tsv\n")
    (work / "workflow").mkdir()
    text = MODULE.format(snakefile=clone.root / "Snakefile", generated=GENERATED, names=names)
    (work / "workflow" / "Snakefile").write_text(text)
    done = from_elsewhere(clone, work, "snakemake", "--cores", "1")
    assert done.returncode == 0, done.stderr
    check_made(clone, work)


def test_the_environment_of_another_clone_is_refused(fresh_project, tmp_path):
    """Also by the commands of jobs; a project without a package of its own takes any."""
    ours, theirs = (fresh_project.copy(tmp_path / name) for name in ("ours", "theirs"))
    for command in (("snakemake", "--dry-run"), ("twolayer", "list"), ("twolayer", "check", "fig1")):
        done = from_elsewhere(theirs, ours.root, *command)
        assert done.returncode != 0
        assert f"the project {ours.root} has a package" in done.stderr + done.stdout
    shutil.rmtree(ours.root / "src")
    assert from_elsewhere(theirs, ours.root, "snakemake", "--dry-run").returncode == 0


def test_a_job_with_a_command_of_another_clone_is_refused(clone, tmp_path):
    """Snakemake was called by its path, and the environment of the other clone is active."""
    sample = ("mixture_sample", "--params", '{"sigma": 0.2, "samples": 9}', "--output", "it.nc")
    environment = clone.environment() | {"TWOLAYER_PACKAGE": str(PACKAGE)}
    done = subprocess.run(["twolayer", "run", *sample], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, (tmp_path / "it.nc").exists()) == (2, False)
    assert done.stderr.startswith(f"error: Snakemake uses the package {PACKAGE}, but its jobs find")


def test_the_refusal_names_what_to_do(tmp_path):
    (tmp_path / "src" / "twolayer").mkdir(parents=True)
    check_package(tmp_path)  # no project
    (tmp_path / "Snakefile").touch()
    with pytest.raises(ConfigError, match=r"`make setup` creates it in .*/.venv"):
        check_package(tmp_path / "src")
