"""Files that other tools and people look for say what is so."""

import re
import shlex
import subprocess
import tomllib

import pytest
import yaml
from small_project import ROOT

from twolayer.pipeline import cli
from twolayer.pipeline.catalogue import Catalogue

CONDA_NAMES = {"torch": "pytorch"}


def locked():
    """Package -> version, as requirements.lock has it."""
    lines = re.findall(r"(?m)^([\w.-]+)==(\S+)$", (ROOT / "requirements.lock").read_text())
    return {name.lower().replace("_", "-"): version for name, version in lines}


def test_the_conda_environment_has_the_versions_of_the_lock():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    versions = dict(entry.split("=") for entry in listed if re.fullmatch(r"[\w.-]+=[\w.]+", entry))
    expected = {CONDA_NAMES.get(name, name): version for name, version in locked().items()}
    assert {name: expected.get(name) for name in versions} == versions
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    needed = {CONDA_NAMES.get(name, name) for name in needed if not name.startswith("twolayer")}
    assert needed <= set(versions)


def test_the_container_is_built_from_the_lock():
    """It is not built here: what it copies is there, and its Python is one that the package takes."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    steps = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    assert [name for name, _ in steps] == ["FROM", "RUN", "WORKDIR", "COPY", "RUN", "COPY", "RUN", "CMD"]
    base = re.fullmatch(r"python:3\.(\d+)-slim-\w+", steps[0][1])
    assert int(base[1]) >= int(re.search(r'requires-python = ">=3\.(\d+)"', (ROOT / "pyproject.toml").read_text())[1])
    for name, words in steps:
        if name == "COPY":
            assert all((ROOT / source).exists() for source in words.split()[:-1])
        if name == "RUN":
            subprocess.run(["bash", "-n", "-c", words], check=True)
    assert "--requirement requirements.lock" in text
    recipe = (ROOT / "Makefile").read_text()
    options = shlex.split(re.search(r"pip install .*--no-deps.*", recipe)[0])[-4:]
    assert " ".join(options[1:]) in text  # as make setup installs the package itself


def test_github_calls_what_everybody_calls():
    steps = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["everything"]["steps"]
    assert ".ci/run" in steps[-1]["run"]
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_the_catalog_of_workflows_finds_what_it_looks_for():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["report"] is True
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert "## Usage" in (ROOT / "config/README.md").read_text()


def test_the_configuration_that_is_shown_is_one(tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "schemas").symlink_to(ROOT / "config" / "schemas")
    settings = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    (tmp_path / "config" / "config.yaml").write_text(yaml.safe_dump(settings | {"studies": ["mine"]}))
    shown = re.search(r"(?s)```yaml\n(.*?)```", (ROOT / "config/README.md").read_text())[1]
    (tmp_path / "config" / "mine.yaml").write_text(shown)
    catalogue = Catalogue.load(tmp_path, environment={})
    assert catalogue.run("quick", "mine", "xor_sigma0.2").path in shown.replace("<scale>/<study>", "quick/mine")


def test_the_version_is_told_of_in_the_changes():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"version: {project['version']}" in (ROOT / "CITATION.cff").read_text()


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("twolayer verd", "verdict"),
        ("twolayer check fig3", "fig3 fig30 fig31 fig32 fig33 fig34 fig35 fig36 fig37 fig38 fig39"),
        ("twolayer check fig1 --s", "--preset"),
        ("twolayer check fig1 --preset qu", "quick"),
        ("twolayer run one_step_", "one_step_theory"),
        ("twolayer list nothing", ""),
    ],
)
def test_a_shell_completes(line, completed, capsys):
    assert cli.main(["completion"]) == 0
    words = line.split(" ")
    asked = f"COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}; _twolayer; echo ${{COMPREPLY[*]}}"
    script = f"{capsys.readouterr().out}\n{asked}"
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == sorted(completed.split())
