"""Figure 8: variable projection on the circle, width and risk."""

from collections.abc import Iterator
from itertools import pairwise

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import Check, falling, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro import circle, descents


def draw(r: Evidence) -> Figure:
    """Draw the reduced risk along the descent for several widths, biased and unbiased, and its mean-field limit."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    for axes, regularization in zip(panels, descents.REGULARIZATIONS, strict=True):
        networks = r.find("circle", regularization=regularization)
        circle.width_curves(axes, r, networks.risk)
        circle.draw_flow(axes, r["flow_gamma100"], networks)
        axes.set(
            xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log", title=circle.how_many(networks)
        )
    panels[0].set_xscale("log")
    descents.decimal_ticks(panels[0])
    limit = Line2D([], [], color="black", linestyle=":", label=r"mean field, $M = N = \infty$")
    descents.legend(figure, [*descents.width_handles(networks.width.values), limit])
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the risk with published values, check that it falls, and compare wide networks with the mean field."""
    names = {name: r.name_of("circle", regularization=name) for name in descents.REGULARIZATIONS}
    yield from _as_published(r, names)
    for name in names.values():
        yield falling(
            r[name].risk,
            "iteration",
            f"{circle.place(r[name])}: risk falls along the descent",
            tolerance=1e-9,
            source="gradient descent with a small step; the tolerance is rounding",
        )
    ends = circle.to_order(r, "unbiased").risk
    for narrow, wide in pairwise(r[names["unbiased"]].width.values):
        lower, upper = (ends.sel(width=width) for width in (wide, narrow))
        title = f"unbiased risk at the end, width {wide} below width {narrow}"
        yield descents.ends_below(lower, upper, r["published"].risk, title)
    flow = r["flow_gamma100"]
    for regularization, name in names.items():
        yield circle.as_mean_field(
            r.at("paper")[name],
            circle.flow_of(flow, r[name]),
            f"{circle.place(r[name])}: risk of the widest networks against the mean field",
            (0, 1000, 5000),
        )
        start = r.find("circle_start", regularization=regularization)
        title = f"{circle.place(start)}, at the start: risk of the widest networks against the mean field"
        yield circle.starts_as_mean_field(start, circle.flow_of(flow, start), title)


def _as_published(r, names):
    """Compare the risk with the published curves: means of six networks, the first network, and the start of all
    six."""
    paper, published = r.at("paper"), r["published"].risk
    biased, unbiased = (circle.of_paper(paper, names[name])[names[name]].risk for name in descents.REGULARIZATIONS)
    yield circle.as_published(
        biased,
        published,
        "biased risk against the published curves",
        iterations=(1000, 5000, 10000, 20000, 32000),
    )
    yield circle.as_published(
        unbiased,
        published,
        "unbiased risk against the published curves",
        iterations=(0, 1000, 5000, 10000, 20000),
    )
    yield circle.as_published(
        unbiased,
        published,
        "unbiased risk at the end against the published curves",
        iterations=(32000,),
        tolerance=0.05,
        source="published curve, mean over seeds 0 to 5; its single precision adds a few percent at 1e-7",
    )
    first = names["unbiased"]
    title = "unbiased risk of the first networks against the published curves"
    yield circle.as_first_seed(r, first, "risk", title)
    yield main(
        circle.on_average(
            circle.of_paper(r, first)[first].risk.isel(seed=0, drop=True),
            r["published_seed0"].risk,
            f"{title}, on average",
        )
    )
    for regularization in descents.REGULARIZATIONS:
        title = f"{regularization} risk at the start against the published curves"
        yield circle.starts_as_published(r, r.name_of("circle_start", regularization=regularization), "risk", title)
