"""Figure 17: variable projection on the torus, width and risk."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.varpro.descents import REGULARIZATIONS, decimal_ticks, width_handles
from twolayer.figures.varpro.torus import (
    EARLY,
    FLAT,
    LATE,
    NARROW,
    WIDEST,
    as_dense,
    as_published,
    at_width,
    by_width,
    curves,
    ends_lower,
    legend,
    risk_falls,
    wide_end_lower,
)


def draw(r: Evidence) -> Figure:
    """Reduced risk along the descent for several widths, biased and unbiased."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, regularization in zip(panels, REGULARIZATIONS, strict=True):
        networks = by_width(r, regularization)
        curves(axes, networks.values(), "risk", r["published"])
        axes.set(xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log")
    panels[0].set_xscale("log")
    decimal_ticks(panels[0])
    legend(figure, width_handles(networks), networks.values())
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The risk is that of its definition, falls along the descent and with the width, and is the published one."""
    for regularization, width in product(REGULARIZATIONS, (32, WIDEST)):
        yield as_dense(*at_width(r, width, regularization))
    for regularization, width in product(REGULARIZATIONS, (32, 128, WIDEST)):
        yield risk_falls(*at_width(r, width, regularization))
    yield from _as_published(r)
    for regularization in REGULARIZATIONS:
        yield from ends_lower(r, "risk", regularization, f"{regularization} risk")
    yield from wide_end_lower(r, "risk", "unbiased risk")


def _as_published(r):
    """The risk against the published curves; narrow networks of other random numbers differ most."""
    paper, published = r.at("paper"), r["published"].risk
    for width in (*NARROW, WIDEST):
        name, network = at_width(paper, width, "biased")
        yield as_published(
            network.risk,
            published,
            f"{name}: biased, risk against the published curve, late",
            LATE,
            tolerance=0.05,
            source="published curve of other random numbers; seeds spread by less than one percent",
        )
    for regularization, width in product(REGULARIZATIONS, (512, WIDEST)):
        name, network = at_width(paper, width, regularization)
        yield as_published(network.risk, published, f"{name}: risk against the published curve, early", EARLY)
    for width in NARROW:
        name, network = at_width(paper, width, "unbiased")
        title = f"{name}: unbiased, risk against the published curve, late"
        yield as_published(network.risk, published, title, LATE, tolerance=0.4, source=FLAT)
    _, widest = at_width(paper, WIDEST, "unbiased")
    yield as_published(widest.risk, published, "width 1024, unbiased, risk against the published curve, late", LATE)
