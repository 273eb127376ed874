"""Phase diagrams of online learning."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from twolayer.figures.applicable import Maybe, finite, scattered, selected
from twolayer.figures.averages import median_with_error
from twolayer.figures.checks import PUBLISHED, THEORY, Check, at_most, main, ordering, relative
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.numbers import in_words
from twolayer.figures.style import BLUE, PAGE

KEPT = "the theory of the plateau is for a second layer that is kept: set train_second_layer to false"
NEVER, ALWAYS = "no run leaves the plateau in theory", "all runs may leave the plateau in theory"
NEEDED = 4  # hidden units, one for each cluster of the XOR mixture
TIMES = 2  # smallest ratio between the success rates of the widest networks and of networks of this width
# parameters of the paper's mixture and students
XOR = {"geometry__shape": "circle", "geometry__clusters_per_class": 2}
PAPER = {
    "sigma": 0.2236068,
    "student__activation": "relu",
    "student__scale": 0.1,
    "schedule__weight_decay": 0.01,
    **XOR,
}
ROUNDING = 1e-9  # rounding error of a rate
# A choice: the relative difference that the end of exponential growth causes, which no linear equation contains.
GROWTH = 0.1
UNHEARD_OF = 1e-9  # probability of a run at a time that counts as zero; a map has less than a million of these


def diagram(r: Evidence, family: str, row: str) -> xr.Dataset:
    """Return the rows of a map as one dataset; `row` is the parameter of the grid, `value` varies along each row."""
    points = sorted(r.grid(family), key=lambda entry: entry[0][row])
    values = xr.DataArray([float(point[row]) for point, _ in points], dims=row, name=row)
    return xr.concat([result for _, result in points], values).sortby("value")


def draw(r: Evidence) -> Figure:
    """Draw success and error against width and learning rate, and escape from the plateau against noise and learning
    rate.
    """
    width, escape = diagram(r, "width_rate", "hidden_units"), diagram(r, "plateau", "sigma")
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.6))
    rate = width.success.mean("seed")
    _map(panels[0, 0], rate, "rate of success", vmin=0, vmax=1)
    _contour(panels[0, 0], rate, 0.5, "white")
    _map(panels[0, 1], width.class_error.mean("seed"), "class error in the end")
    for axes in panels[0]:
        axes.set(xlabel="learning rate", ylabel="hidden units $K$")
    times = escape.escape_time.median("seed")
    times = times.where(np.isfinite(times) & (times > 0))
    name, some = "time on the plateau, median", bool(times.notnull().any())
    _map(panels[1, 0], times, name if some else f"{name} (none ends)", norm=LogNorm() if some else None)
    if "escape_rate" in escape:
        _contour(panels[1, 0], escape.escape_rate.where(np.isfinite(escape.escape_rate)), 0, "black")
    panels[1, 0].set(xlabel="learning rate", ylabel=r"noise $\sigma$", title="black: escape rate zero in theory")
    _comparison(panels[1, 1], escape)
    return figure


def _map(axes: Axes, values: xr.DataArray, name: str, **options) -> None:
    """Draw a map of values, with its second dimension to the right."""
    mesh = axes.pcolormesh(values.value, values[values.dims[0]], values, shading="nearest", **options)
    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.figure.colorbar(mesh, ax=axes, label=name)


def _contour(axes: Axes, values: xr.DataArray, level: float, colour: str) -> None:
    if min(values.shape) > 1 and float(values.min()) < level < float(values.max()):
        axes.contour(values.value, values[values.dims[0]], values, levels=[level], colors=colour)


def _comparison(axes: Axes, escape: xr.Dataset) -> None:
    """Draw simulated times on the plateau against theory."""
    axes.set(xscale="log", yscale="log", xlabel="time on the plateau in theory", ylabel="in simulation, median")
    if "median_escape_time" not in escape:
        return
    seen, expected = _times(escape)
    if not (seen.notnull() & (seen > 0)).any():
        axes.set(xscale="linear", yscale="linear", title="no run leaves the plateau")
        return
    axes.scatter(expected, seen, s=8, color=BLUE, alpha=0.5, linewidth=0, rasterized=True)
    ends = [float(expected.min()), float(expected.max())]
    axes.plot(ends, ends, color="black", linewidth=0.8)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())


def _times(escape: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """Return median simulated and expected times on the plateau, where every run and theory leave it."""
    all_leave = np.isfinite(escape.escape_time).all("seed") & np.isfinite(escape.median_escape_time)
    return tuple(one.where(all_leave) for one in (escape.escape_time.median("seed"), escape.median_escape_time))


def _success(rate: xr.DataArray, *hidden_units: int) -> tuple[Maybe, Maybe]:
    """Return rates of success of two widths; absent if there is no such width, or if no rate varies over the seeds."""
    one, other = (selected(rate, hidden_units=number) for number in hidden_units)
    for rates in (one, other):
        if isinstance(rates, Absent):
            return rates, rates
    absent = scattered(other - one, "the difference of the rates of success")
    return (absent, absent) if isinstance(absent, Absent) else (one, other)


def _escape_ratio(escape: xr.Dataset) -> Maybe:
    """Return simulated over expected time on the plateau, median over all runs that leave it in theory.

    Runs with the same learning rate and the same seed have the same random numbers at all noise levels, so that only
    one of them counts for the error.
    """
    if "median_escape_time" not in escape:
        return Absent(KEPT)
    ratio = (escape.escape_time / escape.median_escape_time).where(np.isfinite(escape.median_escape_time))
    ratio = ratio.median("sigma")
    leaving = ratio.values[ratio.notnull().values]
    return median_with_error(leaving, "escape_ratio") if leaving.size else Absent(NEVER)


def _impossible_escapes(escape: xr.Dataset) -> Maybe:
    """Return the fraction of the runs that leave the plateau although this has no chance in theory."""
    if "escape_probability" not in escape:
        return Absent(KEPT)
    escaped = np.isfinite(escape.escape_time).where(escape.escape_probability < UNHEARD_OF)
    return finite(escaped.mean("seed"), ALWAYS)


def checks(r: Evidence) -> Iterator[Check]:
    """Check that more units succeed more often, and that escapes from the plateau agree with its linear stability."""
    yield from _width_checks(r)
    yield from _escape_checks(diagram(r, "plateau", "sigma"))


def _width_checks(r: Evidence) -> Iterator[Check]:
    rate = diagram(r, "width_rate", "hidden_units").success.mean("value")
    widths = sorted(rate.hidden_units.values.astype(int).tolist())
    if (few := widths[0]) < NEEDED:
        xor = r.with_parameters(r.names("width_rate")[0], "four half-planes are for", **XOR)
        yield at_most(
            rate.mean("seed").sel(hidden_units=few) if xor is r else xor,
            0,
            f"{in_words(few)} hidden units never succeed",
            tolerance=ROUNDING,
            source="four clusters need four half-planes",
            compared=THEORY,
        )
    published = r
    for name in r.names("width_rate"):
        published = published.as_published(name, **PAPER)
    enough = [units for units in widths if units >= NEEDED]
    least, most = (enough[0], enough[-1]) if len(enough) > 1 else (NEEDED, widths[-1])
    above, below = _success(rate, most, least)
    yield ordering(
        above if published is r else published,
        below,
        f"{in_words(most)} hidden units succeed more often than {in_words(least)}, over all learning rates",
        source=f"the paper's claim; at least {TIMES} times as often",
        compared=PUBLISHED,
        stated=TIMES - 1.0,
    )


def _escape_checks(escape: xr.Dataset) -> Iterator[Check]:
    yield main(
        relative(
            _escape_ratio(escape),
            1,
            "time on the plateau in simulation over theory, median of the runs",
            tolerance=GROWTH,
            source="equations linearised at the plateau, with the noise of SGD; the tolerance is a choice, since "
            "growth ceases to be exponential before a run has left the plateau",
        )
    )
    yield at_most(
        _impossible_escapes(escape),
        0,
        "no run leaves the plateau where theory gives that no chance",
        tolerance=ROUNDING,
        source=f"equations linearised at the plateau: less than {UNHEARD_OF:g} at any time",
        compared=THEORY,
    )
