"""Figure 18: variable projection on the torus, width and distance."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import WIDE
from twolayer.figures.varpro.descents import (
    REGULARIZATIONS,
    STYLES,
    TEACHER,
    decimal_ticks,
    style_handles,
    width_handles,
)
from twolayer.figures.varpro.torus import (
    EARLY,
    FLAT,
    LATE,
    NARROW,
    WIDEST,
    as_gradient_flow,
    as_published,
    at_width,
    bias_as_published,
    by_width,
    curves,
    ends_below,
    ends_lower,
    legend,
    starts_as_published,
)


def draw(r: Evidence) -> Figure:
    """Distance to the teacher for several widths."""
    figure, axes = plt.subplots(figsize=(WIDE, 3.6))
    for regularization, style in STYLES.items():
        networks = by_width(r, regularization)
        curves(axes, [network for _, network in networks.values()], "mmd_teacher", r["published"], style)
    axes.set(xlabel="iteration", ylabel=TEACHER, yscale="log")
    decimal_ticks(axes)
    legend(figure, [*width_handles(networks), *style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The distance is the published one; at the end it is smaller for wide and for unbiased networks."""
    for regularization in REGULARIZATIONS:
        for name, network in by_width(r, regularization).values():
            yield starts_as_published(name, network, "mmd_teacher", r["published"])
            yield as_gradient_flow(name, network)
    yield bias_as_published(r, ridge=1e-3)
    paper, published = r.at("paper"), r["published"].mmd_teacher
    for regularization, width in product(REGULARIZATIONS, NARROW):
        name, network = at_width(paper, width, regularization)
        title = f"{name}: {TEACHER} against the published curve, late"
        yield as_published(network.mmd_teacher, published, title, LATE, tolerance=0.4, source=FLAT)
    for when, word, widths in ((EARLY, "early", (512, WIDEST)), (LATE, "late", (WIDEST,))):
        for regularization, width in product(REGULARIZATIONS, widths):
            name, network = at_width(paper, width, regularization)
            title = f"{name}: {TEACHER} against the published curve, {word}"
            yield as_published(network.mmd_teacher, published, title, when)
    yield from ends_lower(r, "mmd_teacher", "unbiased", f"unbiased, {TEACHER}")
    biased, unbiased = (paper.find("torus", ridge=1e-3, regularization=name).mmd_teacher for name in REGULARIZATIONS)
    yield ends_below(unbiased, biased, "largest width, biased ends farther from the teacher than unbiased")
