"""The scoreboard as a browser shows it."""

import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from judged import at_most, relative

from twolayer import io
from twolayer.figures.checks import NUMERICS, THEORY
from twolayer.figures.evidence import Absent
from twolayer.pipeline.catalogue import Catalogue, FigureEntry
from twolayer.pipeline.report import check_results, scoreboard
from twolayer.pipeline.report.provenance import Provenance

BROWSER = shutil.which("chromium")
MADE = Provenance(3, 75.0, "2026-01-01", "2026-01-02", ("0123456789ab",), ("numpy 2.0",), ("x86_64",))

# Told to the frame around it: how far the page reaches beyond its width, and which figures are shown.
REPORT = """<script>
addEventListener("load", () => {
  const seen = () => [...document.querySelectorAll("details")].filter(d => d.offsetHeight).map(d => d.id);
  const told = {width: innerWidth, all: seen()};
  document.querySelectorAll("details").forEach(d => d.open = true);
  told.reach = Math.max(...[...document.querySelectorAll("body *")].map(e => e.getBoundingClientRect().right));
  document.getElementById("only-get").click(); told.get = seen();
  document.getElementById("only-all").click(); document.getElementById("not-green").click(); told.notGreen = seen();
  parent.postMessage(JSON.stringify(told), "*");
});
</script>"""

FRAME = """<iframe src="page.html" style="width: {width}px; height: 800px; border: 0"></iframe><p id="told"></p>
<script>addEventListener("message", e => document.getElementById("told").textContent = e.data);</script>"""


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
    assert re.findall(r'<details id="(\w+)" data-study="(\w+)" data-status="([\w ]+)"', page) == [
        ("fig1", "mixtures", "pass"),
        ("fig2", "gaussian_equivalence", "fail"),
        ("fig3", "gaussian_equivalence", "no applicable check"),
    ]
    assert "1 pass</b>" in page
    assert "1 no applicable check</b>" in page
    assert 'paper: <span class="fail">fail</span>' in page


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
@pytest.mark.parametrize("width", [390, 1280])
def test_in_a_browser(folder, width):
    (folder / "page.html").write_text((folder / "scoreboard.html").read_text() + REPORT)
    (folder / "frame.html").write_text(FRAME.format(width=width))
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"]
    done = subprocess.run([*command, (folder / "frame.html").as_uri()], capture_output=True, text=True, timeout=120)
    told = json.loads(re.search(r'<p id="told">(.*?)</p>', done.stdout)[1])
    assert told["width"] == width
    assert told["reach"] <= width
    assert told["all"] == ["fig1", "fig2", "fig3"]
    assert told["gaussian_equivalence"] == ["fig2", "fig3"]
    assert told["notGreen"] == ["fig2", "fig3"]
