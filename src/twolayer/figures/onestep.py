"""Figures of demir2025: networks after one gradient step on structured mixtures."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
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
ERROR, TRAINING_ERROR = "generalization error", "training error"


def fig22(results: Mapping[str, xr.Dataset]) -> Figure:
    """Error against the width, alpha and beta; and against the width at beta = 0, where the theory is exact."""
    figure, panels = plt.subplots(2, 2, figsize=(7.2, 5.4))
    width, start, alpha, beta = panels.flat
    _panel(width, results, "width", theory=results["theory_width"].sel(beta=0.74))
    _panel(start, results, "width_at_beta_zero", theory=results["theory_width"].sel(beta=0))
    _panel(alpha, results, "alpha", theory=results["theory_alpha"])
    _panel(beta, results, "beta", theory=results["theory_beta"].sel(alpha=0.5))
    width.set_title(r"$\beta = 0.74$, $\alpha = 1/2$")
    start.set_title(r"$\beta = 0$")
    alpha.set_title(r"$\beta = 0.74$, $k = m$")
    beta.set_title(r"$\alpha = 1/2$, $k = m$")
    _legend(figure, width)
    return figure


def fig23(results: Mapping[str, xr.Dataset]) -> Figure:
    """Error against the alignment of the components, their ratio, and the rank of their spikes."""
    figure, (alignment, ratio, rank) = plt.subplots(1, 3, figsize=(7.2, 3.0))
    _panel(alignment, results, "alignment")
    _panel(ratio, results, "ratio")
    _panel(rank, results, "rank")
    _legend(figure, ratio)
    return figure


def fig24(results: Mapping[str, xr.Dataset]) -> Figure:
    """Error against the width on generated images of two pairs of classes, each without its mean."""
    return _pairs(results, "tops", "boots")


def fig25(results: Mapping[str, xr.Dataset]) -> Figure:
    """Left: error of the network over alpha and beta. Right: how far the linear model is off."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.1), sharey=True)
    result = results["exponents"].sel(activation="relu")
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
    figure.suptitle(_sizes(result) + f", {result.sizes['seed']} trials, ReLU", fontsize=8)
    return figure


def fig26(results: Mapping[str, xr.Dataset]) -> Figure:
    """Error against beta for three values of alpha."""
    figure, panels = plt.subplots(1, 3, figsize=(7.2, 3.0))
    runs = {"beta_alpha_zero": 0, "beta": 0.5, "beta_alpha_one": 1}
    for axes, (run, alpha) in zip(panels, runs.items(), strict=True):
        _panel(axes, results, run, theory=results["theory_beta"].sel(alpha=alpha))
        axes.set_title(rf"$\alpha = {alpha:g}$")
    _legend(figure, panels[1])
    return figure


def fig27(results: Mapping[str, xr.Dataset]) -> Figure:
    """Training error against the width."""
    figure, axes = plt.subplots(figsize=(3.8, 3.8))
    _panel(axes, results, "width", theory=results["theory_width"].sel(beta=0.74), suffix="_training")
    axes.set_ylabel(TRAINING_ERROR)
    _legend(figure, axes, columns=2)
    return figure


def fig28(results: Mapping[str, xr.Dataset]) -> Figure:
    """Error on generated images, against the width and against the step."""
    figure, (width, step) = plt.subplots(1, 2, figsize=(7.2, 3.4))
    _panel(width, results, "tops")
    _panel(step, results, "tops_step", hermite=False)
    width.set_title(r"$\eta = 1$")
    step.set_title("$k = m$")
    _legend(figure, width, columns=3)
    figure.suptitle(_generated(results["tops"]), fontsize=8)
    return figure


def fig29(results: Mapping[str, xr.Dataset]) -> Figure:
    """Error against the width on generated images of two pairs of classes that keep their means."""
    return _pairs(results, "tops_with_means", "boots_with_means")


def fig30(results: Mapping[str, xr.Dataset]) -> Figure:
    """Generated images: as they are, less their mean, and under noise."""
    result = results["tops_and_trousers"]
    figure, panels = plt.subplots(1, 4, figsize=(7.2, 2.25))
    tops, trousers = 0, 1
    shown = {
        "tops, generated": result.generated[tops],
        "trousers, less their mean": result.centred[trousers],
        "tops, under noise": result.noisy[tops],
        "trousers, under noise": result.noisy[trousers],
    }
    for axes, (title, pictures) in zip(panels, shown.items(), strict=True):
        axes.imshow(_tiled(pictures.values), cmap="gray", interpolation="nearest")
        axes.set_title(title, fontsize=8)
        axes.set_axis_off()
    figure.suptitle(_trained_on(result), fontsize=8)
    return figure


def _pairs(results, tops, boots):
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.4), sharey=True)
    for axes, (run, title) in zip(panels, ((tops, "tops and trousers"), (boots, "sandals and boots")), strict=True):
        _panel(axes, results, run)
        axes.set_title(title)
    panels[1].set_ylabel(None)
    _legend(figure, panels[0], columns=3)
    figure.suptitle(_generated(results[tops]), fontsize=8)
    return figure


def _generated(result: xr.Dataset) -> str:
    return f"{_sizes(result)}, {result.sizes['seed']} trials; {_trained_on(result)}"


def _trained_on(result: xr.Dataset) -> str:
    weights = f"{int(result.parameters) / 1e6:.1f} million weights"
    return f"images of a generator with {weights}, trained on {int(result.images):,} images of Fashion-MNIST"


def _tiled(pictures: np.ndarray) -> np.ndarray:
    """The first 16 pictures (n, H, W), four in a row."""
    height, width = pictures.shape[1:]
    return pictures[:16].reshape(4, 4, height, width).swapaxes(1, 2).reshape(4 * height, 4 * width)


def _panel(
    axes: Axes,
    results: Mapping[str, xr.Dataset],
    run: str,
    theory: xr.Dataset | None = None,
    suffix: str = "",
    hermite: bool = True,
) -> None:
    """Network, Hermite model, theory, and the replay of the published draw where it has the same size."""
    result, replay = results[run], results.get(f"{run}_published")
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


def _standard_error(samples: xr.DataArray) -> xr.DataArray:
    return samples.std("seed", ddof=1) / np.sqrt(samples.sizes["seed"])


def _legend(figure: Figure, axes: Axes, columns: int = 4) -> None:
    """One entry for each label, below the panels, sorted so that those of an activation are together."""
    entries = dict(sorted(zip(*reversed(axes.get_legend_handles_labels()), strict=True), key=lambda entry: entry[0]))
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=columns, fontsize=7)


def _sizes(result: xr.Dataset) -> str:
    return f"$n = {int(result.input_dimension)}$, $m = {int(result.samples)}$"
