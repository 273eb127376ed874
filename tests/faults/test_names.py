"""Names with special characters of the shell work for folders, and are refused for runs."""

import re
import shutil

import pytest
from small_project import ROOT

from twolayer.errors import ConfigError, DataError
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.configuration import run_name
from twolayer.pipeline.custom_files import custom_files

STRANGE = "a b'c\"d;touch x;e$(touch y)`touch z`\nf*[g]?\\#&|<>%s~é"
RESULT = "results/paper/mixtures/image_mixture/images.nc"


@pytest.mark.slow
def test_a_data_root_of_any_name(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    shutil.copytree(ROOT / "workflow/resources/mnist", tmp_path / STRANGE / "mnist")
    done = project.snakemake("--cores", "1", RESULT, TWOLAYER_DATA=str(tmp_path / STRANGE))
    assert done.returncode == 0, done.stderr
    assert (project.root / RESULT).exists()
    assert not [path for path in (*project.root.rglob("[xyz]"), *tmp_path.glob("[xyz]"))]


@pytest.mark.slow
def test_a_project_in_a_folder_of_any_name(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "a b'c$(touch y);d")
    done = project.snakemake("--cores", "1", "figures/quick/fig1.pdf")
    assert done.returncode == 0, done.stderr
    assert project.run("twolayer", "check", "fig1", "--preset", "quick").returncode == 1
    assert not list(tmp_path.rglob("y"))


@pytest.mark.slow
def test_a_run_of_such_a_name_is_refused(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    project.edit("config/mixtures.yaml", lambda study: study["runs"].update({"a$(touch x)": study["runs"]["mixture"]}))
    done = project.snakemake("--cores", "1", "quick")
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].startswith(
        "error: config/mixtures.yaml: a$(touch x): the run name 'a$(touch x)' is"
    )
    assert not list(project.root.rglob("x"))


@pytest.mark.parametrize(
    "name", [*STRANGE.split("\n"), "a'b", "a;b", "a\nb", "a\n", "$(a)", "../a", "a/b", "a\0b", ".a", "-a"]
)
def test_unsafe_names_of_runs(name):
    with pytest.raises(ConfigError, match="is not safe as a file name"):
        run_name(name, {}, "here")


@pytest.mark.parametrize("count", [121, 400])
def test_long_names_of_runs(count):
    run_name("a" * 120, {}, "here")
    with pytest.raises(ConfigError, match="at most 120 of them"):
        run_name("a" * count, {}, "here")


def test_a_data_root_with_braces(fresh_project, tmp_path):
    (tmp_path / "a{b}").mkdir()
    with pytest.raises(ConfigError, match="has a brace, which Snakemake reads as a wildcard: rename it"):
        Catalogue.load(fresh_project.root, environment={"TWOLAYER_DATA": str(tmp_path / "a{b}")})


def test_custom_data_with_braces(fresh_project, tmp_path):
    path = tmp_path / "a{b}.csv"
    path.write_text("a,label\n")
    project = fresh_project.copy(tmp_path / "project")
    run = {"task": "data_samples", "params": {"file": str(path)}, "minutes": {"paper": 1, "quick": 1}, "mem_mb": 1}
    project.edit("config/mixtures.yaml", lambda content: content["runs"].update(data=run))
    catalogue = Catalogue.load(project.root, environment={})
    with pytest.raises(
        DataError, match="has a brace, which Snakemake reads as a wildcard: rename the file or its fold"
    ):
        custom_files(catalogue, catalogue.run("quick", "mixtures", "data"))


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/rules").glob("*.smk")), ids=lambda path: path.name)
def test_rules_quote_all_that_has_a_name_from_outside(path):
    """Values in a command without `:q` are numbers or constants of the rules."""
    commands = re.findall(r"^        shell:\n((?: {12}.*\n)+)", path.read_text() + "\n", re.MULTILINE)
    for command in commands:
        for name in re.findall(r"\{([^{}]+)\}", command):
            assert name.endswith(":q") or name in ("threads", "params.task", "params.preset"), name


FORBIDDEN = (
    r"import pickle|allow_pickle=True|torch\.load\((?!.*weights_only=True)|yaml\.load\(\w+\)|shell=True|os\.system"
)


def test_no_pickle_and_no_shell_of_our_own():
    for path in (ROOT / "src").rglob("*.py"):
        assert not re.search(FORBIDDEN, path.read_text()), path


def test_the_notebook_server_keeps_its_token():
    text = (ROOT / "Makefile").read_text()
    assert "jupyter lab" in text
    assert "token" not in text
    assert "password" not in text
