"""Figure 18: variable projection on the torus, width and distance."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Check, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import WIDE
from twolayer.figures.varpro import descents, torus


def draw(r: Evidence) -> Figure:
    """Draw the distance to the teacher for several widths."""
    figure, axes = plt.subplots(figsize=(WIDE, 3.6))
    for regularization, style in descents.STYLES.items():
        networks = torus.by_width(r, regularization)
        torus.curves(axes, [r[name] for name in networks.values()], "mmd_teacher", r["published"], style)
    axes.set(xlabel="iteration", ylabel=descents.TEACHER, yscale="log")
    descents.decimal_ticks(axes)
    descents.legend(figure, [*descents.width_handles(networks), *descents.style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the distance with published values, and check that it is smaller for wide and for unbiased networks at
    the end.
    """
    for regularization in descents.REGULARIZATIONS:
        names = list(torus.by_width(r, regularization).values())
        for name in names:
            yield torus.starts_as_published(r, name, "mmd_teacher")
            identity = torus.as_gradient_flow(r[name])
            yield main(identity) if (regularization, name) == ("unbiased", names[-1]) else identity
    ridge = float(r.find("torus", regularization="unbiased").ridge)
    yield torus.bias_as_published(r, ridge=ridge)
    paper, published = r.at("paper"), r["published"].mmd_teacher
    names = {name: list(torus.by_width(r, name).values()) for name in descents.REGULARIZATIONS}
    for name in (*names["biased"][:-1], *names["unbiased"][:-1]):
        title = f"{torus.place(r[name])}: {descents.TEACHER} against the published curve, late"
        yield torus.as_published(
            torus.of_paper(paper, name)[name].mmd_teacher,
            published,
            title,
            torus.LATE,
            tolerance=0.4,
            source=torus.FLAT,
        )
    for when, word, first in ((torus.EARLY, "over the steep fall, early", -2), (torus.LATE, "late", -1)):
        for name in (*names["biased"][first:], *names["unbiased"][first:]):
            title = f"{torus.place(r[name])}: {descents.TEACHER} against the published curve, {word}"
            yield torus.as_published(torus.of_paper(paper, name)[name].mmd_teacher, published, title, when)
    yield from torus.ends_lower(r, "mmd_teacher", "unbiased")
    biased, unbiased = (r.name_of("torus", regularization=name) for name in descents.REGULARIZATIONS)
    here = torus.of_paper(paper, unbiased, biased)
    lower, upper = here[unbiased].mmd_teacher, here[biased].mmd_teacher
    yield descents.ends_below(
        lower, upper, published, "largest width, biased ends farther from the teacher than unbiased"
    )
