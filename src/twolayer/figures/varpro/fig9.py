"""Figure 9: variable projection on the circle, width and distances."""

from collections.abc import Iterator
from itertools import pairwise

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Check, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro.circle import (
    PUBLISHED_DISTANCES,
    as_first_seed,
    as_published,
    how_many,
    of_paper,
    on_average,
    place,
    starts_as_published,
    to_the_end,
    width_curves,
)
from twolayer.figures.varpro.descents import (
    STYLES,
    TEACHER,
    decimal_ticks,
    ends_below,
    legend,
    style_handles,
    width_handles,
)


def draw(r: Evidence) -> Figure:
    """Draw distances to the teacher and to the ultra-fast diffusion for several widths."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    for axes, (quantity, name) in zip(panels, PUBLISHED_DISTANCES.items(), strict=True):
        for regularization, style in STYLES.items():
            networks = r.find("circle", regularization=regularization)
            width_curves(axes, r, networks[quantity], linestyle=style)
        axes.set(xlabel="iteration", ylabel=name, yscale="log", title=how_many(networks))
        decimal_ticks(axes)
    panels[1].set_xscale("log")
    legend(figure, [*width_handles(networks.width.values), *style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the distances with published values, and check that they are smaller for wide and for unbiased
    networks."""
    names = {name: r.name_of("circle", regularization=name) for name in STYLES}
    unbiased, biased = names.values()
    for quantity, words in PUBLISHED_DISTANCES.items():
        for regularization, name in names.items():
            yield as_published(
                of_paper(r.at("paper"), name)[name][quantity],
                r["published"][quantity],
                f"{place(r[name])}: {words}, against the published curves",
            )
            start = r.name_of("circle_start", regularization=regularization)
            title = f"{place(r[start])}: {words} at the start, against the published curves"
            yield starts_as_published(r, start, quantity, title)
        title = f"unbiased, {words} of the first networks, against the published curves"
        yield as_first_seed(r, unbiased, quantity, title)
        for narrow, wide in pairwise(r[unbiased].width.values):
            lower, upper = (to_the_end(r, unbiased)[unbiased][quantity].sel(width=width) for width in (wide, narrow))
            title = f"unbiased, {words} at the end, width {wide} below width {narrow}"
            yield ends_below(lower, upper, r["published"][quantity], title)
    yield main(
        on_average(
            of_paper(r, unbiased)[unbiased].mmd_teacher.isel(seed=0, drop=True),
            r["published_seed0"].mmd_teacher,
            f"unbiased, {TEACHER} of the first networks, against the published curves, on average",
        )
    )
    ends = to_the_end(r, unbiased, biased)
    for width in r[unbiased].width.values:
        lower, upper = (ends[name].mmd_teacher.sel(width=width) for name in (unbiased, biased))
        title = f"width {width}, biased ends farther from the teacher than unbiased"
        yield ends_below(lower, upper, r["published"].mmd_teacher, title)
