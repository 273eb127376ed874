"""Figure 12: two-timescale descent against variable projection."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import Check, main
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro import circle, descents

_QUANTITIES = {"risk": "risk"} | circle.PUBLISHED_DISTANCES
_STEEP = 2e-3  # ridges below this have a steep part of the published path, which is simplified


def draw(r: Evidence) -> Figure:
    """Draw risk and distances of two-timescale descent and variable projection, with one row for each ridge."""
    ridges = _ridges(r)
    size = (PAGE, 0.2 + 2 * len(ridges))
    figure, panels = plt.subplots(len(ridges), 3, figsize=size, sharex="col", sharey="col", squeeze=False)
    for row, ridge in zip(panels, ridges, strict=True):
        pairs = (
            (r[_projected(r, ridge)], r["published"], "-"),
            (r[_two_timescale(r, ridge)], r["published_two_timescale"], "--"),
        )
        for axes, (quantity, name) in zip(row, _QUANTITIES.items(), strict=True):
            for networks, published, style in pairs:
                for width, colour in zip(networks.width.values, descents.COLOURS, strict=False):
                    curve = networks[quantity].isel(seed=0, drop=True).sel(width=width)
                    descents.line(axes, curve, color=colour, linestyle=style)
                    descents.published_points(axes, published[quantity], curve, colour, "published, seed 0")
            axes.set(yscale="log", ylabel="unbiased risk" if quantity == "risk" else name)
            if quantity != "risk":
                descents.decimal_ticks(axes)
            axes.set_title(rf"$\lambda = {descents.power_of_ten(ridge)}$")
    for axes, scale in zip(panels[-1], ("linear", "linear", "log"), strict=True):
        axes.set(xlabel="iteration", xscale=scale)
    names = zip(("variable projection", "two-timescale descent"), ("-", "--"), strict=True)
    handles = [Line2D([], [], color="black", linestyle=style, label=name) for name, style in names]
    descents.legend(figure, [*descents.width_handles(networks.width.values), *handles])
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that both descents follow the published curves of their first seed."""
    for (quantity, words), ridge in product(_QUANTITIES.items(), _ridges(r)):
        yield circle.as_published(
            _fast(r, ridge)[quantity],
            r["published"][quantity],
            f"ridge {ridge:g}, variable projection, {words}, against the published curves",
            source=circle.FIRST_SEED,
        )
    for (quantity, words), ridge in product(_QUANTITIES.items(), _ridges(r)):
        steep = {
            "tolerance": 0.04,
            "source": f"{circle.FIRST_SEED}; the steep part of its path is simplified to a few percent",
        }
        yield circle.as_published(
            _slow(r, ridge)[quantity],
            r["published_two_timescale"][quantity],
            f"ridge {ridge:g}, two-timescale, {words}, against the published curves",
            **(steep if ridge < _STEEP else {"source": circle.FIRST_SEED}),
        )
    yield main(
        circle.on_average(
            _for_all_ridges(r),
            r["published_two_timescale"].risk,
            "two-timescale, risk for all ridges, against the published curves, on average",
        )
    )


def _ridges(r):
    """Return the ridges of the two-timescale descent, the largest first."""
    return sorted({point["ridge"] for point, _ in r.grid("circle_two_timescale")}, reverse=True)


def _projected(r, ridge):
    """Return the networks with variable projection."""
    return r.name_of("circle", ridge=ridge, regularization="unbiased")


def _two_timescale(r, ridge):
    """Return the networks with two-timescale descent."""
    return r.name_of("circle_two_timescale", ridge=ridge)


def _fast(r, ridge):
    """Return the first network of each width with variable projection, if it has the paper's parameters."""
    name = _projected(r, ridge)
    return circle.of_paper(r, name)[name].isel(seed=0, drop=True)


def _slow(r, ridge):
    """Return the first network of each width with two-timescale descent, if it has the paper's parameters."""
    name = _two_timescale(r, ridge)
    return circle.of_paper(r, name, algorithm="two_timescale")[name].isel(seed=0, drop=True)


def _for_all_ridges(r):
    """Return the risk of the first networks with two-timescale descent for all ridges."""
    curves = [_slow(r, ridge).risk for ridge in _ridges(r)]
    absent = next((curve for curve in curves if isinstance(curve, Absent)), None)
    return absent or xr.concat(curves, "ridge")
