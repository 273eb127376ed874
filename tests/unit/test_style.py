"""All figures look alike: their widths, fonts and colours come from one module."""

import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from twolayer.figures import style

FIGURES = Path(style.__file__).parent
MODULES = sorted(FIGURES.rglob("*.py"))


@pytest.fixture
def panels():
    with plt.rc_context():
        style.use()
        figure, axes = plt.subplots(1, 2, figsize=(style.PAGE, 2))
        for panel in axes:
            panel.plot([0, 1], [1, 2])
        yield figure
        plt.close(figure)


@pytest.mark.slow
def test_fonts_are_true_type_and_not_small(panels):
    pdf = BytesIO()
    panels.axes[0].set_xlabel(r"$\lambda$ of a label")
    panels.savefig(pdf, format="pdf")
    assert b"/Type3" not in pdf.getvalue()
    assert b"/TrueType" in pdf.getvalue() or b"/CIDFontType2" in pdf.getvalue()
    sizes = [label.get_fontsize() for axes in panels.axes for label in axes.get_xticklabels()]
    assert min(sizes) >= style.SMALL


def test_panels_have_letters_but_not_a_single_one(panels):
    style.letter_panels(panels)
    assert [axes.texts[0].get_text() for axes in panels.axes] == ["(a)", "(b)"]
    alone, axes = plt.subplots()
    axes.plot([0, 1])
    style.letter_panels(alone)
    assert not axes.texts


def test_a_bar_of_colours_and_an_empty_panel_have_no_letter():
    figure, (left, _, right) = plt.subplots(1, 3)
    figure.colorbar(left.imshow([[0, 1]]), ax=left)
    right.plot([0, 1])
    style.letter_panels(figure)
    assert [[text.get_text() for text in axes.texts] for axes in figure.axes] == [["(a)"], [], ["(b)"], []]


def test_a_caption_comes_below_what_stands_there_and_fits_the_width(panels):
    title = panels.suptitle("title")
    style.caption(panels, "word " * 60)
    assert panels.get_suptitle().startswith("title\nword")
    panels.draw_without_rendering()
    assert title.get_window_extent().width < panels.bbox.width


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_figure_takes_width_fonts_and_colours_from_there(path):
    code = re.sub(r"(?ms)^def \w*animation.*?(?=^def |\Z)", "", path.read_text())  # animations are for the screen
    assert set(re.findall(r"figsize=\((\w+)", code)) <= {"COLUMN", "WIDE", "PAGE"}
    if path.name != "style.py":
        assert "fontsize" not in code
        assert not re.search(r"#[0-9A-Fa-f]{6}", code)


MATPLOTLIBRC = """figure.facecolor: black
axes.facecolor: black
axes.labelcolor: white
savefig.facecolor: red
savefig.dpi: 30
lines.linewidth: 5
image.cmap: hot
font.size: 20
text.usetex: True
"""
SETTINGS = """import hashlib
from io import BytesIO

import matplotlib
from matplotlib import pyplot

from twolayer.figures import style
from twolayer.pipeline.report import drawings

style.use()
figure, axes = pyplot.subplots(figsize=(style.COLUMN, 2))
axes.plot([1, 2, 3], [1, 10, 100], label="$x^2$")
axes.set_yscale("log")
axes.legend()
print(hashlib.sha256(drawings.raster(figure, 100).tobytes()).hexdigest())
print({name: value for name, value in matplotlib.rcParams.items() if name != "backend"})
"""


@pytest.mark.slow
def test_settings_of_the_user_do_not_change_the_figures(tmp_path):
    """Settings in the current folder and in a file that the environment names are ignored."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "matplotlibrc").write_text(MATPLOTLIBRC)
    environment = {name: value for name, value in os.environ.items() if name != "MATPLOTLIBRC"}
    drawn = set()
    for folder, named in (("empty", {}), (".", {}), ("empty", {"MATPLOTLIBRC": str(tmp_path)})):
        paths = named | {"PYTHONPATH": str(FIGURES.parents[1])}
        command = [sys.executable, "-c", SETTINGS]
        drawn.add(subprocess.check_output(command, cwd=tmp_path / folder, env=environment | paths, text=True))
    assert len(drawn) == 1


def test_the_style_needs_no_other_package():
    """SciencePlots 2.2 fails with Matplotlib 3.13."""
    assert not [path for path in MODULES if "scienceplots" in path.read_text().lower()]
    assert "scienceplots" not in (FIGURES.parents[2] / "pyproject.toml").read_text().lower()
