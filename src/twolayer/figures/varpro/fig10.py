"""Figure 10: variable projection on the circle, ridge and distances."""

from collections.abc import Iterator
from itertools import pairwise, product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import THEORY, Verdict, among, at_most
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro.circle import (
    FLOW,
    PUBLISHED_DISTANCES,
    RIDGES,
    as_first_seed,
    as_published,
    draw_curve,
    ends_below,
    equal_heights,
    how_many,
    starts_as_published,
    within_initial_noise,
)
from twolayer.figures.varpro.descents import (
    COLOURS,
    STYLES,
    TEACHER,
    decimal_ticks,
    legend,
    power_of_ten,
    style_handles,
)

_WIDE = (512, 1024)  # widest at the quick preset, and of the paper


def draw(r: Evidence) -> Figure:
    """Distances to the teacher and to the two limits for several ridges."""
    figure, panels = plt.subplots(1, 3, figsize=(PAGE, 3.2))
    distances = PUBLISHED_DISTANCES | {"mmd_flow": FLOW}
    for axes, (quantity, name) in zip(panels, distances.items(), strict=True):
        for (regularization, style), (ridge, colour) in product(STYLES.items(), zip(RIDGES, COLOURS, strict=True)):
            widest = r.find("circle", ridge=ridge, regularization=regularization).isel(width=-1)
            draw_curve(axes, r, widest[quantity], colour, style)
        axes.set(xlabel="iteration", ylabel=name, yscale="log", xscale="linear" if axes is panels[0] else "log")
        decimal_ticks(axes)
    equal_heights(panels[1], panels[2])
    panels[1].set_title(f"$M = {int(widest.width)}$, {how_many(widest)}")
    ridges = [
        Line2D([], [], color=colour, label=rf"$\lambda = {power_of_ten(ridge)}$")
        for ridge, colour in zip(RIDGES, COLOURS, strict=True)
    ]
    legend(figure, [*ridges, *style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The distances are the published ones, fall with the ridge, and are small to the mean-field flow."""
    paper = r.at("paper")
    for (quantity, name), (ridge, label), regularization in product(
        PUBLISHED_DISTANCES.items(), RIDGES.items(), STYLES
    ):
        yield as_published(
            paper.find("circle", ridge=ridge, regularization=regularization)[quantity].sel(width=1024),
            r["published"][quantity],
            f"circle_ridge{label}_{regularization}: {name}, against the published curve",
        )
    yield from _first_and_start(r)
    for larger, smaller in pairwise(RIDGES):
        lower, upper = (
            among(r.find("circle", ridge=ridge, regularization="unbiased").mmd_teacher, width=_WIDE)
            for ridge in (smaller, larger)
        )
        yield ends_below(lower, upper, f"unbiased, {TEACHER} at the end, ridge {smaller:g} below ridge {larger:g}")
    for ridge in RIDGES:
        unbiased, biased = (
            among(r.find("circle", ridge=ridge, regularization=name).mmd_teacher, width=_WIDE) for name in STYLES
        )
        yield ends_below(unbiased, biased, f"ridge {ridge:g}, biased ends farther from the teacher than unbiased")
    for ridge, label in RIDGES.items():
        yield within_initial_noise(
            paper.find("circle", ridge=ridge, regularization="unbiased"),
            f"circle_ridge{label}_unbiased: unbiased, {FLOW} within the initial noise",
        )
    for name in ("circle_start_unbiased", "circle_start_gamma100"):
        yield within_initial_noise(r[name], f"{name}: {FLOW} within the initial noise")
    for ridge in (1e-3, 1e-4):
        unbiased = r.find("circle", ridge=ridge, regularization="unbiased")
        yield at_most(
            among(unbiased.mmd_flow, width=_WIDE, iteration=(1500, 8000)),
            unbiased.mmd_diffusion,
            f"circle_ridge{RIDGES[ridge]}_unbiased: unbiased, closer to the mean-field flow than to the diffusion",
            tolerance=1e-4,
            source="own derivation; at the two humps of the distance to the diffusion",
            compared=THEORY,
        )


def _first_and_start(r):
    """The distances against the published curves, of the first networks and of the start of all six."""
    for (quantity, name), (ridge, label) in product(PUBLISHED_DISTANCES.items(), list(RIDGES.items())[:3]):
        networks = r.find("circle", ridge=ridge, regularization="unbiased")
        title = f"circle_ridge{label}_unbiased: {name} of the first networks, against the published curves"
        yield as_first_seed(r, networks.sel(width=[int(networks.width[-1])]), quantity, title)
    for (quantity, name), run in product(
        PUBLISHED_DISTANCES.items(), ("circle_start_unbiased", "circle_start_biased", "circle_start_gamma100")
    ):
        title = f"{run}: {name} at the start, against the published curve"
        yield starts_as_published(r, run, quantity, title, width=1024)
