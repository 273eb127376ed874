"""Repetitions of the quick preset, and the tables of their checks."""

import numpy as np
import pytest
import xarray as xr
from judged import relative, z_score
from small_project import CATALOGUE, ROOT

from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.jobs import replicates
from twolayer.pipeline.report import check_results
from twolayer.pipeline.report.provenance import Provenance


def test_repetitions_share_no_seed_and_no_folder():
    repetitions = replicates.shifted_seeds(3)
    assert [one.settings["seed_shift"] for one in repetitions] == [1000, 2000, 3000]
    folders = {Catalogue.load(ROOT, one.settings, environment={}).folders for one in replicates.processors()}
    assert len(folders) == len(replicates.processors()) == 13


def test_every_setting_of_a_processor_changes_its_environment_or_its_threads():
    for one in replicates.processors():
        assert one.environment or one.options[0] == "--set-threads"


@pytest.fixture
def judged(monkeypatch):
    """The checks of a figure in three repetitions: off by 1 %, 2 % and 20 %."""

    def of(catalogue):
        value = {1000: 1.01, 2000: 1.02, 3000: 1.2, 0: 1.0}[catalogue.folders.seed_shift]
        near = relative(xr.DataArray(value), 1.0, "near one", tolerance=0.1, source="it is")
        return {"fig1": [near]}

    monkeypatch.setattr(replicates, "judged_checks", of)


def test_the_table_of_checks_counts_failures(judged):
    table = replicates.table_of_checks(replicates.shifted_seeds(3), ROOT)
    assert table.splitlines()[0] == "Repetitions: seed 1000, seed 2000, seed 3000."
    assert table.splitlines()[-1] == "| fig1 | near one | relative | 3 | 1 | 0 | 0.2 | 2 |  |  |"


def test_the_table_of_checks_shows_whether_chance_explains_them(monkeypatch):
    """A hundred checks of a value that is off by one standard error of six runs at the most."""
    rng = np.random.default_rng(0)
    draws = xr.DataArray(rng.standard_normal((6, 100)), dims=("seed", "check"))
    checks = [z_score(draws.isel(check=place), 0.0, "a mean", source="it is", relative_to=1.0) for place in range(100)]
    monkeypatch.setattr(replicates, "judged_checks", lambda catalogue: {"fig1": checks})
    (row,) = (
        line
        for line in replicates.table_of_checks(replicates.shifted_seeds(1), ROOT).splitlines()
        if "| 100 |" in line and "below" not in line and "fig1" not in line
    )
    below = [float(cell) for cell in row.split("|")[3:6]]
    assert below == pytest.approx([0.5, 0.1, 0.01], abs=0.15)


def test_the_table_of_differences_names_checks_that_change(judged, monkeypatch):
    found = [replicates.compare.Difference("a.nc", "pmse", 0.1, 0.2, 3.0), replicates.compare.Difference("a.nc", "q")]
    monkeypatch.setattr(replicates.compare, "compare", lambda one, other: found)
    first, *_, last = replicates.table_of_differences(replicates.shifted_seeds(3), ROOT).splitlines()[2:]
    assert first == "| seed 1000 | 1 | 0.2 | 3 | none |"
    assert last == "| seed 3000 | 1 | 0.2 | 3 | fig1: near one (pass, fail) |"


def test_checks_are_read_from_the_folders_of_a_repetition(tmp_path, monkeypatch):
    (tmp_path / "config").symlink_to(ROOT / "config")
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    (repetition,) = replicates.shifted_seeds(1)
    near = relative(xr.DataArray(1.0), 1.0, "near one", tolerance=0.1, source="it is")
    figure_checks = check_results.FigureChecks([near], Provenance.of([]))
    check_results.write(figure_checks, tmp_path / "results/quick-seed1000/checks/fig1.json")
    assert replicates.judged(repetition, tmp_path) == {"fig1": [near]}
    assert "fig1" in CATALOGUE.figures


def test_a_repetition_is_made_by_snakemake(monkeypatch, tmp_path):
    commands = []

    class Done:
        returncode = 0

    def run(command, cwd, env):
        commands.append((command, cwd, env["NUMBA_CPU_NAME"]))
        return Done

    monkeypatch.setattr(replicates.subprocess, "run", run)
    (one,) = (one for one in replicates.processors() if one.name == "numba-generic")
    assert replicates.make(one, tmp_path) == 0
    assert commands == [(["snakemake", "--config", "variant=numba-generic", "--", "quick"], tmp_path, "generic")]
