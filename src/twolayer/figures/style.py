"""The style of all figures: widths, fonts, colours, panel letters, and the meaning of lines and marks.

A solid line is theory, or a run without comparison. A dashed or dash-dotted line is a variant of it, and a dotted line
is a bound or a limit. Marks are simulations, with their errors as bars. Hollow marks without bars were read off the
published figure.
"""

import textwrap

import matplotlib
from matplotlib import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

# Widths in inches: one column of a journal, one and a half columns, and the page.
COLUMN, WIDE, PAGE = 3.5, 5.2, 7.2

# The "bright" palette of Paul Tol, whose colours colour-blind readers can distinguish.
BLUE, RED, GREEN, YELLOW = "#4477AA", "#EE6677", "#228833", "#CCBB44"
CYAN, PURPLE, GREY = "#66CCEE", "#AA3377", "#BBBBBB"

READ_OFF = {"linestyle": "none", "fillstyle": "none", "markeredgewidth": 0.6}  # style of published points

SMALL, MEDIUM = 7, 8  # font sizes in points; no text is smaller
_CHARACTER = 0.5 * MEDIUM / 72  # approximate width of a character in inches


_AXES = {
    "axes.linewidth": 0.5,
    "axes.prop_cycle": cycler("color", [BLUE, RED, GREEN, YELLOW, CYAN, PURPLE, GREY]),
    "axes.formatter.use_mathtext": True,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "lines.linewidth": 1.0,
}
_TICKS = {  # ticks inside, on all sides
    "xtick.top": True,
    "ytick.right": True,
    **{
        f"{axis}tick.{setting}": value
        for axis in "xy"
        for setting, value in {
            "direction": "in",
            "major.size": 3.0,
            "major.width": 0.5,
            "minor.size": 1.5,
            "minor.width": 0.5,
            "minor.visible": True,
        }.items()
    },
}
_TEXT = {
    "font.size": MEDIUM,
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "axes.titlesize": MEDIUM,
    "axes.labelsize": MEDIUM,
    "figure.titlesize": MEDIUM,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.title_fontsize": SMALL,
}
_PAGE = {
    "figure.figsize": (COLUMN, 0.75 * COLUMN),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # TrueType, which all publishers accept
    "savefig.pad_inches": 0.05,
}


def use() -> None:
    """Set the style of all figures that Matplotlib draws after this call.

    It starts from Matplotlib's defaults. A `matplotlibrc` of the user does not change the figures.
    """
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(_AXES | _TICKS | _TEXT | _PAGE)


def panels(figure: Figure) -> dict[str, Axes]:
    """Return the panels of a figure by their letters."""
    found = [axes for axes in figure.axes if axes.get_subplotspec() and axes.has_data() and axes.get_label() != _BAR]
    return dict(zip("abcdefghijklmnopqrstuvwxyz", found, strict=False))


def letter_panels(figure: Figure) -> None:
    """Write (a), (b), ... at the upper left corner of the panels, if there are several."""
    lettered = panels(figure)
    if len(lettered) > 1:
        for letter, axes in lettered.items():
            corner = axes.transAxes + ScaledTranslation(-3 / 72, 3 / 72, figure.dpi_scale_trans)
            write = axes.text2D if axes.name == "3d" else axes.text
            write(0, 1, f"({letter})", transform=corner, ha="right", va="bottom", fontsize=MEDIUM)


_BAR = "<colorbar>"  # Matplotlib's label of the axes of a colour bar


def caption(figure: Figure, text: str) -> None:
    """Write a line above the panels, below existing text."""
    lines = textwrap.wrap(text, int(figure.get_figwidth() / _CHARACTER))
    figure.suptitle("\n".join(filter(None, [figure.get_suptitle(), *lines])))
