"""Figure 14: variable projection on the circle, concentration of the teacher."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import PUBLISHED, Check, among, at_most, main, ordering
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro import circle, descents


@dataclass(frozen=True)
class _Teacher:
    """The runs of one concentration of the teacher.

    Attributes:
        risk_at: iterations before the published risk reaches the plateau of single precision. flow_at: iterations where
            the effect of finite width and data is much smaller. plateau: whether the published risk has such a plateau.
    """

    networks: str
    start: str
    flow: str
    risk_at: tuple[int, ...]
    flow_at: tuple[int, ...]
    plateau: bool


_TEACHERS = (
    _Teacher("circle_gamma10", "circle_start_gamma10", "flow_gamma10", (0, 1000, 5000), (0, 1000), True),
    _Teacher(
        "circle_ridge1e-4_unbiased",
        "circle_start_gamma100",
        "flow_gamma100",
        (0, 1000, 5000, 10000),
        (0, 1000, 5000),
        True,
    ),
    _Teacher(
        "circle_gamma1000",
        "circle_start_gamma1000",
        "flow_gamma1000",
        (0, 1000, 5000, 10000, 20000, 32000),
        (0, 1000, 5000),
        False,
    ),
)
_START_STYLE = "--"
_LEAST = 0.2  # smallest relative increase of the risk for a teacher that is ten times as concentrated


def draw(r: Evidence) -> Figure:
    """Draw risk and distances to the teacher and to the two limits for three concentrations of the teacher."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.4))
    quantities = {"risk": "unbiased risk"} | circle.PUBLISHED_DISTANCES | {"mmd_flow": circle.FLOW}
    for axes, (quantity, name) in zip(panels.flat, quantities.items(), strict=True):
        for teacher, colour in zip(_TEACHERS, descents.COLOURS, strict=False):
            widest, start = (r[run][quantity].isel(width=-1) for run in (teacher.networks, teacher.start))
            circle.draw_curve(axes, r, widest, colour)
            if not circle.published_curve(r, widest):
                circle.draw_curve(axes, r, start, colour, linestyle=_START_STYLE)
            if quantity == "risk":
                circle.draw_flow(axes, r[teacher.flow], r[teacher.networks])
        axes.set(xlabel="iteration", ylabel=name, yscale="log", xscale="linear" if quantity == "risk" else "log")
        if quantity != "risk":
            descents.decimal_ticks(axes)
    circle.equal_heights(*panels[1])
    panels[0, 0].set_ylim(bottom=1e-9)
    if circle.published_curve(r, r[_TEACHERS[0].networks].risk.isel(width=-1)):
        note = "published: rounding\nof single precision"
        panels[0, 0].text(32000, 1e-6, note, ha="right", va="bottom")
    handles = [
        Line2D([], [], color=colour, label=rf"$\gamma = {_gamma(r, teacher.networks)}$")
        for teacher, colour in zip(_TEACHERS, descents.COLOURS, strict=False)
    ]
    first = _TEACHERS[0]
    lines = {":": "mean field", "-": _size(r[first.networks])}
    if not circle.published_curve(r, r[first.networks].risk.isel(width=-1)):
        lines[_START_STYLE] = _size(r[first.start])
    handles += [Line2D([], [], color="black", linestyle=style, label=label) for style, label in lines.items()]
    descents.legend(figure, handles)
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that risk and distances agree with published ones, and that wide networks follow the mean field."""
    paper, published = r.at("paper"), r["published"]
    for teacher in _TEACHERS:
        name = teacher.networks
        yield circle.as_published(
            circle.of_paper(paper, name)[name].risk.isel(width=-1),
            published.risk,
            f"gamma {_gamma(r, name)}, risk, against the published curve",
            iterations=teacher.risk_at,
        )
    for (quantity, distance), teacher in product(circle.PUBLISHED_DISTANCES.items(), _TEACHERS):
        name = teacher.networks
        yield circle.as_published(
            circle.of_paper(paper, name)[name][quantity].isel(width=-1),
            published[quantity],
            f"gamma {_gamma(r, name)}, {distance}, against the published curve",
        )
    yield from _start(r)
    for teacher in _TEACHERS:
        name = teacher.networks
        if teacher.plateau:
            yield at_most(
                among(circle.to_the_end(paper, name)[name].risk.isel(width=-1), iteration=(20000, 32000)),
                published.risk,
                f"gamma {_gamma(r, name)}, risk at the end below the published plateau",
                tolerance=1e-9,
                source="published curve, whose plateau is the rounding of single precision",
                compared=PUBLISHED,
            )
    for teacher in _TEACHERS:
        name = teacher.networks
        title = f"gamma {_gamma(r, name)}, {circle.FLOW} within the initial noise"
        yield circle.within_initial_noise(paper, name, r[name], title)
    for teacher in _TEACHERS:
        name = teacher.networks
        title = f"gamma {_gamma(r, name)}, risk against the mean field"
        yield circle.as_mean_field(paper[name], circle.flow_of(r[teacher.flow], r[name]), title, teacher.flow_at)


def _start(r):
    """Check the first iterations, which both presets have: published curves, mean field, and the order of the risks."""
    names = [teacher.start for teacher in _TEACHERS]
    for quantity, name in product(("risk", *circle.PUBLISHED_DISTANCES), names):
        title = f"gamma {_gamma(r, name)}, {quantity} at the start against the published curve"
        yield circle.starts_as_published(r, name, quantity, title)
    yield main(
        circle.on_average(
            _starts(r, names),
            r["published"].mmd_teacher,
            f"{descents.TEACHER} at the start for all gamma, against the published curves, on average",
            iterations=(1000,),
        )
    )
    for teacher in _TEACHERS:
        gamma, start = _gamma(r, teacher.start), r[teacher.start]
        title = f"gamma {gamma}, risk at the start against the mean field"
        yield circle.starts_as_mean_field(start, circle.flow_of(r[teacher.flow], start), title)
        title = f"gamma {gamma}, {circle.FLOW} at the start within the initial noise"
        yield circle.within_initial_noise(r, teacher.start, start, title)
    for smaller, larger in pairwise(names):
        here = circle.of_paper(r, smaller, larger)
        above, below = (here[name].risk.isel(width=-1, drop=True) for name in (larger, smaller))
        yield ordering(
            above,
            below,
            f"the risk is larger at gamma {_gamma(r, larger)} than at gamma {_gamma(r, smaller)}",
            stated=_LEAST,
            source="the paper's claim, at every iteration of the start, by at least a fifth; "
            f"{circle.how_many(r[larger])} with the same random numbers",
        )


def _starts(r, names):
    """Return the distance to the teacher, the mean over networks, for all teachers."""
    r = circle.of_paper(r, *names)
    if isinstance(r, Absent):
        return r
    return xr.concat([r[name].mmd_teacher.mean("seed") for name in names], "gamma")


def _gamma(r, name):
    return f"{float(r[name].gamma):g}"


def _size(networks):
    """Return width and number of the networks for the legend."""
    return f"$M = {int(networks.width[-1])}$, {circle.how_many(networks)}"
