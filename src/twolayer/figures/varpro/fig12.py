"""Figure 12: two-timescale descent against variable projection."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro.circle import FIRST_SEED, PUBLISHED_DISTANCES, RIDGES, as_published
from twolayer.figures.varpro.descents import (
    COLOURS,
    decimal_ticks,
    legend,
    line,
    power_of_ten,
    published_points,
    width_handles,
)

_RIDGES = (1e-1, 1e-2, 1e-3)
_QUANTITIES = {"risk": "risk"} | PUBLISHED_DISTANCES


def draw(r: Evidence) -> Figure:
    """Two-timescale descent against variable projection: risk and distances, one row a ridge."""
    figure, panels = plt.subplots(3, 3, figsize=(PAGE, 6.2), sharex="col", sharey="col")
    for row, ridge in zip(panels, _RIDGES, strict=True):
        pairs = (
            (_projected(r, ridge), r["published"], "-"),
            (_two_timescale(r, ridge), r["published_two_timescale"], "--"),
        )
        for axes, (quantity, name) in zip(row, _QUANTITIES.items(), strict=True):
            for network, published, style in pairs:
                for width, colour in zip(network.width.values, COLOURS, strict=False):
                    curve = network[quantity].sel(width=width)
                    line(axes, curve, color=colour, linestyle=style)
                    published_points(axes, published[quantity], curve, colour, "published, seed 0")
            axes.set(yscale="log", ylabel="unbiased risk" if quantity == "risk" else name)
            if quantity != "risk":
                decimal_ticks(axes)
            axes.set_title(rf"$\lambda = {power_of_ten(ridge)}$")
    for axes, scale in zip(panels[-1], ("linear", "linear", "log"), strict=True):
        axes.set(xlabel="iteration", xscale=scale)
    names = zip(("variable projection", "two-timescale descent"), ("-", "--"), strict=True)
    handles = [Line2D([], [], color="black", linestyle=style, label=name) for name, style in names]
    legend(figure, [*width_handles(network.width.values), *handles])
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """Both descents follow the published curves of their first seed."""
    for (quantity, name), ridge in product(_QUANTITIES.items(), _RIDGES):
        yield as_published(
            _projected(r, ridge)[quantity],
            r["published"][quantity],
            f"circle_ridge{RIDGES[ridge]}_unbiased: variable projection, {name}, against the published curves",
            source=FIRST_SEED,
        )
    for (quantity, name), ridge in product(_QUANTITIES.items(), _RIDGES[:2]):
        yield as_published(
            _two_timescale(r, ridge)[quantity],
            r["published_two_timescale"][quantity],
            f"circle_two_timescale_ridge{RIDGES[ridge]}: two-timescale, {name}, against the published curves",
            source=FIRST_SEED,
        )
    for quantity, name in _QUANTITIES.items():
        yield as_published(
            _two_timescale(r, 1e-3)[quantity],
            r["published_two_timescale"][quantity],
            f"ridge 0.001, two-timescale, {name}, against the published curves",
            tolerance=0.04,
            source=f"{FIRST_SEED}; where it is steep, its path is simplified to some per cent",
        )


def _projected(r, ridge):
    """Networks of the first seed under variable projection."""
    return r.find("circle", ridge=ridge, regularization="unbiased").sel(seed=0, drop=True)


def _two_timescale(r, ridge):
    """The same under two-timescale descent."""
    return r.find("circle_two_timescale", ridge=ridge).sel(seed=0, drop=True)
