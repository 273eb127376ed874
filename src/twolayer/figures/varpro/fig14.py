"""Figure 14: variable projection on the circle, concentration of the teacher."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import PUBLISHED, Verdict, among, at_most, ordering
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro.circle import (
    FLOW,
    LAST_ITERATION,
    PUBLISHED_DISTANCES,
    as_mean_field,
    as_published,
    draw_curve,
    equal_heights,
    how_many,
    published_curve,
    starts_as_mean_field,
    starts_as_published,
    within_initial_noise,
)
from twolayer.figures.varpro.descents import (
    COLOURS,
    decimal_ticks,
    legend,
    line,
)

# by concentration of the teacher
_NETWORKS = {10: "circle_gamma10", 100: "circle_ridge1e-4_unbiased", 1000: "circle_gamma1000"}
_STARTS = {10: "circle_start_gamma10", 100: "circle_start_gamma100", 1000: "circle_start_gamma1000"}
_FLOWS = {10: "flow_gamma10", 100: "flow_gamma100", 1000: "flow_gamma1000"}
_START_STYLE = "--"
_PUBLISHED_RISK_AT = {  # iterations before the risk comes to the plateau of single precision
    10: (0, 1000, 5000),
    100: (0, 1000, 5000, 10000),
    1000: (0, 1000, 5000, 10000, 20000, LAST_ITERATION),
}
_MEAN_FIELD_AT = {10: (0, 1000), 100: (0, 1000, 5000), 1000: (0, 1000, 5000)}


def draw(r: Evidence) -> Figure:
    """Risk and distances to the teacher and to the two limits for three concentrations of the teacher."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.4))
    quantities = {"risk": "unbiased risk"} | PUBLISHED_DISTANCES | {"mmd_flow": FLOW}
    for axes, (quantity, name) in zip(panels.flat, quantities.items(), strict=True):
        for (gamma, network), colour in zip(_NETWORKS.items(), COLOURS[:3], strict=True):
            widest, start = (r[name][quantity].isel(width=-1) for name in (network, _STARTS[gamma]))
            draw_curve(axes, r, widest, colour)
            if not published_curve(r, widest):
                draw_curve(axes, r, start, colour, linestyle=_START_STYLE)
            if quantity == "risk":
                limit = r[_FLOWS[gamma]].risk.sel(ridge=1e-4, regularization="unbiased")
                line(axes, limit, color="black", linestyle=":")
        axes.set(xlabel="iteration", ylabel=name, yscale="log", xscale="linear" if quantity == "risk" else "log")
        if quantity != "risk":
            decimal_ticks(axes)
    equal_heights(*panels[1])
    panels[0, 0].set_ylim(bottom=1e-9)
    handles = [
        Line2D([], [], color=colour, label=rf"$\gamma = {gamma}$")
        for gamma, colour in zip(_NETWORKS, COLOURS[:3], strict=True)
    ]
    lines = {":": "mean field", "-": _size(r["circle_gamma10"])}
    if not published_curve(r, r["circle_gamma10"].risk.isel(width=-1)):
        lines[_START_STYLE] = _size(r["circle_start_gamma10"])
    handles += [Line2D([], [], color="black", linestyle=style, label=label) for style, label in lines.items()]
    legend(figure, handles)
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """Risk and distances are the published ones, and wide networks follow the mean field."""
    paper, published = r.at("paper"), r["published"]
    for gamma, name in _NETWORKS.items():
        yield as_published(
            paper[name].risk.sel(width=1024),
            published.risk,
            f"gamma {gamma}, risk, against the published curve",
            iterations=_PUBLISHED_RISK_AT[gamma],
        )
    for (quantity, distance), name in product(PUBLISHED_DISTANCES.items(), _NETWORKS.values()):
        yield as_published(
            paper[name][quantity].sel(width=1024),
            published[quantity],
            f"{name}: {distance}, against the published curve",
        )
    yield from _start(r)
    for gamma in (10, 100):
        yield at_most(
            among(paper[_NETWORKS[gamma]].risk.sel(width=1024), iteration=(20000, LAST_ITERATION)),
            published.risk,
            f"{_NETWORKS[gamma]}: risk at the end below the published plateau",
            tolerance=1e-9,
            source="published curve, whose plateau is the rounding of single precision",
            compared=PUBLISHED,
        )
    for name in _NETWORKS.values():
        yield within_initial_noise(paper[name], f"{name}: {FLOW} within the initial noise")
    for gamma, iterations in _MEAN_FIELD_AT.items():
        yield as_mean_field(
            paper[_NETWORKS[gamma]], paper[_FLOWS[gamma]], f"gamma {gamma}, risk against the mean field", iterations
        )


def _start(r):
    """The first iterations, which both presets have: published curves, mean field, and the order of the risks."""
    for quantity, (gamma, name) in product(("risk", *PUBLISHED_DISTANCES), _STARTS.items()):
        title = f"gamma {gamma}, {quantity} at the start against the published curve"
        yield starts_as_published(r, name, quantity, title, width=1024)
    for gamma, name in _STARTS.items():
        title = f"gamma {gamma}, risk at the start against the mean field"
        yield starts_as_mean_field(r[name], r[_FLOWS[gamma]], title)
        yield within_initial_noise(r[name], f"gamma {gamma}, {FLOW} at the start within the initial noise")
    for smaller, larger in ((10, 100), (100, 1000)):
        above, below = (r[_STARTS[gamma]].risk.sel(width=1024, drop=True) for gamma in (larger, smaller))
        yield ordering(
            above,
            below,
            f"the risk is larger at gamma {larger} than at gamma {smaller}",
            source="the paper's claim, at every iteration of the start; six networks with the same random numbers",
        )


def _size(networks):
    """Width and number of the networks, as the legend has them."""
    return f"$M = {int(networks.width[-1])}$, {how_many(networks)}"
