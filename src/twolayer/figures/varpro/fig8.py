"""Figure 8: variable projection on the circle, width and risk."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import PUBLISHED, Verdict, falling
from twolayer.figures.evidence import Evidence
from twolayer.figures.varpro.circle import LAST_ITERATION, as_mean_field, as_published, width_curves
from twolayer.figures.varpro.descents import (
    REGULARIZATIONS,
    decimal_ticks,
    legend,
    line,
    published_handle,
    width_handles,
)


def draw(r: Evidence) -> Figure:
    """Reduced risk along the descent for several widths, biased and unbiased, and its mean-field limit."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, regularization in zip(panels, REGULARIZATIONS, strict=True):
        networks = r.find("circle", ridge=1e-3, regularization=regularization)
        width_curves(axes, networks.risk, r["published"].risk)
        limit = r["flow_gamma100"].risk.sel(ridge=1e-3, regularization=regularization)
        line(axes, limit, color="black", linestyle=":")
        axes.set(xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log")
    panels[0].set_xscale("log")
    decimal_ticks(panels[0])
    extra = [Line2D([], [], color="black", linestyle=":", label=r"mean field, $M = N = \infty$"), published_handle()]
    legend(figure, [*width_handles(networks.width.values), *extra])
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The risk is the published one, falls along the descent, and is that of the mean field for wide networks."""
    paper = r.at("paper")
    biased, unbiased = (paper.find("circle", ridge=1e-3, regularization=name).risk for name in REGULARIZATIONS)
    published = r["published"].risk
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
    for regularization in REGULARIZATIONS:
        yield falling(
            r.find("circle", ridge=1e-3, regularization=regularization).risk,
            "iteration",
            f"circle_ridge1e-3_{regularization}: risk falls along the descent",
            tolerance=1e-9,
            source="gradient descent with a small step; the tolerance is rounding",
        )
    yield falling(
        unbiased.sel(iteration=LAST_ITERATION),
        "width",
        "unbiased risk at the end, falling in the width",
        tolerance=1e-9,
        source="the paper's claim",
        compared=PUBLISHED,
    )
    for regularization in REGULARIZATIONS:
        yield as_mean_field(
            paper.find("circle", ridge=1e-3, regularization=regularization),
            r["flow_gamma100"],
            f"circle_ridge1e-3_{regularization}: risk of the widest networks against the mean field",
            (0, 1000, 5000),
        )
