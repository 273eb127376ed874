"""What a finished scale looks like."""

import csv
import json

import pytest

from twolayer import io

pytestmark = pytest.mark.slow


def test_a_figure_is_the_same_bytes_again(project):
    pdf = project.root / "figures/quick/fig1.pdf"
    before = pdf.read_bytes()
    assert before.startswith(b"%PDF")
    done = project.snakemake("--forcerun", "figure_quick", "--", "figures/quick/fig1.pdf")
    assert done.returncode == 0, done.stderr
    assert pdf.read_bytes() == before


def test_the_paper_scale_stays_untouched(project):
    assert not list((project.root / "figures").glob("*.pdf"))
    assert not (project.root / "results/paper").exists()


def test_results_say_what_made_them(project):
    result = io.read(project.root / "results/quick/gmm/online_sgd/sgd.nc", task="online_sgd")
    assert json.loads(result.attrs["params"])["student"]["hidden_units"] == 2


def test_logs_and_benchmarks(project):
    log = (project.root / "results/quick/logs/gmm/online_sgd/sgd.log").read_text()
    assert "online_sgd starts" in log
    assert "online_sgd ends after" in log
    assert "\r" not in log  # no progress bar
    assert (project.root / "results/quick/benchmarks/gmm/online_sgd/sgd.tsv").exists()


def test_scoreboard_shows_the_failed_check_and_the_target_ends_with_it(project):
    page = (project.root / "figures/quick/scoreboard.html").read_text()
    assert "data:image/png;base64," in page
    assert "a check that fails" in page
    assert "<script" not in page
    assert "http" not in page
    rows = list(csv.DictReader((project.root / "figures/quick/scoreboard.csv").open()))
    assert [row["status"] for row in rows] == ["pass", "fail"]
    done = project.snakemake("scoreboard")
    assert done.returncode != 0
    assert "failed: fig1: fail            a check that fails" in done.stderr


def test_verdict_on_the_command_line(project):
    done = project.run("twolayer", "verdict", "fig1", "--scale", "quick")
    assert done.returncode == 1
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["pass", "fail"]
    project.edit("config/figures.yaml", lambda figures: figures["fig1"]["checks"].pop())
    assert project.run("twolayer", "verdict", "fig1", "--scale", "quick").returncode == 0
    missing = project.run("twolayer", "verdict", "fig1")
    assert missing.returncode == 2
    assert missing.stderr.startswith("error: results file ")


def test_a_result_of_other_parameters_is_not_judged(project):
    project.edit("config/gmm.yaml", lambda study: study["runs"]["sgd"]["params"].update(seed=5))
    done = project.run("twolayer", "verdict", "fig1", "--scale", "quick")
    assert done.returncode == 2
    assert "was made with other parameters" in done.stderr


def test_the_notebook_runs_by_hand_in_its_folder(project):
    (project.root / "figures/quick/fig1.pdf").unlink()
    command = "cd workflow/notebooks && jupytext --to ipynb --execute --output by-hand.ipynb fig1.py"
    done = project.run("bash", "-c", command)
    assert done.returncode == 0, done.stderr
    assert (project.root / "figures/quick/fig1.pdf").exists()
