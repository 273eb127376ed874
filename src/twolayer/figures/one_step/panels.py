"""Panels of an error of networks after one gradient step, and of their Hermite models."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from twolayer.figures.averages import mean_and_error
from twolayer.figures.style import BLUE, READ_OFF, RED, YELLOW

COLOURS = {"relu": BLUE, "tanh": YELLOW, "sigmoid": RED}
MARKERS = {"relu": "o", "tanh": "s", "sigmoid": "^"}
NAMES = {"relu": "ReLU", "tanh": "tanh", "sigmoid": "sigmoid"}
LABELS = {
    "width": "$k/m$",
    "alpha": r"$\alpha$",
    "beta": r"$\beta$",
    "alignment": r"alignment $\gamma_1\cdot\gamma_2$",
    "ratio": r"mixture ratio $\rho_1$",
    "rank": "rank $d$",
    "degree": "degree $l$",
    "step_exponent": r"$\log\eta\,/\,\log n$",
}
ERROR, CLASS_ERROR = "generalization error", "class error"


def panel(
    axes: Axes,
    result: xr.Dataset,
    *,
    theory: xr.Dataset | None = None,
    frozen: xr.Dataset | None = None,
    replay: xr.Dataset | None = None,
    published: xr.Dataset | None = None,
    suffix: str = "",
    hermite: bool = True,
) -> None:
    """Draw network and Hermite model, theory of drawn first layers and of frozen features, and published values.

    Args:
        replay: replay of the published draw. published: its readings. Both are shown only at the paper's size.
        suffix: suffix of the variables' names, `_training` for the training error, `_misclassified` for the class
            error.
        hermite: whether to show the Hermite model.
    """
    (axis,) = set(result.network.dims) - {"activation", "seed"}
    if replay is not None and int(replay.samples) != int(result.samples):
        replay = published = None  # the readings do not apply to a smaller run than the paper's
    for activation in result.activation.values:
        here, colour, name = result.sel(activation=activation), COLOURS[activation], NAMES[activation]
        style = {"color": colour, "markersize": 3, "label": f"{name}, network"}
        axes.errorbar(here[axis], *mean_and_error(here[f"network{suffix}"]), fmt=MARKERS[activation], **style)
        if hermite:
            model, style = here[f"hermite{suffix}"].mean("seed"), {"color": colour, "linewidth": 1.3}
            axes.plot(here[axis], model, "--", label=f"{name}, Hermite model", **style)
        if theory is not None:
            curve = theory[f"theory{suffix}"].sel(activation=activation).mean("seed")
            axes.plot(theory[axis], curve, color="black", linewidth=0.8, zorder=3, label="theory of drawn first layers")
        if frozen is not None:
            curve = frozen[f"theory{suffix}"].sel(activation=activation)
            axes.plot(
                frozen[axis], curve, "-.", color="0.6", linewidth=0.8, zorder=1, label="theory of frozen features"
            )
        if replay is not None:
            values = replay[f"network{suffix}"].sel(activation=activation).mean("seed")
            axes.plot(replay[axis], values, "+", color="black", markersize=4, label="the published draw, network")
        if published is not None:
            readings(axes, published.sel(activation=activation), axis, colour)
    axes.set(xlabel=LABELS[axis], ylabel=CLASS_ERROR if suffix == "_misclassified" else ERROR)


def readings(axes: Axes, published: xr.Dataset, axis: str, colour: str) -> None:
    """Draw readings of the published figure, for the network, and for the Hermite model if it is visible."""
    style = {"color": colour, **READ_OFF}
    axes.plot(published[axis], published.network, marker="s", markersize=6, label="published, network", **style)
    if "hermite" in published:
        axes.plot(published[axis], published.hermite, marker="_", markersize=8, label="published, Hermite", **style)


def deviations(axes: Axes, result: xr.Dataset, theory: xr.Dataset, frozen: xr.Dataset | None = None) -> None:
    """Draw deviations of network, Hermite model and frozen features from theory for drawn first layers, in percent."""
    (axis,) = set(result.network.dims) - {"activation", "seed"}
    for activation in result.activation.values:
        here, colour = result.sel(activation=activation), COLOURS[activation]
        target = theory.theory.sel(activation=activation).mean("seed")
        mean, error = mean_and_error(100 * (here.network / target - 1))
        axes.errorbar(here[axis], mean, error, fmt=MARKERS[activation], markersize=3, color=colour)
        model = 100 * (here.hermite.mean("seed") / target - 1)
        axes.plot(here[axis], model, "--", color=colour, linewidth=1.3)
        if frozen is not None:
            curve = 100 * (frozen.theory.sel(activation=activation) / target - 1)
            axes.plot(frozen[axis], curve, "-.", color=colour, linewidth=0.8, alpha=0.7)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_yscale("symlog", linthresh=10, linscale=2)
    axes.set_yticks([-50, -10, -5, 0, 5, 10, 50])
    axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.set(xlabel=LABELS[axis], ylabel="from theory [%]")


def legend(figure: Figure, axes: Axes, columns: int = 4) -> None:
    """Add one legend entry for each label, below the panels, sorted by activation."""
    entries = dict(sorted(zip(*reversed(axes.get_legend_handles_labels()), strict=True), key=lambda entry: entry[0]))
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=columns)


def sizes(result: xr.Dataset, *others: xr.Dataset) -> str:
    """Return the size of the problem and the numbers of trials of several sweeps of it, for a caption."""
    numbers = sorted({one.sizes["seed"] for one in (result, *others)})
    trials = " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))
    return f"$n = {int(result.input_dimension)}$, $m = {int(result.samples)}$, {trials} trials"
