"""Figure 10: variable projection on the circle, ridge and distances."""

from collections.abc import Iterator
from itertools import cycle, pairwise, product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import THEORY, Check, among, at_most, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro import circle, descents

_SMALL = 2e-3  # ridges below it have humps of the distance to the diffusion that are far above the noise
_HUMPS = (1500, 8000)  # range of iterations


def draw(r: Evidence) -> Figure:
    """Draw distances to the teacher and to the two limits for several ridges."""
    figure, panels = plt.subplots(1, 3, figsize=(PAGE, 3.2))
    distances = circle.PUBLISHED_DISTANCES | {"mmd_flow": circle.FLOW}
    colours = dict(zip(_ridges(r), cycle(descents.COLOURS), strict=False))
    for axes, (quantity, name) in zip(panels, distances.items(), strict=True):
        for (regularization, style), (ridge, colour) in product(descents.STYLES.items(), colours.items()):
            widest = r.find("circle", ridge=ridge, regularization=regularization).isel(width=-1)
            circle.draw_curve(axes, r, widest[quantity], colour, style)
        axes.set(xlabel="iteration", ylabel=name, yscale="log", xscale="linear" if axes is panels[0] else "log")
        descents.decimal_ticks(axes)
    circle.equal_heights(panels[1], panels[2])
    panels[1].set_title(f"$M = {int(widest.width)}$, {circle.how_many(widest)}")
    ridges = [
        Line2D([], [], color=colour, label=rf"$\lambda = {descents.power_of_ten(ridge)}$")
        for ridge, colour in colours.items()
    ]
    descents.legend(figure, [*ridges, *descents.style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the distances agree with published ones, fall with the ridge, and are small to the mean-field flow."""
    paper, ridges = r.at("paper"), _ridges(r)
    for (quantity, words), ridge, regularization in product(
        circle.PUBLISHED_DISTANCES.items(), ridges, descents.STYLES
    ):
        name = r.name_of("circle", ridge=ridge, regularization=regularization)
        yield circle.as_published(
            circle.of_paper(paper, name)[name][quantity].isel(width=-1),
            r["published"][quantity],
            f"{circle.place(r[name])}: {words}, against the published curve",
        )
    yield from _first_and_start(r)
    for larger, smaller in pairwise(ridges):
        title = f"unbiased, {descents.TEACHER} at the end, ridge {smaller:g} below ridge {larger:g}"
        yield descents.ends_below(*_ordered(r, smaller, larger), r["published"].mmd_teacher, title)
    for ridge in ridges:
        title = f"ridge {ridge:g}, biased ends farther from the teacher than unbiased"
        names = [r.name_of("circle", ridge=ridge, regularization=name) for name in descents.STYLES]
        yield descents.ends_below(*_widest(r, names), r["published"].mmd_teacher, title)
    for ridge in ridges:
        name = r.name_of("circle", ridge=ridge, regularization="unbiased")
        yield circle.within_initial_noise(
            paper, name, r[name], f"{circle.place(r[name])}: {circle.FLOW} within the initial noise"
        )
    for name in (r.name_of("circle_start", regularization="unbiased"), "circle_start_gamma100"):
        yield circle.within_initial_noise(
            r, name, r[name], f"{circle.place(r[name])}: {circle.FLOW} at the start within the initial noise"
        )
    for ridge in ridges:
        if ridge < _SMALL:
            unbiased = r.find("circle", ridge=ridge, regularization="unbiased")
            yield at_most(
                among(unbiased.mmd_flow.isel(width=-1), iteration=_HUMPS),
                unbiased.mmd_diffusion.isel(width=-1),
                f"{circle.place(unbiased)}: closer to the mean-field flow than to the diffusion",
                tolerance=1e-4,
                source="own derivation; at the two humps of the distance to the diffusion",
                compared=THEORY,
            )


def _ridges(r):
    """Return all ridges, the largest first."""
    return sorted({point["ridge"] for point, _ in r.grid("circle")}, reverse=True)


def _ordered(r, *ridges):
    """Return distances to the teacher of unbiased networks; the paper preset has more networks than the paper."""
    if r.preset == "paper":
        return _widest(r, [r.name_of("circle_more", ridge=ridge) for ridge in ridges], stream="own")
    return _widest(r, [r.name_of("circle", ridge=ridge, regularization="unbiased") for ridge in ridges])


def _widest(r, names, stream="published"):
    """Return distances to the teacher of the widest networks of some runs, up to the paper's last iteration."""
    ends = circle.to_the_end(r, *names, stream=stream)
    return [ends[name].mmd_teacher.isel(width=-1) for name in names]


def _first_and_start(r):
    """Compare the distances with the published curves, for the first networks and for the start of all six."""
    known = [ridge for ridge in _ridges(r) if ridge in r["published_seed0"].ridge.values]
    first = [r.name_of("circle", ridge=ridge, regularization="unbiased") for ridge in known]
    for (quantity, words), name in product(circle.PUBLISHED_DISTANCES.items(), first):
        title = f"{circle.place(r[name])}: {words} of the first networks, against the published curves"
        yield circle.as_first_seed(r, name, quantity, title, slice(-1, None))
    yield main(
        circle.on_average(
            circle.first_seeds(r, "mmd_teacher", *first),
            r["published_seed0"].mmd_teacher,
            f"unbiased, {descents.TEACHER} of the first networks for all ridges, against the published curves, on "
            "average",
        )
    )
    starts = [r.name_of("circle_start", regularization=name) for name in descents.STYLES]
    for (quantity, words), name in product(circle.PUBLISHED_DISTANCES.items(), (*starts, "circle_start_gamma100")):
        title = f"{circle.place(r[name])}: {words} at the start, against the published curve"
        yield circle.starts_as_published(r, name, quantity, title)
