"""Which figures' checks are tried in a dry run."""

from dataclasses import replace

import pytest
from small_project import CATALOGUE, ROOT

from twolayer.errors import ConfigError
from twolayer.experiments import TASKS
from twolayer.pipeline.jobs import launch
from twolayer.pipeline.report.checks import dry_run_of_checks, dry_run_records


@pytest.fixture
def catalogue(tmp_path):
    """The project's catalogue, with two figures, in a folder of its own."""
    for folder in ("config", "workflow"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    return replace(CATALOGUE, root=tmp_path, figures={name: CATALOGUE.figures[name] for name in ("fig5", "fig13")})


@pytest.fixture
def done_now(catalogue, monkeypatch):
    """Return a function that makes a dry run and returns the figures whose checks ran."""
    judged = []
    monkeypatch.setattr(dry_run_of_checks, "judge", lambda figure, evidence: judged.append(figure.name) or [])

    def dry_run(names=None):
        judged.clear()
        dry_run_records.dry_run_once(catalogue, names)
        return set(judged)

    return dry_run


def test_what_went_well_is_not_done_again(done_now, catalogue, monkeypatch):
    assert done_now() == {"fig5", "fig13"}
    assert done_now() == set()
    monkeypatch.setattr(dry_run_records, "module_files", lambda module: [ROOT / "Makefile"] * module.endswith("fig5"))
    assert done_now() == {"fig5", "fig13"}
    monkeypatch.setattr(dry_run_records, "module_files", lambda module: [ROOT / "README.md"] * module.endswith("fig5"))
    assert done_now() == {"fig5"}


def test_only_the_figures_that_are_named(done_now):
    assert done_now(["fig13"]) == {"fig13"}
    assert done_now() == {"fig5"}
    assert done_now(["fig5", "fig13"]) == set()


@pytest.mark.parametrize(
    ("arguments", "requested"),
    [
        ("--cores all figures/quick/fig5.pdf figures/fig13.svg", {"fig5", "fig13"}),
        ("-n figures/fig5.pdf -- quick", set(CATALOGUE.figures)),
        ("figures/fig5.pdf figures/quick/scoreboard.html", set(CATALOGUE.figures)),
        ("figures/other/fig5.pdf", set(CATALOGUE.figures)),
        ("--cores 2", set(CATALOGUE.figures)),
    ],
)
def test_requested_figures(arguments, requested):
    assert set(launch.requested_figures(CATALOGUE, arguments.split())) == requested


def test_what_went_wrong_is(catalogue, monkeypatch):
    missing = replace(catalogue.figures["fig5"], name="fig99")
    monkeypatch.setitem(catalogue.figures, "fig99", missing)
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"has no module: write src/twolayer/figures/mixtures/fig99\.py"):
            dry_run_records.dry_run_once(catalogue)


def test_runs_that_differ_in_no_axis_share_an_outline(catalogue):
    """So that ten thousand seeds are tried in a dry run in a moment."""
    run = next(run for run in catalogue.runs.values() if run.task == "random_features")
    layout = TASKS[run.task].result
    other, longer = (replace(run.parameters, **change) for change in ({"seed": 7}, {"sigma": [0.7]}))
    assert layout.placeholder(other) is layout.placeholder(run.parameters)
    assert layout.placeholder(longer) is not layout.placeholder(run.parameters)
