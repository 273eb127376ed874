"""Figure 19: variable projection on the torus, ridge and distance."""

from collections.abc import Iterator
from itertools import cycle, pairwise, product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import Check, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import WIDE
from twolayer.figures.varpro import descents, torus


def draw(r: Evidence) -> Figure:
    """Draw the distance to the teacher for several ridges."""
    figure, axes = plt.subplots(figsize=(WIDE, 3.6))
    ridges = _ridges(r)
    for regularization, style in descents.STYLES.items():
        networks = [r.find("torus", ridge=ridge, regularization=regularization) for ridge in ridges]
        torus.curves(axes, networks, "mmd_teacher", r["published"], style)
    axes.set(xlabel="iteration", ylabel=descents.TEACHER, yscale="log", title=f"$M = {int(networks[0].width)}$")
    descents.decimal_ticks(axes)
    handles = [
        Line2D([], [], color=colour, label=rf"$\lambda = {descents.power_of_ten(ridge)}$")
        for ridge, colour in zip(ridges, cycle(descents.COLOURS), strict=False)
    ]
    descents.legend(figure, [*handles, *descents.style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the risk with its definition and the distance with published values; it falls with ridge and bias."""
    ridges = _ridges(r)
    for ridge, regularization in product(ridges, descents.REGULARIZATIONS):
        name = r.name_of("torus", ridge=ridge, regularization=regularization)
        yield torus.as_dense(r[name])
        identity = torus.as_gradient_flow(r[name])
        yield main(identity) if (ridge, regularization) == (ridges[-1], "unbiased") else identity
        yield torus.starts_as_published(r, name, "mmd_teacher")
    for ridge in ridges:
        yield torus.bias_as_published(r, ridge=ridge)
    for larger, smaller in pairwise(ridges):
        pair = [r.name_of("torus", ridge=ridge, regularization="unbiased") for ridge in (smaller, larger)]
        title = f"unbiased, {descents.TEACHER}, ratio of ridge {smaller:g} to ridge {larger:g}"
        yield torus.ratio_as_published(r, *pair, title)
    published = r["published"].mmd_teacher
    for (when, word), ridge, regularization in product(
        ((torus.EARLY, "over the steep fall, early"), (torus.LATE, "late")), ridges, descents.REGULARIZATIONS
    ):
        name = r.name_of("torus", ridge=ridge, regularization=regularization)
        title = f"{torus.place(r[name])}: {descents.TEACHER} against the published curve, {word}"
        yield torus.as_published(torus.of_paper(r.at("paper"), name)[name].mmd_teacher, published, title, when)
    for regularization, (larger, smaller) in product(descents.REGULARIZATIONS, pairwise(ridges)):
        pair = [r.name_of("torus", ridge=ridge, regularization=regularization) for ridge in (smaller, larger)]
        title = f"{regularization}, {descents.TEACHER} at the end, ridge {smaller:g} below ridge {larger:g}"
        yield _order(r, pair, smaller, title)
    for ridge in ridges:
        pair = [r.name_of("torus", ridge=ridge, regularization=name) for name in ("unbiased", "biased")]
        yield _order(r, pair, ridge, f"ridge {ridge:g}, biased ends farther from the teacher than unbiased")


def _ridges(r):
    """Return all ridges, the largest first."""
    return sorted({point["ridge"] for point, _ in r.grid("torus")}, reverse=True)


def _order(r, pair, ridge, title):
    """Check that the first of two networks ends closer to the teacher.

    At the smallest ridge this needs more iterations than the quick preset has.
    """
    here = torus.of_paper(r.at("paper") if ridge == min(_ridges(r)) else r, *pair)
    lower, upper = (here[name].mmd_teacher for name in pair)
    return descents.ends_below(lower, upper, r["published"].mmd_teacher, title, spread=torus.BY_CHANCE)
