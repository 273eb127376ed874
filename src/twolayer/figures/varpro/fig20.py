"""Figure 20: variable projection on the torus, concentration of the teacher."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import Check, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro import descents, torus

_CONCENTRATED, _TWO_FEATURES = "torus_ridge0.01_unbiased", "torus_two_features"
_PAPER = {_CONCENTRATED: {}, _TWO_FEATURES: {"teacher_width": 2}}


def draw(r: Evidence) -> Figure:
    """Draw risk and distance to the teacher for a teacher of concentrated features, and for a teacher of two
    features."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    networks = [r[name] for name in _PAPER]
    for axes, quantity, name in zip(panels, torus.NAMES, ("unbiased risk", descents.TEACHER), strict=True):
        torus.curves(axes, networks, quantity, r["published"])
        axes.set(xlabel="iteration", ylabel=name, yscale="log", title=f"$M = {int(networks[0].width)}$")
    descents.decimal_ticks(panels[1])
    handles = [
        Line2D([], [], color=colour, label=rf"$\gamma = {_gamma(network)}$")
        for network, colour in zip(networks, descents.COLOURS, strict=False)
    ]
    descents.legend(figure, handles)
    return figure


def _gamma(network):
    return rf"{float(network.gamma):g}".replace("inf", r"\infty")


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the risk with its definition and both curves with published ones; a teacher of two features is harder."""
    for name, paper in _PAPER.items():
        yield torus.as_dense(r[name])
        yield torus.risk_falls(r[name])
        identity = torus.as_gradient_flow(r[name])
        yield main(identity) if name == _TWO_FEATURES else identity
        for quantity in torus.NAMES:
            yield torus.starts_as_published(r, name, quantity, **paper)
    published = r["published"]
    concentrated = torus.of_paper(r.at("paper"), _CONCENTRATED)[_CONCENTRATED]
    for (quantity, name), (when, word) in product(torus.NAMES.items(), ((torus.EARLY, "early"), (torus.LATE, "late"))):
        title = f"gamma {float(r[_CONCENTRATED].gamma):g}, {name} against the published curve, {word}"
        yield torus.as_published(concentrated[quantity], published[quantity], title, when)
    few = torus.of_paper(r.at("paper"), _TWO_FEATURES, teacher_width=2)[_TWO_FEATURES]
    many = r.parameter(_TWO_FEATURES, "teacher_width")
    for quantity, name in torus.NAMES.items():
        yield torus.as_published(
            few[quantity],
            published[quantity],
            f"teacher of {many} features, {name} against the published curve, until the last third",
            slice(torus.EARLY.start, torus.LATE.start),
            source="published curve of other random numbers, where two published versions agree",
        )
    lower = torus.of_paper(r, _CONCENTRATED)[_CONCENTRATED]
    upper = torus.of_paper(r, _TWO_FEATURES, teacher_width=2)[_TWO_FEATURES]
    for quantity, title in (
        ("risk", f"the risk of the teacher of {many} features falls more slowly"),
        ("mmd_teacher", f"the teacher of {many} features stays farther away"),
    ):
        yield descents.ends_below(lower[quantity], upper[quantity], published[quantity], title)
