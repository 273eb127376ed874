"""How curves along a descent are drawn, with the published ones."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from twolayer.figures.style import BLUE, GREEN, READ_OFF, RED, YELLOW

COLOURS = (BLUE, GREEN, YELLOW, RED)
REGULARIZATIONS = ("biased", "unbiased")
STYLES = {"unbiased": "-", "biased": "--"}
TEACHER = "distance to the teacher"
_MOST = 12  # published points that are drawn, about
POINTS = {"marker": "o", **READ_OFF}


def line(axes: Axes, curve: xr.DataArray, **style) -> None:
    """The mean over seeds, where there are seeds, from the first iteration that a logarithmic axis can show."""
    mean = curve.mean("seed") if "seed" in curve.dims else curve
    axes.plot(mean.iteration[1:], mean[1:], linewidth=0.9, **style)


def published_points(
    axes: Axes, published: xr.DataArray, ours: xr.DataArray, colour: str, name: str = "published"
) -> None:
    """Some points of the published curve that belongs to ours, as far as ours goes; the legend calls them by `name`."""
    place = {name: ours[name].item() for name in published.dims if name != "iteration"}
    points = published.sel(place).dropna("iteration").sel(iteration=slice(1, int(ours.iteration[-1])))
    points = points[:: -max(1, len(points) // _MOST)]  # with the last one
    axes.plot(points.iteration, points, color=colour, markersize=2.2, gid=name, **POINTS)


def width_handles(widths) -> list[Line2D]:
    """Legend entries of the widths M."""
    return [
        Line2D([], [], color=colour, label=f"$M = {width}$") for width, colour in zip(widths, COLOURS, strict=False)
    ]


def style_handles() -> list[Line2D]:
    """Legend entries of the two regularisations."""
    return [Line2D([], [], color="black", linestyle=style, label=name) for name, style in STYLES.items()]


def decimal_ticks(axes: Axes) -> None:
    """0.01, 0.02, 0.05, ... on a logarithmic axis that spans one or two decades."""
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def legend(figure: Figure, handles) -> None:
    """One legend below all panels, with the published points where some were drawn."""
    names = dict.fromkeys(line.get_gid() for axes in figure.axes for line in axes.lines if line.get_gid())
    published = [Line2D([], [], color="black", markersize=3, label=name, **POINTS) for name in names]
    figure.legend(handles=[*handles, *published], loc="outside lower center", ncols=4)


def power_of_ten(value: float) -> str:
    """A power of ten in the notation of TeX."""
    return f"10^{{{round(np.log10(value))}}}"
