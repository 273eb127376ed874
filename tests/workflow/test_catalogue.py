"""The project's own catalogue."""

import tomllib
from pathlib import Path

import pytest
import yaml

from twolayer.catalogue import SCALES, Catalogue
from twolayer.dependencies import module_files

ROOT = Path(__file__).parents[2]
CATALOGUE = Catalogue.load(ROOT, environment={})


@pytest.mark.parametrize("name", CATALOGUE.figures)
def test_every_figure_is_complete(name):
    figure = CATALOGUE.figure(name)
    assert (ROOT / "workflow" / "notebooks" / f"{name}.py").exists()
    assert module_files(f"twolayer.figures.{figure.paper}")
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
    from twolayer.catalogue import _grid, _label

    points = _grid({"width": [32, 1024], "ridge": [1e-3], "kind": ["unbiased"], "momentum": [False]})
    names = ["_".join(_label(key, value) for key, value in point.items()) for point in points]
    assert names == ["width32_ridge1e-3_unbiased_no-momentum", "width1024_ridge1e-3_unbiased_no-momentum"]


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
