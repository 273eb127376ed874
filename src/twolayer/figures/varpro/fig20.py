"""Figure 20: variable projection on the torus, concentration of the teacher."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro.descents import COLOURS, TEACHER, decimal_ticks
from twolayer.figures.varpro.torus import (
    EARLY,
    LATE,
    as_dense,
    as_gradient_flow,
    as_published,
    curves,
    ends_below,
    legend,
    risk_falls,
    starts_as_published,
)

_CONCENTRATED, _TWO_FEATURES = "torus_ridge0.01_unbiased", "torus_two_features"
_QUANTITIES = {"risk": "risk", "mmd_teacher": TEACHER}


def draw(r: Evidence) -> Figure:
    """Risk and distance to the teacher for a teacher of concentrated features, and for one of two features."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    networks = [r[_CONCENTRATED], r[_TWO_FEATURES]]
    for axes, quantity, name in zip(panels, _QUANTITIES, ("unbiased risk", TEACHER), strict=True):
        curves(axes, networks, quantity, r["published"])
        axes.set(xlabel="iteration", ylabel=name, yscale="log", title=f"$M = {int(networks[0].width)}$")
    decimal_ticks(panels[1])
    handles = [
        Line2D([], [], color=colour, label=rf"$\gamma = {name}$")
        for name, colour in zip(("100", r"\infty"), COLOURS, strict=False)
    ]
    legend(figure, handles)
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The risk is that of its definition and falls; both curves are the published ones, and two features are harder."""
    for name in (_CONCENTRATED, _TWO_FEATURES):
        yield as_dense(name, r[name])
        yield risk_falls(name, r[name])
        yield as_gradient_flow(name, r[name])
        for quantity in _QUANTITIES:
            yield starts_as_published(name, r[name], quantity, r["published"])
    paper, published = r.at("paper"), r["published"]
    for (quantity, name), (when, word) in product(_QUANTITIES.items(), ((EARLY, "early"), (LATE, "late"))):
        title = f"gamma 100, {name} against the published curve, {word}"
        yield as_published(paper[_CONCENTRATED][quantity], published[quantity], title, when)
    for quantity, name in _QUANTITIES.items():
        yield as_published(
            paper[_TWO_FEATURES][quantity],
            published[quantity],
            f"two features, {name} against the published curve, until the last third",
            slice(EARLY.start, LATE.start),
            source="published curve of other random numbers, where two published versions agree",
        )
    for quantity, title in (
        ("risk", "the risk of the teacher of two features falls more slowly"),
        ("mmd_teacher", "the teacher of two features stays farther away"),
    ):
        yield ends_below(r[_CONCENTRATED][quantity], r[_TWO_FEATURES][quantity], title)
