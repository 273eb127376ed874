"""The project's own catalogue."""

import shutil
import tomllib
from pathlib import Path

import pytest
import yaml

from twolayer.errors import ConfigError
from twolayer.pipeline.catalogue import SCALES, Catalogue
from twolayer.pipeline.dependencies import module_files

ROOT = Path(__file__).parents[2]
CATALOGUE = Catalogue.load(ROOT, environment={})


@pytest.mark.parametrize("name", CATALOGUE.figures)
def test_every_figure_is_complete(name):
    figure = CATALOGUE.figure(name)
    assert (ROOT / "workflow" / "notebooks" / f"{name}.py").exists()
    assert module_files(f"twolayer.figures.{figure.module}")
    for scale in SCALES:
        assert CATALOGUE.minutes(name, scale) > 0


@pytest.mark.parametrize("name", CATALOGUE.figures)
def test_notebooks_only_load_draw_and_judge(name):
    source = (ROOT / "workflow" / "notebooks" / f"{name}.py").read_text()
    assert "def " not in source
    assert "import numpy" not in source
    assert source.count("\n# %%") <= 7


def test_quick_figures_are_quick():
    for name in CATALOGUE.figures:
        assert CATALOGUE.minutes(name, "quick") <= 1


@pytest.mark.slow
@pytest.mark.parametrize("scale", SCALES)
def test_dry_run_of_every_figure(scale):
    """Through Snakemake's own interface."""
    from snakemake.api import ConfigSettings, OutputSettings, ResourceSettings, SnakemakeApi
    from snakemake.settings.types import DAGSettings

    with SnakemakeApi(OutputSettings(dryrun=True)) as api:
        workflow = api.workflow(
            resource_settings=ResourceSettings(cores=1), config_settings=ConfigSettings(), snakefile=ROOT / "Snakefile"
        )
        workflow.dag(dag_settings=DAGSettings(targets={scale}, force_incomplete=True)).execute_workflow(
            executor="dryrun"
        )


def test_grid_names():
    from twolayer.pipeline.catalogue import _grid, _label

    points = _grid({"width": [32, 1024], "ridge": [1e-3], "kind": ["unbiased"], "momentum": [False]})
    names = ["_".join(_label(key, value) for key, value in point.items()) for point in points]
    assert names == ["width32_ridge1e-3_unbiased_no-momentum", "width1024_ridge1e-3_unbiased_no-momentum"]


def test_a_grid_of_its_own_at_quick_scale(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    project.edit(
        "config/gmm.yaml",
        lambda study: study["runs"]["xor_random_features"].update(
            grid={"input_dimension": [20, 30], "overlap_order": [1, 2]}, quick_grid={"input_dimension": [10]}
        ),
    )
    catalogue = Catalogue.load(project.root, environment={})
    drawn = {
        scale: [
            run.name.removeprefix("xor_random_features_")
            for run in catalogue.figure_runs("fig1", scale)
            if run.task == "random_features"
        ]
        for scale in SCALES
    }
    assert drawn["quick"] == ["input_dimension10_overlap_order1", "input_dimension10_overlap_order2"]
    assert drawn["paper"] == [
        f"input_dimension{dimension}_overlap_order{order}" for dimension in (20, 30) for order in (1, 2)
    ]
    assert (
        catalogue.run("quick", "gmm", "xor_random_features_input_dimension10_overlap_order2").config.overlap_order == 2
    )
    with pytest.raises(ConfigError, match=r"at scale 'quick'.*has .*input_dimension10_overlap_order1"):
        catalogue.run("quick", "gmm", "xor_random_features_input_dimension20_overlap_order1")


def locked():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pairs = (line.split("==") for line in lines if "==" in line)
    return {name.lower().replace("_", "-"): version for name, version in pairs}


def test_conda_environment_agrees_with_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {*project["dependencies"], *project["optional-dependencies"]["dev"]}
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    pinned = dict(line.split("=", 1) for line in environment if "=" in line and ">" not in line)
    pinned["torch"] = pinned.pop("pytorch")  # conda-forge's name
    assert set(pinned) == wanted
    assert pinned == {name: locked()[name] for name in wanted}


def with_check(tmp_path, texts):
    """The first figure of a copy of the configuration, with one check for each of several runs."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    path = tmp_path / "config" / "figures.yaml"
    entries = yaml.safe_load(path.read_text())
    check = {"title": "t", "kind": "at_most", "measured": 1, "target": 0, "tolerance": 1, "source": "s"}
    check["each"] = {"run": ["sgd", "ode"], "what": ["late", "early"]}
    entries["fig1"]["checks"] = [check | texts]
    path.write_text(yaml.safe_dump(entries))
    return Catalogue.load(tmp_path, environment={}).figure("fig1")


def test_a_check_for_each_of_several_runs(tmp_path):
    checks = with_check(tmp_path, {"title": "{run}: {what}", "measured": "{run}.pmse"}).checks
    assert [(check["title"], check["measured"]) for check in checks] == [
        ("sgd: late", "sgd.pmse"),
        ("sgd: early", "sgd.pmse"),
        ("ode: late", "ode.pmse"),
        ("ode: early", "ode.pmse"),
    ]
    assert all("each" not in check and check["kind"] == "at_most" for check in checks)


def test_a_check_that_names_nothing_of_each(tmp_path):
    with pytest.raises(ConfigError, match=r"fig1: check '\{who\}' needs a value of 'who': each has run, what"):
        with_check(tmp_path, {"title": "{who}"})
