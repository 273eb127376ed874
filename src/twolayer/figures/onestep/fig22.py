"""Figure 22: networks after one gradient step against width, alpha and beta."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import THEORY, Verdict, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.onestep import agreement, shapes
from twolayer.figures.onestep.panels import legend, panel


def draw(r: Evidence) -> Figure:
    """Error against the width, alpha and beta; and against the width at beta = 0, where the theory is exact."""
    figure, panels = plt.subplots(2, 2, figsize=(7.2, 5.4))
    width, start, alpha, beta = panels.flat
    panel(width, r["width"], theory=r["theory_width"].sel(beta=0.74), replay=r["width_published"])
    panel(start, r["width_at_beta_zero"], theory=r["theory_width"].sel(beta=0))
    panel(alpha, r["alpha"], theory=r["theory_alpha"], replay=r["alpha_published"])
    panel(beta, r["beta"], theory=r["theory_beta"].sel(alpha=0.5), replay=r["beta_published"])
    width.set_title(r"$\beta = 0.74$, $\alpha = 1/2$")
    start.set_title(r"$\beta = 0$")
    alpha.set_title(r"$\beta = 0.74$, $k = m$")
    beta.set_title(r"$\alpha = 1/2$, $k = m$")
    legend(figure, width)
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """Published code and figure, Hermite model and theory against the network, and the shapes of the curves."""
    yield from _width(r)
    yield from _alpha(r)
    yield from _beta(r)
    yield z_score(
        r["width_at_beta_zero"].network,
        r["theory_width"].theory.sel(beta=0),
        "beta = 0, theory against the network for all widths",
        source=agreement.FROZEN_FEATURES,
        compared=THEORY,
    )


def _width(r):
    yield from agreement.published(r, "width", "published_width", "code_width", "width")
    yield from agreement.equivalence(r, "width", "width", 7e-4)
    network = r.at("paper")["width"].network
    for activation in ("relu", "tanh"):
        for end in (0.1, 5):
            title = f"width, {activation}: more at k/m = 0.4 than at {end}"
            yield shapes.less(network.sel(activation=activation), {"width": end}, {"width": 0.4}, title)
    sigmoid = network.sel(activation="sigmoid")
    yield shapes.largest(sigmoid, "width, sigmoid: largest at k/m = 0.1", width=0.1)
    yield shapes.smallest(sigmoid, "width, sigmoid: smallest for the widest network", width=5)


def _alpha(r):
    yield from agreement.published(r, "alpha", "published_alpha", "code_alpha", "alpha", visible=("network",))
    yield from agreement.equivalence(r, "alpha", "alpha", 3e-3)
    network = r["alpha"].network
    yield shapes.smallest(network, "alpha: smallest at 0", alpha=0)
    yield shapes.largest(network, "alpha: largest at 1", alpha=1)


def _beta(r):
    yield from agreement.published(r, "beta", "published_beta", "code_beta", "beta")
    yield from agreement.equivalence_up_to_beta(r, "beta", "beta", 3.1e-3)
    network = r["beta"].network
    yield shapes.smallest(network, "beta: smallest at 1", beta=1)
    yield shapes.largest(network, "beta: largest at 0", beta=0)
