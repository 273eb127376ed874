"""Figure 17: variable projection on the torus, width and risk."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Check, main
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro import descents, torus


def draw(r: Evidence) -> Figure:
    """Draw the reduced risk along the descent for several widths, biased and unbiased."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.2))
    for axes, regularization in zip(panels, descents.REGULARIZATIONS, strict=True):
        networks = torus.by_width(r, regularization)
        torus.curves(axes, [r[name] for name in networks.values()], "risk", r["published"])
        axes.set(xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log")
    panels[0].set_xscale("log")
    descents.decimal_ticks(panels[0])
    descents.legend(figure, descents.width_handles(networks))
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the risk with its definition, with theory, between widths, and with published values."""
    for regularization in descents.REGULARIZATIONS:
        names = list(torus.by_width(r, regularization).values())
        for name in names:
            yield torus.as_dense(r[name])
            yield torus.risk_falls(r[name])
            identity = torus.as_gradient_flow(r[name])
            yield main(identity) if (regularization, name) == ("unbiased", names[-1]) else identity
            yield torus.starts_as_published(r, name, "risk")
        yield from torus.ends_lower(r, "risk", regularization)
    for name in torus.by_width(r, "biased").values():
        yield torus.falls_as_published(r, name)
    yield from _as_published(r)


def _as_published(r):
    """Compare the risk with all published curves; narrow networks with other random numbers differ most."""
    paper, published = r.at("paper"), r["published"].risk
    biased, unbiased = ([*torus.by_width(r, name).values()] for name in ("biased", "unbiased"))
    for name in biased:
        yield torus.as_published(
            torus.of_paper(paper, name)[name].risk,
            published,
            f"{torus.place(r[name])}: risk against the published curve, late",
            torus.LATE,
            tolerance=0.05,
            source="published curve of other random numbers; seeds spread by less than one percent",
        )
    for name in (*biased[-2:], *unbiased[-2:]):
        title = f"{torus.place(r[name])}: risk against the published curve over the steep fall, early"
        yield torus.as_published(torus.of_paper(paper, name)[name].risk, published, title, torus.EARLY)
    for name in unbiased[:-1]:
        title = f"{torus.place(r[name])}: risk against the published curve, late"
        yield torus.as_published(
            torus.of_paper(paper, name)[name].risk, published, title, torus.LATE, tolerance=0.4, source=torus.FLAT
        )
    widest = unbiased[-1]
    title = f"{torus.place(r[widest])}: risk against the published curve, late"
    yield torus.as_published(torus.of_paper(paper, widest)[widest].risk, published, title, torus.LATE)
