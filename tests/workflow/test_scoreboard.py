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
from twolayer.pipeline.catalogue import Catalogue, FigureEntry
from twolayer.pipeline.report import scoreboard
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.provenance import Provenance

MADE = Provenance(3, 75.0, "2026-01-01", "2026-01-02", ("0123456789ab",), ("numpy 2.0",), ("x86_64",))


def entry(name, study, *judged):
    """A figure on the scoreboard."""
    title = "A figure with a title of some length, as those of the papers have"
    figure = FigureEntry(name, study, "Figure 1", title, {}, {}, ())
    return figure, check_results.FigureChecks(list(judged), MADE)


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """A scoreboard of a figure that passes, one that fails, and one that is unchecked."""
    root = tmp_path_factory.mktemp("board")
    curve = xr.DataArray(np.linspace(0.1, 1, 5), dims="time", coords={"time": np.arange(5.0)}, name="pmse")
    about = {"title": "equations against simulation, with a rather long title that has to wrap", "source": "a source"}
    good = relative(curve, 1.02 * curve, tolerance=0.05, compared=THEORY, **about)
    bad = at_most(curve, 0.5, compared=NUMERICS, **about)
    absent = relative(Absent("made at the paper preset"), curve, tolerance=0.05, **about)
    board = [
        entry("fig1", "mixtures", good, absent),
        entry("fig2", "gaussian_equivalence", good, bad),
        entry("fig3", "gaussian_equivalence", absent),
    ]
    figures = {figure.name: figure for figure, _ in board}
    catalogue = Catalogue(root, None, ("mixtures", "gaussian_equivalence"), {}, {}, figures)
    for figure, figure_checks in board:
        check_results.write(figure_checks, check_results.path_of(catalogue, figure.name, "quick"))
        io.write_with_checksum(b"a picture", root / f"results/quick/thumbnails/{figure.name}.png")
    check_results.write(replace(board[0][1], outcomes=[bad]), check_results.path_of(catalogue, "fig1", "paper"))
    scoreboard.write(catalogue, "quick", root)
    return root, catalogue


@pytest.fixture
def folder(board):
    """The folder of that scoreboard."""
    return board[0]


def test_what_is_wrong(board):
    failed, unchecked = scoreboard.faults(scoreboard.judged(board[1], "quick"))
    assert failed.startswith("failed: fig2: fail: equations against simulation")
    assert scoreboard.summary(board[1], scoreboard.judged(board[1], "quick"), "quick").splitlines()[:3] == [
        "3 figures at the quick preset: 1 pass, 1 fail, 1 no applicable check",
        "published values: 0 checks pass, 0 fail, 0 undecided, 0 not applicable",
        "published orderings: 0 checks pass, 0 fail, 0 undecided, 0 not applicable",
    ]
    assert unchecked == "fig3: no applicable check, of 1"


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


def test_it_is_written_again_when_a_figure_is_newer(board, tmp_path):
    root, catalogue = board
    page = root / "scoreboard.html"
    folder = root / catalogue.folders.figures("quick")
    scoreboard.renew(catalogue, "quick")
    assert not (folder / page.name).exists(), "renew writes no new page"
    folder.mkdir(parents=True)
    (folder / page.name).write_text("old")
    os.utime(folder / page.name, (0, 0))
    scoreboard.renew(catalogue, "quick")
    assert (folder / page.name).read_text() == page.read_text().replace('"/results', '"../../results')
    (folder / page.name).write_text("newer than all figures")
    scoreboard.renew(catalogue, "quick")
    assert (folder / page.name).read_text() == "newer than all figures"
