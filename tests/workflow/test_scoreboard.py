"""The scoreboard: what it counts, names and shows of each figure."""

import os
import re
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from judged import at_most, relative

from twolayer import io
from twolayer.figures.checks import NUMERICS, THEORY
from twolayer.figures.evidence import Absent
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report import scoreboard
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.provenance import Provenance
from twolayer.pipeline.studies.figure_entries import FigureEntry

MADE = Provenance(3, 75.0, "2026-01-01", "2026-01-02", ("0123456789ab",), ("numpy 2.0",), ("x86_64",))


def entry(name, study, *judged):
    """A figure on the scoreboard."""
    title = "A figure with a title of some length, as those of the papers have"
    figure = FigureEntry(name, study, "Figure 1", title, {"quick": (), "paper": ()}, {}, ())
    return figure, check_results.FigureChecks(list(judged), MADE)


CURVE = xr.DataArray(np.linspace(0.1, 1, 5), dims="time", coords={"time": np.arange(5.0)}, name="pmse")
ABOUT = {"title": "equations against simulation, with a rather long title that has to wrap", "source": "a source"}
GOOD = relative(CURVE, 1.02 * CURVE, tolerance=0.05, compared=THEORY, **ABOUT)
BAD = at_most(CURVE, 0.5, compared=NUMERICS, **ABOUT)
ABSENT = relative(Absent("made at the paper preset"), CURVE, tolerance=0.05, **ABOUT)


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """A scoreboard of a figure that passes, one that fails, and one that is unchecked."""
    root = tmp_path_factory.mktemp("board")
    board = [
        entry("fig1", "mixtures", GOOD, ABSENT),
        entry("fig2", "gaussian_equivalence", GOOD, BAD),
        entry("fig3", "gaussian_equivalence", ABSENT),
    ]
    figures = {figure.name: figure for figure, _ in board}
    catalogue = Catalogue(root, None, ("mixtures", "gaussian_equivalence"), {}, {}, figures)
    for figure, figure_checks in board:
        check_results.write(figure_checks, check_results.path_of(catalogue, figure.name, "quick"))
        io.write_with_checksum(b"a picture", root / f"results/quick/thumbnails/{figure.name}.png")
    check_results.write(replace(board[0][1], outcomes=[BAD]), check_results.path_of(catalogue, "fig1", "paper"))
    scoreboard.write(catalogue, "quick", root)
    return root, catalogue


@pytest.fixture
def folder(board):
    """The folder of that scoreboard."""
    return board[0]


def test_what_is_wrong(board):
    catalogue, outcomes = board[1], scoreboard.judged(board[1], "quick")
    failed, unchecked = scoreboard.failure_reports(catalogue, outcomes, "quick")
    assert (failed.figure, failed.status) == ("fig2", "fail")
    assert failed.fails[0].startswith("equations against simulation")
    assert unchecked.fails == ("none of its checks applies at these parameters",)
    assert scoreboard.summary(outcomes, "quick").splitlines()[:3] == [
        "3 figures at the quick preset: 1 pass, 1 fail, 1 no applicable check",
        "published values: 0 checks pass, 0 fail, 0 undecided, 0 not applicable",
        "published orderings: 0 checks pass, 0 fail, 0 undecided, 0 not applicable",
    ]


def test_the_status_of_each_figure(folder):
    page = (folder / "scoreboard.html").read_text()
    assert re.findall(r'<details class="figure" id="(\w+)" .*data-study="(\w+)" data-status="([\w ]+)"', page) == [
        ("fig1", "mixtures", "pass"),
        ("fig2", "gaussian_equivalence", "fail"),
        ("fig3", "gaussian_equivalence", "no applicable check"),
    ]
    assert "3 figures: 1 pass, 1 fail, 1 with no applicable check." in page
    assert 'Failing: <a href="#fig2">fig2</a>.' in page
    assert "computed 2026-01-01 to 2026-01-02 UTC on x86_64. Commit 0123456789ab; numpy 2.0." in page
    assert 'paper: <span class="fail">fail</span>' in page


def test_a_figure_that_fails_is_explained(folder):
    page = (folder / "scoreboard.html").read_text()
    assert page.count('<div class="failure">') == 2
    assert "<li>Fails: equations against simulation" in page
    assert "Possible cause: A parameter, the program or a version of a library has changed" in page
    assert "Next: <code>twolayer check fig2 --preset quick</code> (lists all checks)" in page


def test_it_is_written_again_when_a_figure_is_newer(board):
    root, catalogue = board
    page = root / "scoreboard.html"
    folder = root / catalogue.folders.figures("quick")
    assert scoreboard.renew(catalogue, "quick") == ""
    assert not (folder / page.name).exists(), "renew writes no new page"
    folder.mkdir(parents=True)
    (folder / page.name).write_text("old")
    os.utime(folder / page.name, (0, 0))
    missing = check_results.path_of(catalogue, "fig3", "quick")
    missing.rename(missing.with_suffix(".away"))
    assert scoreboard.renew(catalogue, "quick") == (
        "figures/quick/scoreboard.html is older than its figures, and fig3 is missing: renew it by "
        "`snakemake scoreboard`"
    )
    missing.with_suffix(".away").rename(missing)
    assert scoreboard.renew(catalogue, "quick") == "figures/quick/scoreboard.html is renewed"
    assert (folder / page.name).read_text() == page.read_text().replace('"/results', '"../../results')
    (folder / page.name).write_text("newer than all figures")
    assert scoreboard.renew(catalogue, "quick") == ""
    assert (folder / page.name).read_text() == "newer than all figures"
