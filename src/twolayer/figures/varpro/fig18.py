"""Figure 18: variable projection on the torus, width and distance."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Check, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import WIDE
from twolayer.figures.varpro.descents import (
    REGULARIZATIONS,
    STYLES,
    TEACHER,
    decimal_ticks,
    ends_below,
    style_handles,
    width_handles,
)
from twolayer.figures.varpro.torus import (
    EARLY,
    FLAT,
    LATE,
    as_gradient_flow,
    as_published,
    bias_as_published,
    by_width,
    curves,
    ends_lower,
    legend,
    of_paper,
    place,
    starts_as_published,
)


def draw(r: Evidence) -> Figure:
    """Draw the distance to the teacher for several widths."""
    figure, axes = plt.subplots(figsize=(WIDE, 3.6))
    for regularization, style in STYLES.items():
        networks = by_width(r, regularization)
        curves(axes, [r[name] for name in networks.values()], "mmd_teacher", r["published"], style)
    axes.set(xlabel="iteration", ylabel=TEACHER, yscale="log")
    decimal_ticks(axes)
    legend(figure, [*width_handles(networks), *style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the distance with published values, and check that it is smaller for wide and for unbiased networks at
    the end.
    """
    for regularization in REGULARIZATIONS:
        names = list(by_width(r, regularization).values())
        for name in names:
            yield starts_as_published(r, name, "mmd_teacher")
            identity = as_gradient_flow(r[name])
            yield main(identity) if (regularization, name) == ("unbiased", names[-1]) else identity
    ridge = float(r.find("torus", regularization="unbiased").ridge)
    yield bias_as_published(r, ridge=ridge)
    paper, published = r.at("paper"), r["published"].mmd_teacher
    names = {name: list(by_width(r, name).values()) for name in REGULARIZATIONS}
    for name in (*names["biased"][:-1], *names["unbiased"][:-1]):
        title = f"{place(r[name])}: {TEACHER} against the published curve, late"
        yield as_published(of_paper(paper, name)[name].mmd_teacher, published, title, LATE, tolerance=0.4, source=FLAT)
    for when, word, first in ((EARLY, "over the steep fall, early", -2), (LATE, "late", -1)):
        for name in (*names["biased"][first:], *names["unbiased"][first:]):
            title = f"{place(r[name])}: {TEACHER} against the published curve, {word}"
            yield as_published(of_paper(paper, name)[name].mmd_teacher, published, title, when)
    yield from ends_lower(r, "mmd_teacher", "unbiased")
    biased, unbiased = (r.name_of("torus", regularization=name) for name in REGULARIZATIONS)
    here = of_paper(paper, unbiased, biased)
    lower, upper = here[unbiased].mmd_teacher, here[biased].mmd_teacher
    yield ends_below(lower, upper, published, "largest width, biased ends farther from the teacher than unbiased")
