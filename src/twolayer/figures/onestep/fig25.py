"""Figure 25: the network and the linear model over both exponents."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from twolayer.figures.checks import PUBLISHED, Verdict, at_most, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.onestep.panels import ERROR, LABELS, sizes

# where the published map of the linear model is black, in words and as ranges of alpha and beta
BLACK = {
    "alpha up to 0.14 and beta up to 0.31": (slice(0, 0.14), slice(0, 0.32)),
    "alpha of 0.28 and beta up to 0.38": (slice(0.27, 0.29), slice(0, 0.4)),
    "alpha from 0.69 and beta up to 0.72": (slice(0.68, 1), slice(0, 0.73)),
}


def draw(r: Evidence) -> Figure:
    """Left: error of the network over alpha and beta. Right: how far the linear model is off."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.1), sharey=True)
    result = r["exponents"].sel(activation="relu")
    error = result.network.mean("seed")
    mesh = left.pcolormesh(result.alpha, result.beta, error.T, cmap="magma_r", rasterized=True)
    figure.colorbar(mesh, ax=left, label=ERROR)
    percent = np.log((100 * abs(result.hermite_gap)).clip(4, 100))
    limits = {"vmin": np.log(4), "vmax": np.log(100)}
    mesh = right.pcolormesh(result.alpha, result.beta, percent.T, cmap="magma", rasterized=True, **limits)
    bar = figure.colorbar(mesh, ax=right, label="deviation of the linear model [%]")
    bar.set_ticks(np.log([5, 10, 25, 50, 100]), labels=["5", "10", "25", "50", r"$\geq$100"])
    bar.minorticks_off()
    left.set(xlabel=LABELS["alpha"], ylabel=LABELS["beta"])
    right.set(xlabel=LABELS["alpha"])
    figure.suptitle(sizes(result) + f", {result.sizes['seed']} trials, ReLU", fontsize=8)
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """Both published maps, and where they are brightest and darkest."""
    result, paper = r["exponents"], r.at("paper")["exponents"]
    yield z_score(
        paper.network,
        r["published"].network,
        "network: fresh data against the published figure",
        source="published figure, one draw of the data; colours read to 0.0005",
        compared=PUBLISHED,
        target_draws=1,
    )
    yield at_most(
        result.network.sel(alpha=0, beta=1, drop=True),
        result.network,
        "smallest error at alpha = 0, beta = 1",
        tolerance=1e-4,
        source="shape of the published map",
        compared=PUBLISHED,
    )
    yield at_most(
        1,
        result.hermite_gap.sel(alpha=0, beta=1),
        "the linear model fails at alpha = 0, beta = 1",
        tolerance=1e-9,
        source="published map, deviation above 100 percent",
        compared=PUBLISHED,
    )
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
