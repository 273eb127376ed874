"""Figure 25: the network and the linear model over both exponents."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from twolayer.figures.checks import PUBLISHED, THEORY, Check, at_most, main, ordering, pooled, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.one_step import agreement
from twolayer.figures.one_step.panels import ERROR, LABELS, NAMES, sizes
from twolayer.figures.one_step.places import nearest, of_paper
from twolayer.figures.style import PAGE

_PAPER = {"data__input_dimension": 400, "data__samples": 500, "data__teacher": "aligned", "degree": 1}
_SIZE = ("data__input_dimension", "data__samples")

# region in which the published map of the linear model is black, as text and as ranges of alpha and beta
BLACK = {
    "alpha up to 0.14 and beta up to 0.31": (slice(0, 0.14), slice(0, 0.32)),
    "alpha of 0.28 and beta up to 0.38": (slice(0.27, 0.29), slice(0, 0.4)),
    "alpha from 0.69 and beta up to 0.72": (slice(0.68, 1), slice(0, 0.73)),
}


def draw(r: Evidence) -> Figure:
    """Draw the error and the deviation of the linear model, over alpha and beta.

    The columns are networks, theory, and at the paper preset the published maps.
    """
    result, theory = (r[name].sel(activation="relu") for name in ("exponents", "theory_exponents"))
    known = theory.theory.mean("seed")
    errors = {"networks": result.network.mean("seed"), "theory": known}
    gaps = [result.hermite_gap, theory.hermite_theory.mean("seed") / known - 1]
    if r.preset == "paper":
        errors["published"] = r["published"].network.sel(activation="relu")
        gaps.append(r["published_linear"].hermite_difference.sel(activation="relu") / errors["published"])
    columns = len(errors)
    figure, panels = plt.subplots(2, columns, figsize=(PAGE, 1.2 + 10 / columns), sharex=True, sharey=True)
    limits = {"vmin": min(one.min() for one in errors.values()), "vmax": max(one.max() for one in errors.values())}
    for axes, (title, error) in zip(panels[0], errors.items(), strict=True):
        mesh = _map(axes, error, cmap="magma_r", **limits)
        axes.set_title(title)
    figure.colorbar(mesh, ax=panels[0], aspect=15).set_label(ERROR)
    limits = {"vmin": np.log(4), "vmax": np.log(100)}
    for axes, gap in zip(panels[1], gaps, strict=True):
        mesh = _map(axes, np.log((100 * abs(gap)).clip(4, 100)), cmap="magma", **limits)
        axes.set_xlabel(LABELS["alpha"])
    bar = figure.colorbar(mesh, ax=panels[1], aspect=15, extend="both")
    bar.set_label("deviation of the linear model [%]")
    bar.set_ticks(np.log([5, 10, 25, 50, 100]), labels=["5", "10", "25", "50", "100"])
    bar.minorticks_off()
    for axes in panels[:, 0]:
        axes.set_ylabel(LABELS["beta"])
    activation = NAMES[result.activation.item()]
    figure.suptitle(f"{sizes(result)}, theory of {theory.sizes['seed']} first layers each, {activation}")
    return figure


def _map(axes: Axes, values: xr.DataArray, **style) -> QuadMesh:
    return axes.pcolormesh(values.alpha, values.beta, values.transpose("beta", "alpha"), rasterized=True, **style)


def checks(r: Evidence) -> Iterator[Check]:
    """Check both published maps, and the places of their largest and smallest values."""
    paper = of_paper(r.at("paper"), "exponents", **_PAPER)["exponents"]
    yield from _against_theory(r)
    yield z_score(
        paper.network,
        r["published"].network,
        "network: fresh data against the published figure",
        source="published figure, one draw of the data; colours read to 0.0005",
        compared=PUBLISHED,
        target_draws=1,
    )
    yield from _at_the_corner(r)
    yield z_score(
        paper.hermite_difference,
        r["published_linear"].hermite_difference,
        "linear model above the network: fresh data against the published figure",
        source="published map, one draw of the data, where it shows between 4 and 100 percent",
        compared=PUBLISHED,
        target_draws=1,
    )
    for where, (alpha, beta) in BLACK.items():
        yield at_most(
            paper.hermite_gap.sel(alpha=alpha, beta=beta),
            0.04,
            f"the linear model is close to the network for {where}",
            tolerance=0.03,
            source="published map, black up to 4 percent; and three standard errors, of 1 percent each",
            compared=PUBLISHED,
        )


def _against_theory(r):
    """Compare both models, and their quotient, with the theory of the same first layers and with the published map."""
    result, theory = r["exponents"], r["theory_exponents"]
    for measured, target, name in (
        (result.network, theory.theory, "network"),
        (result.hermite, theory.hermite_theory, "linear model"),
    ):
        yield pooled(
            measured,
            target,
            f"{name}, simulation against the theory of the same first layers, pooled",
            source=agreement.CONDITIONAL,
            compared=THEORY,
        )
    yield main(
        pooled(
            result.hermite / result.network,
            theory.hermite_theory / theory.theory,
            "linear model over the network of the same trial, simulation against theory, pooled",
            source=agreement.CONDITIONAL,
            compared=THEORY,
        )
    )
    full_size = of_paper(r, "theory_exponents_at_n_400", **_PAPER)["theory_exponents_at_n_400"]
    yield agreement.theory_of_published(full_size, r["published"], result, "alpha and beta")


def _at_the_corner(r):
    """Check the smallest error of the network, and the failure of the linear model, at alpha = 0 and beta = 1."""
    corner = nearest(r["exponents"], alpha=0, beta=1)
    where = f"alpha = {corner['alpha']:g}, beta = {corner['beta']:g}"
    shape = {**_PAPER, **{key: r.parameter("exponents", key.replace("__", ".")) for key in _SIZE}}
    here = of_paper(r, "exponents", size=False, **shape)["exponents"]
    yield ordering(
        here.network,
        here.network.sel(corner, drop=True),
        f"smallest error at {where}",
        source="shape of the published map, by a half or more on average",
        compared=PUBLISHED,
        on_average=True,
        stated=0.5,
    )
    yield at_most(
        1,
        here.hermite_gap.sel(corner),
        f"the linear model fails at {where}",
        tolerance=1e-9,
        source="published map, deviation above 100 percent",
        compared=PUBLISHED,
    )
