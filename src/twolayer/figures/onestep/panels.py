"""Panels that show an error of networks after one gradient step, and of their Hermite models."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {"relu": "#0072B2", "tanh": "#E69F00", "sigmoid": "#CC79A7"}
STYLES = {"relu": "-", "tanh": "--", "sigmoid": ":"}
NAMES = {"relu": "ReLU", "tanh": "tanh", "sigmoid": "sigmoid"}
LABELS = {
    "width": "$k/m$",
    "alpha": r"$\alpha$",
    "beta": r"$\beta$",
    "alignment": r"alignment $\gamma_1\cdot\gamma_2$",
    "ratio": r"mixture ratio $\rho_1$",
    "rank": "rank $d$",
    "step_exponent": r"$\log\eta\,/\,\log n$",
}
ERROR = "generalization error"


def panel(
    axes: Axes,
    result: xr.Dataset,
    *,
    theory: xr.Dataset | None = None,
    replay: xr.Dataset | None = None,
    suffix: str = "",
    hermite: bool = True,
) -> None:
    """Network, Hermite model, theory, and the replay of the published draw where it has the same size.

    Args:
        suffix: of the variables' names, `_training` for the training error.
        hermite: whether to show the Hermite model.
    """
    (axis,) = set(result.network.dims) - {"activation", "seed"}
    for activation in result.activation.values:
        here, colour, name = result.sel(activation=activation), COLOURS[activation], NAMES[activation]
        network, model = here[f"network{suffix}"], here[f"hermite{suffix}"].mean("seed")
        axes.errorbar(
            here[axis],
            network.mean("seed"),
            _standard_error(network),
            fmt="o",
            markersize=4,
            color=colour,
            label=f"{name}, network",
        )
        if hermite:
            axes.plot(
                here[axis], model, STYLES[activation], color=colour, linewidth=1.3, label=f"{name}, Hermite model"
            )
        if theory is not None:
            curve = theory[f"theory{suffix}"].sel(activation=activation)
            axes.plot(theory[axis], curve, color="black", linewidth=0.6, zorder=1, label="theory, frozen features")
        if replay is not None and int(replay.samples) == int(result.samples):
            values = replay[f"network{suffix}"].sel(activation=activation).mean("seed")
            axes.plot(replay[axis], values, "+", color="black", markersize=4, label="the published draw, network")
    axes.set(xlabel=LABELS[axis], ylabel=ERROR)


def legend(figure: Figure, axes: Axes, columns: int = 4) -> None:
    """One entry for each label, below the panels, sorted so that those of an activation are together."""
    entries = dict(sorted(zip(*reversed(axes.get_legend_handles_labels()), strict=True), key=lambda entry: entry[0]))
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=columns, fontsize=7)


def sizes(result: xr.Dataset) -> str:
    """Size of the problem, for a caption."""
    return f"$n = {int(result.input_dimension)}$, $m = {int(result.samples)}$"


def _standard_error(samples: xr.DataArray) -> xr.DataArray:
    return samples.std("seed", ddof=1) / np.sqrt(samples.sizes["seed"])
