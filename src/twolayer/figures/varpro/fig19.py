"""Figure 19: variable projection on the torus, ridge and distance."""

from collections.abc import Iterator
from itertools import pairwise, product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import WIDE
from twolayer.figures.varpro.descents import (
    COLOURS,
    REGULARIZATIONS,
    STYLES,
    TEACHER,
    decimal_ticks,
    power_of_ten,
    style_handles,
)
from twolayer.figures.varpro.torus import (
    EARLY,
    LATE,
    RATIO_AT,
    WIDEST,
    as_dense,
    as_gradient_flow,
    as_published,
    bias_as_published,
    curves,
    ends_below,
    legend,
    ratio_as_published,
    starts_as_published,
)

_RIDGES = {1e-1: "0.1", 1e-2: "0.01", 1e-3: "1e-3"}  # as the names of runs write them


def draw(r: Evidence) -> Figure:
    """Distance to the teacher for several ridges."""
    figure, axes = plt.subplots(figsize=(WIDE, 3.6))
    for regularization, style in STYLES.items():
        networks = [r.find("torus", ridge=ridge, regularization=regularization) for ridge in _RIDGES]
        curves(axes, networks, "mmd_teacher", r["published"], style)
    axes.set(xlabel="iteration", ylabel=TEACHER, yscale="log", title=f"$M = {int(networks[0].width)}$")
    decimal_ticks(axes)
    handles = [
        Line2D([], [], color=colour, label=rf"$\lambda = {power_of_ten(ridge)}$")
        for ridge, colour in zip(_RIDGES, COLOURS, strict=False)
    ]
    legend(figure, [*handles, *style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The risk is that of its definition; the distance is the published one, and falls with ridge and bias."""
    for (ridge, label), regularization in product(_RIDGES.items(), REGULARIZATIONS):
        network = r.find("torus", ridge=ridge, regularization=regularization)
        name = f"torus_ridge{label}_{regularization}"
        yield as_dense(name, network)
        yield as_gradient_flow(name, network)
        yield starts_as_published(name, network, "mmd_teacher", r["published"])
    yield from _ratios(r)
    for (when, word), (ridge, label), regularization in product(
        ((EARLY, "early"), (LATE, "late")), _RIDGES.items(), REGULARIZATIONS
    ):
        yield as_published(
            r.at("paper").find("torus", ridge=ridge, regularization=regularization).mmd_teacher,
            r["published"].mmd_teacher,
            f"torus_ridge{label}_{regularization}: {TEACHER} against the published curve, {word}",
            when,
        )
    for regularization, (larger, smaller) in product(REGULARIZATIONS, pairwise(_RIDGES)):
        scale = _where_ordered(r, smaller)
        lower, upper = (
            scale.find("torus", ridge=ridge, regularization=regularization).mmd_teacher for ridge in (smaller, larger)
        )
        title = f"{regularization}, {TEACHER} at the end, ridge {smaller:g} below ridge {larger:g}"
        yield ends_below(lower, upper, title)
    for ridge in _RIDGES:
        scale = _where_ordered(r, ridge)
        biased, unbiased = (
            scale.find("torus", ridge=ridge, regularization=name).mmd_teacher for name in REGULARIZATIONS
        )
        yield ends_below(unbiased, biased, f"ridge {ridge:g}, biased ends farther from the teacher than unbiased")


def _where_ordered(r, ridge):
    """The scales at whose end the paper's order is reached: at ridge 1e-3 it takes more than the quick iterations."""
    return r.at("paper") if ridge == min(_RIDGES) else r


def _ratios(r):
    """Ratios of distances that say how the ridge acts."""
    for ridge in _RIDGES:
        yield bias_as_published(r, ridge)
    published = r["published"].mmd_teacher.sel(gamma=100, width=WIDEST, regularization="unbiased", iteration=RATIO_AT)
    for larger, smaller in pairwise(_RIDGES):
        pair = (r.find("torus", ridge=ridge, regularization="unbiased").mmd_teacher for ridge in (smaller, larger))
        ratio = float(published.sel(ridge=smaller)) / float(published.sel(ridge=larger))
        yield ratio_as_published(
            *pair, ratio, f"unbiased, {TEACHER} at ridge {smaller:g} over that at ridge {larger:g}"
        )
