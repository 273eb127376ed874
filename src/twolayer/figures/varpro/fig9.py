"""Figure 9: variable projection on the circle, width and distances."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import PUBLISHED, Verdict, falling
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro.circle import (
    LAST_ITERATION,
    PUBLISHED_DISTANCES,
    as_first_seed,
    as_published,
    ends_below,
    how_many,
    starts_as_published,
    width_curves,
)
from twolayer.figures.varpro.descents import STYLES, decimal_ticks, legend, style_handles, width_handles


def draw(r: Evidence) -> Figure:
    """Distances to the teacher and to the ultra-fast diffusion for several widths."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    for axes, (quantity, name) in zip(panels, PUBLISHED_DISTANCES.items(), strict=True):
        for regularization, style in STYLES.items():
            networks = r.find("circle", ridge=1e-3, regularization=regularization)
            width_curves(axes, r, networks[quantity], linestyle=style)
        axes.set(xlabel="iteration", ylabel=name, yscale="log", title=how_many(networks))
        decimal_ticks(axes)
    panels[1].set_xscale("log")
    legend(figure, [*width_handles(networks.width.values), *style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The distances are the published ones; at the end they are smaller for wide and for unbiased networks."""
    for quantity, name in PUBLISHED_DISTANCES.items():
        for regularization in STYLES:
            yield as_published(
                r.at("paper").find("circle", ridge=1e-3, regularization=regularization)[quantity],
                r["published"][quantity],
                f"circle_ridge1e-3_{regularization}: {name}, against the published curves",
            )
            start = f"circle_start_{regularization}"
            title = f"{start}: {name} at the start, against the published curves"
            yield starts_as_published(r, start, quantity, title)
        unbiased = r.find("circle", ridge=1e-3, regularization="unbiased")
        yield as_first_seed(r, unbiased, quantity, f"unbiased, {name} of the first networks, against the published")
        yield falling(
            unbiased[quantity].sel(iteration=LAST_ITERATION),
            "width",
            f"unbiased, {name} at the end, falling in the width",
            tolerance=1e-9,
            source="the paper's claim",
            compared=PUBLISHED,
        )
    unbiased, biased = (r.find("circle", ridge=1e-3, regularization=name).mmd_teacher for name in STYLES)
    yield ends_below(unbiased, biased, "biased ends farther from the teacher than unbiased")
