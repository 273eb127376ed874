"""Figure 17: variable projection on the torus, width and risk."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro.descents import REGULARIZATIONS, decimal_ticks, width_handles
from twolayer.figures.varpro.torus import (
    EARLY,
    FALLEN,
    FLAT,
    LATE,
    NARROW,
    WIDEST,
    as_dense,
    as_gradient_flow,
    as_published,
    at_width,
    by_width,
    curves,
    ends_lower,
    legend,
    risk_falls,
    starts_as_published,
)


def draw(r: Evidence) -> Figure:
    """Reduced risk along the descent for several widths, biased and unbiased."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    for axes, regularization in zip(panels, REGULARIZATIONS, strict=True):
        networks = by_width(r, regularization)
        curves(axes, [network for _, network in networks.values()], "risk", r["published"])
        axes.set(xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log")
    panels[0].set_xscale("log")
    decimal_ticks(panels[0])
    legend(figure, width_handles(networks))
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The risk is that of its definition, falls as in theory and with the width, and is the published one."""
    for regularization in REGULARIZATIONS:
        for name, network in by_width(r, regularization).values():
            yield as_dense(name, network)
            yield risk_falls(name, network)
            yield as_gradient_flow(name, network)
            yield starts_as_published(name, network, "risk", r["published"])
        yield from ends_lower(r, "risk", regularization, f"{regularization} risk")
    for name, network in by_width(r, "biased").values():
        yield as_published(
            network.risk,
            r["published"].risk,
            f"{name}: risk against the published curve, where it has fallen",
            FALLEN,
            tolerance=0.05,
            source="published curve of other random numbers; seeds spread by one or two percent",
        )
    yield from _as_published(r)


def _as_published(r):
    """The risk against all of the published curves; narrow networks of other random numbers differ most."""
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
