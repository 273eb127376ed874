"""Curves along a descent, with published curves."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from twolayer.figures.checks import Check, ordering
from twolayer.figures.evidence import Absent
from twolayer.figures.style import BLUE, GREEN, READ_OFF, RED, YELLOW

COLOURS = (BLUE, GREEN, YELLOW, RED)
REGULARIZATIONS = ("biased", "unbiased")
STYLES = {"unbiased": "-", "biased": "--"}
TEACHER = "distance to the teacher"
_LEAST = 1 / 3  # smallest fraction of a published difference that must be found here
_MOST = 12  # approximate number of published points that are drawn
POINTS = {"marker": "o", **READ_OFF}


def line(axes: Axes, curve: xr.DataArray, **style) -> None:
    """Draw the mean over seeds, if there are seeds, from the first iteration that a logarithmic axis can show."""
    mean = curve.mean("seed") if "seed" in curve.dims else curve
    axes.plot(mean.iteration[1:], mean[1:], linewidth=0.9, **style)


def where_published(
    curve: xr.DataArray | Absent, published: xr.DataArray, *, but: tuple[str, ...] = ()
) -> xr.DataArray | Absent:
    """Return the curve, or an absent value if none was published with the parameters among its coordinates.

    Args:
        but: coordinates that may have any value.
    """
    if isinstance(curve, Absent):
        return curve
    here = {name: value for name, value in _place(curve, published).items() if name not in but}
    for name, value in here.items():
        if value not in published[name].values:
            paper = ", ".join(str(known) for known in published[name].values)
            return Absent(f"{name} is {value}, the paper has {paper}")
    if not published.sel(here).notnull().any():
        return Absent("no published curve has all of " + ", ".join(f"{name} {value}" for name, value in here.items()))
    return curve


def _place(curve, published):
    """Return the coordinates of a published table for which a curve has a single value."""
    return {name: curve[name].item() for name in published.dims if name in curve.coords and not curve[name].ndim}


def published_of(published: xr.DataArray, curve: xr.DataArray | xr.Dataset) -> xr.DataArray:
    """Return the published curve with a network's width and parameters, or of the widest networks if there is none."""
    here = {name: value for name, value in _place(curve, published).items() if name != "width"}
    there = published.sel(here).dropna("width", how="all")
    known = "width" in curve.coords and int(curve.width) in there.width.values
    return there.sel(width=int(curve.width)) if known else there.isel(width=-1)


def ends_below(
    lower: xr.DataArray | Absent,
    upper: xr.DataArray | Absent,
    published: xr.DataArray,
    title: str,
    *,
    spread: float = 0.0,
) -> Check:
    """Check that one curve ends below another, by at least a fraction of the published difference at that iteration.

    Pairs of networks have the same random numbers.

    Args:
        spread: relative difference of two single runs by chance.
    """
    lower, upper = (where_published(curve, published, but=("width",)) for curve in (lower, upper))
    least = _published_difference(lower, upper, published)
    absent = next((one for one in (lower, upper, least) if isinstance(one, Absent)), None)
    return ordering(
        absent or upper.isel(iteration=-1),
        lower.isel(iteration=-1),
        title,
        stated=0.0 if absent else max(_LEAST * least, spread),
        source="the paper's claim, by at least a third of the published difference, and by more than "
        "single runs differ by chance",
    )


def _published_difference(lower, upper, published):
    """Return the relative difference of two published curves at the last iteration of ours."""
    if isinstance(lower, Absent) or isinstance(upper, Absent):
        return 0.0
    last = int(upper.iteration[-1])
    if last not in published.iteration:
        return Absent(f"the last iteration is {last}, for which there is no published value")
    known = [published_of(published, curve) for curve in (lower, upper)]
    if any(int(one.width) != int(curve.width) for one, curve in zip(known, (lower, upper), strict=True)):
        if int(lower.width) != int(upper.width):
            return Absent(f"no curve was published of width {int(lower.width)} or of width {int(upper.width)}")
        known = [published_of(published, curve.drop_vars("width")) for curve in (lower, upper)]
    below, above = (float(one.sel(iteration=last)) for one in known)
    return above / below - 1 if above > below else Absent("the published curves have another order there")


def published_points(
    axes: Axes, published: xr.DataArray, ours: xr.DataArray, colour: str, name: str = "published"
) -> None:
    """Draw some points of the published curve over the range of ours; the legend has them as `name`."""
    if isinstance(where_published(ours, published), Absent):
        return
    points = published.sel(_place(ours, published)).dropna("iteration").sel(iteration=slice(1, int(ours.iteration[-1])))
    points = points[:: -max(1, len(points) // _MOST)]  # includes the last point
    axes.plot(points.iteration, points, color=colour, markersize=2.2, gid=name, **POINTS)


def draw_vertices(axes: Axes, published: xr.Dataset, colour) -> None:
    """Draw every tenth vertex of a published density, its angles and values."""
    some = published.isel(vertex=slice(None, None, 10))
    axes.plot(some.angle, some.density, color=colour, markersize=2.5, gid="published", **POINTS)


def at_vertices(densities: xr.DataArray | Absent, angles: xr.DataArray) -> xr.DataArray | Absent:
    """Return densities on the circle at the angles (..., vertex) of published curves, linear between grid points."""
    if isinstance(densities, Absent):
        return densities
    return xr.apply_ufunc(
        partial(np.interp, period=2 * np.pi),
        angles,
        densities.angle,
        densities,
        input_core_dims=[["vertex"], ["angle"], ["angle"]],
        output_core_dims=[["vertex"]],
        vectorize=True,
        join="inner",
    )


def width_handles(widths) -> list[Line2D]:
    """Return legend entries of the widths M."""
    return [
        Line2D([], [], color=colour, label=f"$M = {width}$") for width, colour in zip(widths, COLOURS, strict=False)
    ]


def style_handles() -> list[Line2D]:
    """Return legend entries of the two regularisations."""
    return [Line2D([], [], color="black", linestyle=style, label=name) for name, style in STYLES.items()]


def decimal_ticks(axes: Axes) -> None:
    """Set ticks at 0.01, 0.02, 0.05, ... on a logarithmic axis that spans one or two decades."""
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def legend(figure: Figure, handles) -> None:
    """Add one legend below all panels, with the published points if some were drawn."""
    names = dict.fromkeys(line.get_gid() for axes in figure.axes for line in axes.lines if line.get_gid())
    published = [Line2D([], [], color="black", markersize=3, label=name, **POINTS) for name in names]
    figure.legend(handles=[*handles, *published], loc="outside lower center", ncols=4)


def power_of_ten(value: float) -> str:
    """Return a power of ten in the notation of TeX, or another number in digits."""
    exponent = round(np.log10(value))
    return f"10^{{{exponent}}}" if np.isclose(value, 10.0**exponent) else f"{value:g}"
