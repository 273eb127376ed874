"""Figure 8: variable projection on the circle, width and risk."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import PUBLISHED, Verdict, falling
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro.circle import (
    LAST_ITERATION,
    as_first_seed,
    as_mean_field,
    as_published,
    how_many,
    starts_as_mean_field,
    starts_as_published,
    width_curves,
)
from twolayer.figures.varpro.descents import REGULARIZATIONS, decimal_ticks, legend, line, width_handles


def draw(r: Evidence) -> Figure:
    """Reduced risk along the descent for several widths, biased and unbiased, and its mean-field limit."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    for axes, regularization in zip(panels, REGULARIZATIONS, strict=True):
        networks = r.find("circle", ridge=1e-3, regularization=regularization)
        width_curves(axes, r, networks.risk)
        limit = r["flow_gamma100"].risk.sel(ridge=1e-3, regularization=regularization)
        line(axes, limit, color="black", linestyle=":")
        axes.set(xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log", title=how_many(networks))
    panels[0].set_xscale("log")
    decimal_ticks(panels[0])
    limit = Line2D([], [], color="black", linestyle=":", label=r"mean field, $M = N = \infty$")
    legend(figure, [*width_handles(networks.width.values), limit])
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The risk is the published one, falls along the descent, and is that of the mean field for wide networks."""
    yield from _as_published(r)
    for regularization in REGULARIZATIONS:
        yield falling(
            r.find("circle", ridge=1e-3, regularization=regularization).risk,
            "iteration",
            f"circle_ridge1e-3_{regularization}: risk falls along the descent",
            tolerance=1e-9,
            source="gradient descent with a small step; the tolerance is rounding",
        )
    yield falling(
        r.find("circle", ridge=1e-3, regularization="unbiased").risk.sel(iteration=LAST_ITERATION),
        "width",
        "unbiased risk at the end, falling in the width",
        tolerance=1e-9,
        source="the paper's claim",
        compared=PUBLISHED,
    )
    flow = r["flow_gamma100"]
    for regularization in REGULARIZATIONS:
        yield as_mean_field(
            r.at("paper").find("circle", ridge=1e-3, regularization=regularization),
            flow,
            f"circle_ridge1e-3_{regularization}: risk of the widest networks against the mean field",
            (0, 1000, 5000),
        )
        name = f"circle_start_{regularization}"
        yield starts_as_mean_field(r[name], flow, f"{name}: risk of the widest networks against the mean field")


def _as_published(r):
    """The risk against the published curves: means of six networks, the first network, and the start of all six."""
    paper, published = r.at("paper"), r["published"].risk
    biased, unbiased = (paper.find("circle", ridge=1e-3, regularization=name).risk for name in REGULARIZATIONS)
    yield as_published(
        biased,
        published,
        "biased risk against the published curves",
        iterations=(1000, 5000, 10000, 20000, LAST_ITERATION),
    )
    yield as_published(
        unbiased,
        published,
        "unbiased risk against the published curves",
        iterations=(0, 1000, 5000, 10000, 20000),
    )
    yield as_published(
        unbiased,
        published,
        "unbiased risk at the end against the published curves",
        iterations=(LAST_ITERATION,),
        tolerance=0.05,
        source="published curve, mean over seeds 0 to 5; to 1e-7 its single precision adds some per cent",
    )
    first = r.find("circle", ridge=1e-3, regularization="unbiased")
    yield as_first_seed(r, first, "risk", "unbiased risk of the first networks against the published curves")
    for regularization in REGULARIZATIONS:
        title = f"{regularization} risk at the start against the published curves"
        yield starts_as_published(r, f"circle_start_{regularization}", "risk", title)
