"""Figure 26: networks after one gradient step against beta, for three ways to split it between spikes and step."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import THEORY, Verdict, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.onestep import agreement, shapes
from twolayer.figures.onestep.panels import legend, panel

ZERO, HALF, ONE = "beta_alpha_zero", "beta", "beta_alpha_one"
ALPHAS = {ZERO: 0, HALF: 0.5, ONE: 1}
NAMES = {ZERO: "alpha = 0", HALF: "alpha = 1/2", ONE: "alpha = 1"}
MARKERS = {ZERO: 3.1e-3, HALF: 3.1e-3, ONE: 2e-3}  # radius in the published figure


def draw(r: Evidence) -> Figure:
    """Error against beta for three values of alpha."""
    figure, panels = plt.subplots(1, 3, figsize=(7.2, 3.0))
    replays = {ZERO: r[f"{ZERO}_published"], HALF: r[f"{HALF}_published"]}
    for axes, (run, alpha) in zip(panels, ALPHAS.items(), strict=True):
        panel(axes, r[run], theory=r["theory_beta"].sel(alpha=alpha), replay=replays.get(run))
        axes.set_title(rf"$\alpha = {alpha:g}$")
    legend(figure, panels[1])
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """Published code and figure, Hermite model and theory against the network, and the shapes of the curves."""
    yield from agreement.published(r, ZERO, "published_zero", "code_zero", NAMES[ZERO])
    yield from _models(r, ZERO)
    yield from agreement.published(r, HALF, "published_half", "code_half", NAMES[HALF])
    yield from _models(r, HALF)
    yield from agreement.fresh_data(r.at("paper")[ONE], r["published_one"], NAMES[ONE])
    yield from _models(r, ONE)
    yield shapes.smallest(r[ZERO].network, "alpha = 0: smallest at beta = 1", beta=1)
    yield shapes.largest(r[ZERO].network, "alpha = 0: largest at beta = 0", beta=0)
    yield shapes.less(r[ONE].network, {"beta": 1}, {"beta": 0}, "alpha = 1: less at beta = 1 than at 0")


def _models(r, run):
    yield from agreement.equivalence_up_to_beta(r, run, NAMES[run], MARKERS[run])
    yield z_score(
        r[run].network.sel(beta=slice(0, 0.3)),
        r["theory_beta"].theory.sel(alpha=ALPHAS[run]),
        f"{NAMES[run]}, beta up to 0.3, theory against the network",
        source=agreement.FROZEN_FEATURES,
        compared=THEORY,
    )
