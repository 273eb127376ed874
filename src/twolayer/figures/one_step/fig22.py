"""Figure 22: networks after one gradient step against width, alpha and beta."""

from collections.abc import Iterator
from itertools import cycle

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, THEORY, Check, at_most, main, relative, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.one_step import agreement, extrema
from twolayer.figures.one_step.panels import COLOURS, LABELS, NAMES, legend, panel, sizes
from twolayer.figures.one_step.places import at, fraction, nearest, of_paper, shown, units
from twolayer.figures.style import PAGE
from twolayer.model.networks.hermite_expansion import degree_for

_SHADES = (0.3, 0.5, 0.75, 1)


def draw(r: Evidence) -> Figure:
    """Draw the error against the width, alpha and beta, also without spikes or for a small step, and the degree of the
    series.
    """
    figure, panels = plt.subplots(2, 3, figsize=(PAGE, 5.6))
    width, start, degrees, alpha, beta, spare = panels.flat
    panel(
        width,
        r["width"],
        theory=r["theory_width"],
        frozen=shown(at(r["frozen_width"], beta=_of(r, "width", "beta"))),
        replay=r["width_published"],
        published=r["published_width"],
    )
    panel(
        start,
        r["width_at_beta_zero"],
        frozen=shown(at(r["frozen_width"], beta=_of(r, "width_at_beta_zero", "beta"))),
    )
    panel(alpha, r["alpha"], theory=r["theory_alpha"], replay=r["alpha_published"], published=r["published_alpha"])
    middle = nearest(r["beta"], alpha=0.5)
    panel(
        beta,
        r["beta"].sel(middle),
        theory=shown(at(r["theory_beta"], **middle)),
        frozen=shown(at(r["frozen_beta"], **middle)),
        replay=r["beta_published"],
        published=r["published_beta"],
    )
    beta.set_yscale("log")
    activation = r["degrees"].activation.values[0]
    _degrees(degrees, r["degrees"].sel(activation=activation))
    width.set_title(rf"$\beta = {_of(r, 'width', 'beta'):g}$, $\alpha = {fraction(_of(r, 'width', 'alpha'))}$")
    start.set_title(rf"$\beta = {_of(r, 'width_at_beta_zero', 'beta'):g}$")
    degrees.set_title(rf"$\alpha = {_of(r, 'degrees', 'alpha'):g}$, {NAMES[activation]}")
    alpha.set_title(rf"$\beta = {_of(r, 'alpha', 'beta'):g}$, ${units(r.parameter('alpha', 'width'))}$")
    beta.set_title(rf"$\alpha = {fraction(middle['alpha'])}$, ${units(r.parameter('beta', 'width'))}$")
    spare.set_axis_off()
    title = "series of (c); dashed: Hermite model"
    spare.legend(*degrees.get_legend_handles_labels(), loc="upper left", title=title)
    legend(figure, width)
    figure.suptitle(sizes(*(r[run] for run in ("width", "width_at_beta_zero", "alpha", "beta"))))
    return figure


def _of(r, run, key):
    """Return a parameter of the data of a run."""
    return r.parameter(run, f"data.{key}")


def _degrees(axes: Axes, result) -> None:
    """Draw the effect of ending the series of a drawn first layer at a degree, and the Hermite model of that degree."""
    full = result.theory.isel(degree=-1)
    for beta, shade in zip(result.beta.values, cycle(_SHADES), strict=False):
        style = {"color": COLOURS[result.activation.item()], "alpha": shade}
        for name, line in (("theory", "-"), ("hermite_theory", "--")):
            excess = 100 * (result[name] / full - 1).sel(beta=beta).mean("seed")
            label = rf"$\beta = {beta:g}$" if name == "theory" else None
            axes.plot(result.degree, excess, line, label=label, **style)
    axes.set_yscale("symlog", linthresh=1)
    axes.set(xlabel=LABELS["degree"], ylabel="above the full series [%]")


def checks(r: Evidence) -> Iterator[Check]:
    """Check the network against published values, Hermite model and theory, the degrees, and the shapes of the
    curves."""
    yield from _width(r)
    yield from _alpha(r)
    yield from _beta(r)
    yield from _degree(r)
    beta = _of(r, "width_at_beta_zero", "beta")
    yield z_score(
        r["width_at_beta_zero"].network,
        at(r["frozen_width"], beta=beta).theory,
        f"beta = {beta:g}, theory of frozen features against the network for all widths",
        source=agreement.FROZEN_FEATURES,
        compared=THEORY,
    )


def _width(r):
    yield from agreement.theory_of_network(r["width"], r["theory_width"], "width")
    theory = of_paper(r, "theory_width_at_n_1000")["theory_width_at_n_1000"]
    yield agreement.theory_of_published(theory, r["published_width"], r["width"], "width")
    yield from agreement.published(r, "width", "published_width", "code_width", "width", small=(300, 4))
    yield from agreement.equivalence(r["width"], r["theory_width"], "width")
    paper = of_paper(r.at("paper"), "width")["width"]
    yield agreement.beneath_markers(paper, "width", 7e-4)
    points = r["width"].network
    for activation in ("relu", "tanh"):
        for end in (0.1, 5):
            low, high = nearest(points, width=end), nearest(points, width=0.4)
            title = f"width, {activation}: more at k/m = {high['width']:g} than at {low['width']:g}"
            yield extrema.less(paper.network.sel(activation=activation), low, high, title)
    sigmoid = paper.network.sel(activation="sigmoid")
    first = nearest(points, width=0.1)
    yield extrema.largest(sigmoid, f"width, sigmoid: largest at k/m = {first['width']:g}", **first)
    yield extrema.smallest(sigmoid, "width, sigmoid: smallest for the widest network", **nearest(points, width=5))


def _alpha(r):
    yield from agreement.theory_of_network(r["alpha"], r["theory_alpha"], "alpha")
    yield from agreement.published(r, "alpha", "published_alpha", "code_alpha", "alpha", visible=("network",))
    yield from agreement.equivalence(r["alpha"], r["theory_alpha"], "alpha")
    yield agreement.beneath_markers(of_paper(r.at("paper"), "alpha")["alpha"], "alpha", 3e-3)
    yield from _ends(r, "alpha", r["alpha"].network, smallest=0, largest=1)


def _ends(r, name, points, *, smallest, largest):
    """Check that a sweep is smallest at one of its ends and largest at the other."""
    network = points if not isinstance(here := of_paper(r, name, size=False), Absent) else here
    low, high = nearest(points, **{name: smallest}), nearest(points, **{name: largest})
    yield extrema.smallest(network, f"{name}: smallest at {low[name]:g}", least=0.5, **low)
    yield extrema.largest(network, f"{name}: largest at {high[name]:g}", least=0.5, **high)


def _beta(r):
    middle = nearest(r["beta"], alpha=0.5)
    sweep, theory = r["beta"].sel(middle), at(r["theory_beta"], **middle)
    yield from agreement.theory_of_network(sweep, theory, "beta")
    yield from agreement.published(r, "beta", "published_beta", "code_beta", "beta", place={"alpha": 0.5})
    for outcome in agreement.equivalence(sweep, theory, "beta"):
        yield main(outcome)
    paper = at(of_paper(r.at("paper"), "beta")["beta"], alpha=0.5)
    yield agreement.beneath_markers(paper, "beta", 3.1e-3)
    yield from _ends(r, "beta", sweep.network, smallest=1, largest=0)


def _degree(r):
    series, alpha = r["degrees"].theory, _of(r, "degrees", "alpha")
    full = series.isel(degree=-1, drop=True)
    largest = int(series.degree[-1])
    for beta in series.beta.values:
        degree = degree_for(beta)
        yield relative(
            at(series, beta=beta, degree=degree),
            full.sel(beta=beta),
            f"beta = {beta:g}, alpha = {alpha:g}: the degree of the paper's rule, {degree}, is enough",
            tolerance=0.02,
            source=f"the paper's degree rule; series of the activation on drawn first layers, with degree {largest} "
            "for "
            "the full series",
            compared=NUMERICS,
        )
    strong = float(series.beta[-1])
    relu = at(series.isel(beta=-1), activation="relu")
    yield at_most(
        1.02 * relu.isel(degree=-1, drop=True),
        relu.isel(degree=0, drop=True),
        f"beta = {strong:g}, alpha = {alpha:g}, relu: degree {int(series.degree[0])} is not enough",
        source=f"the paper's degree rule, which gives {degree_for(strong)}; tolerance as for that degree",
        compared=NUMERICS,
    )
