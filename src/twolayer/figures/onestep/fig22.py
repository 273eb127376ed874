"""Figure 22: networks after one gradient step against width, alpha and beta."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, THEORY, Verdict, at_most, relative, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.onestep import agreement, shapes
from twolayer.figures.onestep.panels import COLOURS, LABELS, legend, panel, sizes
from twolayer.figures.style import PAGE
from twolayer.model.hermite import degree_for

HALF = {"alpha": 0.5}


def draw(r: Evidence) -> Figure:
    """Error against the width, alpha and beta; against the width at beta = 0; and which degree the series need."""
    figure, panels = plt.subplots(2, 3, figsize=(PAGE, 5.6))
    width, start, degrees, alpha, beta, spare = panels.flat
    panel(
        width,
        r["width"],
        theory=r["theory_width"],
        frozen=r["frozen_width"].sel(beta=0.74),
        replay=r["width_published"],
        published=r["published_width"],
    )
    panel(start, r["width_at_beta_zero"], frozen=r["frozen_width"].sel(beta=0))
    panel(alpha, r["alpha"], theory=r["theory_alpha"], replay=r["alpha_published"], published=r["published_alpha"])
    panel(
        beta,
        r["beta"].sel(HALF),
        theory=r["theory_beta"].sel(HALF),
        frozen=r["frozen_beta"].sel(HALF),
        replay=r["beta_published"],
        published=r["published_beta"],
    )
    beta.set_yscale("log")
    _degrees(degrees, r["degrees"].sel(activation="relu"))
    width.set_title(r"$\beta = 0.74$, $\alpha = 1/2$")
    start.set_title(r"$\beta = 0$")
    degrees.set_title(r"$\alpha = 0$, ReLU")
    alpha.set_title(r"$\beta = 0.74$, $k = m$")
    beta.set_title(r"$\alpha = 1/2$, $k = m$")
    spare.set_axis_off()
    title = "series of (c); dashed: Hermite model"
    spare.legend(*degrees.get_legend_handles_labels(), loc="upper left", title=title)
    legend(figure, width)
    figure.suptitle(sizes(r["width"]))
    return figure


def _degrees(axes: Axes, result) -> None:
    """What ending the series of a drawn first layer at a degree changes, and the Hermite model of that degree."""
    full = result.theory.isel(degree=-1)
    for beta, shade in zip(result.beta.values, (0.3, 0.5, 0.75, 1), strict=True):
        style = {"color": COLOURS["relu"], "alpha": shade}
        for name, line in (("theory", "-"), ("hermite_theory", "--")):
            excess = 100 * (result[name] / full - 1).sel(beta=beta).mean("seed")
            label = rf"$\beta = {beta:g}$" if name == "theory" else None
            axes.plot(result.degree, excess, line, label=label, **style)
    axes.set_yscale("symlog", linthresh=1)
    axes.set(xlabel=LABELS["degree"], ylabel="above the full series [%]")


def checks(r: Evidence) -> Iterator[Verdict]:
    """Published code and figure, Hermite model and theory against the network, degrees, and shapes of the curves."""
    yield from _width(r)
    yield from _alpha(r)
    yield from _beta(r)
    yield from _degree(r)
    yield z_score(
        r["width_at_beta_zero"].network,
        r["frozen_width"].theory.sel(beta=0),
        "beta = 0, theory of frozen features against the network for all widths",
        source=agreement.FROZEN_FEATURES,
        compared=THEORY,
    )


def _width(r):
    yield from agreement.theory_of_network(r["width"], r["theory_width"], "width")
    yield agreement.theory_of_published(r["theory_width_at_n_1000"], r["published_width"], r["width"], "width")
    yield from agreement.published(r, "width", "published_width", "code_width", "width")
    yield from agreement.equivalence(r["width"], r["theory_width"], "width")
    yield agreement.beneath_markers(r.at("paper")["width"], "width", 7e-4)
    network = r.at("paper")["width"].network
    for activation in ("relu", "tanh"):
        for end in (0.1, 5):
            title = f"width, {activation}: more at k/m = 0.4 than at {end}"
            yield shapes.less(network.sel(activation=activation), {"width": end}, {"width": 0.4}, title)
    sigmoid = network.sel(activation="sigmoid")
    yield shapes.largest(sigmoid, "width, sigmoid: largest at k/m = 0.1", width=0.1)
    yield shapes.smallest(sigmoid, "width, sigmoid: smallest for the widest network", width=5)


def _alpha(r):
    yield from agreement.theory_of_network(r["alpha"], r["theory_alpha"], "alpha")
    yield from agreement.published(r, "alpha", "published_alpha", "code_alpha", "alpha", visible=("network",))
    yield from agreement.equivalence(r["alpha"], r["theory_alpha"], "alpha")
    yield agreement.beneath_markers(r.at("paper")["alpha"], "alpha", 3e-3)
    network = r["alpha"].network
    yield shapes.smallest(network, "alpha: smallest at 0", alpha=0)
    yield shapes.largest(network, "alpha: largest at 1", alpha=1)


def _beta(r):
    yield from agreement.theory_of_network(r["beta"].sel(HALF), r["theory_beta"].sel(HALF), "beta")
    yield from agreement.published(r, "beta", "published_beta", "code_beta", "beta", at=HALF)
    yield from agreement.equivalence(r["beta"].sel(HALF), r["theory_beta"].sel(HALF), "beta")
    yield agreement.beneath_markers(r.at("paper")["beta"].sel(HALF), "beta", 3.1e-3)
    network = r["beta"].network.sel(HALF)
    yield shapes.smallest(network, "beta: smallest at 1", beta=1)
    yield shapes.largest(network, "beta: largest at 0", beta=0)


def _degree(r):
    series = r["degrees"].theory
    full = series.isel(degree=-1, drop=True)
    for beta in (0.3, 0.6, 0.74, 1):
        degree = degree_for(beta)
        yield relative(
            series.sel(beta=beta, degree=degree).mean("seed"),
            full.sel(beta=beta).mean("seed"),
            f"beta = {beta:g}, alpha = 0: the degree of the paper's rule, {degree}, is enough",
            tolerance=0.02,
            source="the paper's degree rule; of the activation's series on drawn first layers, degree 6 for the whole",
            compared=NUMERICS,
        )
    relu = series.sel(beta=1, activation="relu").mean("seed")
    yield at_most(
        1.02 * relu.isel(degree=-1, drop=True),
        relu.sel(degree=1, drop=True),
        "beta = 1, alpha = 0, relu: degree 1 is not enough",
        source="the paper's degree rule, which asks for 4, at the tolerance that 4 is held to",
        compared=NUMERICS,
    )
