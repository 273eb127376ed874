"""Figure 9: variable projection on the circle, width and distances."""

from collections.abc import Iterator
from itertools import pairwise

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Check, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro import circle, descents


def draw(r: Evidence) -> Figure:
    """Draw distances to the teacher and to the ultra-fast diffusion for several widths."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    for axes, (quantity, name) in zip(panels, circle.PUBLISHED_DISTANCES.items(), strict=True):
        for regularization, style in descents.STYLES.items():
            networks = r.find("circle", regularization=regularization)
            circle.width_curves(axes, r, networks[quantity], linestyle=style)
        axes.set(xlabel="iteration", ylabel=name, yscale="log", title=circle.how_many(networks))
        descents.decimal_ticks(axes)
    panels[1].set_xscale("log")
    descents.legend(figure, [*descents.width_handles(networks.width.values), *descents.style_handles()])
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the distances with published values, and check that they are smaller for wide and for unbiased
    networks."""
    names = {name: r.name_of("circle", regularization=name) for name in descents.STYLES}
    unbiased = names["unbiased"]
    ends = {name: circle.to_order(r, name) for name in descents.STYLES}
    for quantity, words in circle.PUBLISHED_DISTANCES.items():
        for regularization, name in names.items():
            yield circle.as_published(
                circle.of_paper(r.at("paper"), name)[name][quantity],
                r["published"][quantity],
                f"{circle.place(r[name])}: {words}, against the published curves",
            )
            start = r.name_of("circle_start", regularization=regularization)
            title = f"{circle.place(r[start])}: {words} at the start, against the published curves"
            yield circle.starts_as_published(r, start, quantity, title)
        title = f"unbiased, {words} of the first networks, against the published curves"
        yield circle.as_first_seed(r, unbiased, quantity, title)
        for narrow, wide in pairwise(r[unbiased].width.values):
            lower, upper = (ends["unbiased"][quantity].sel(width=width) for width in (wide, narrow))
            title = f"unbiased, {words} at the end, width {wide} below width {narrow}"
            yield descents.ends_below(lower, upper, r["published"][quantity], title)
    yield main(
        circle.on_average(
            circle.of_paper(r, unbiased)[unbiased].mmd_teacher.isel(seed=0, drop=True),
            r["published_seed0"].mmd_teacher,
            f"unbiased, {descents.TEACHER} of the first networks, against the published curves, on average",
        )
    )
    for width in r[unbiased].width.values:
        lower, upper = (ends[name].mmd_teacher.sel(width=width) for name in descents.STYLES)
        title = f"width {width}, biased ends farther from the teacher than unbiased"
        yield descents.ends_below(lower, upper, r["published"].mmd_teacher, title)
