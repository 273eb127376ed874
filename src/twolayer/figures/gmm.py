"""Figures of refinetti2021: learning Gaussian mixtures."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.animation import FuncAnimation
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.curves import after_start, band, learning_curves, points

NETWORK, FEATURES, ORACLE = "#4477AA", "#EE6677", "black"
REGIMES = {"low": "low SNR", "high": "high SNR", "mixed": "mixed SNR"}
CLASSES = {-1: "#4477AA", 1: "#EE6677"}
MIXTURES = {
    "random": ("random covariance", "#228833"),
    "mnist": ("MNIST, ten clusters", "#4477AA"),
    "fashion": ("Fashion-MNIST, ten clusters", "#EE6677"),
}


def fig1(results: Mapping[str, xr.Dataset]) -> Figure:
    """Left: a sample of the XOR mixture. Right: class error of network, random features and oracle against noise."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4), width_ratios=[1, 1.45])
    _mixture_sample(left, results["xor_sample"])
    _errors_against_noise(right, results["xor_network"], results["xor_random_features"])
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
    return figure


def _mixture_sample(axes: Axes, sample: xr.Dataset) -> None:
    for cluster in range(sample.sizes["cluster"]):
        label = int(sample.labels[cluster])
        axes.scatter(*sample.points[cluster].T, s=2, color=CLASSES[label], alpha=0.5, linewidth=0, rasterized=True)
        axes.annotate("", sample.means[cluster].values, (0, 0), arrowprops={"arrowstyle": "->", "color": "black"})
    sigma = float(sample.sigma)
    x, y = sample.means[0].values
    axes.annotate("", (x, y + 2 * sigma), (x, y), arrowprops={"arrowstyle": "->", "color": "black"})
    axes.text(x + 0.05, y + 1.1 * sigma, r"$2\sigma$", va="center")
    axes.text(0.5, -0.06, r"$\mu/\sqrt{N}$", ha="center", va="top")
    for label, colour in CLASSES.items():
        axes.scatter([], [], s=12, color=colour, label=f"$y={label:+d}$")
    axes.legend(loc="upper right", handletextpad=0.1)
    axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", xlim=(-2, 2), ylim=(-2, 2))
    axes.set_title("XOR mixture")


def _errors_against_noise(axes: Axes, network: xr.Dataset, features: xr.Dataset) -> None:
    features = features.isel(ratio=0)
    D = int(features.input_dimension)
    F = round(D * float(features.ratio))
    axes.plot(network.sigma, network.class_error, color=NETWORK, label="two-layer network, $K=4$")
    axes.plot(
        features.sigma,
        features.class_error.mean("projection"),
        color=FEATURES,
        label=f"random features, closed form, $N={D}$, $F={F}$",
    )
    band(axes, features.class_error, "projection", FEATURES)
    points(axes, features.simulated_class_error, "projection", FEATURES, "random features on fresh samples")
    axes.plot(network.sigma, network.oracle, ":", color=ORACLE, label="Bayes oracle")
    axes.axhline(0.5, linestyle="--", color="0.5", label="chance")
    crossover = D**-0.25
    axes.axvline(crossover, color="0.85", linewidth=4, zorder=0)
    axes.text(crossover * 1.15, 0.02, r"$\sigma = N^{-1/4}$", color="0.45", ha="left")
    axes.set_xscale("log")
    axes.set(xlabel=r"noise $\sigma$ = 1/SNR", ylabel="class error", ylim=(-0.01, 0.58))
    axes.set_title("high SNR", loc="left")
    axes.set_title("low SNR", loc="right")


def fig2(results: Mapping[str, xr.Dataset]) -> Figure:
    """Learning curves with identity covariance: equations, simulation in N dimensions, chain of order parameters."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(7.2, 2.9))
    learning_curves((left, middle), results["xor_sgd"], results["xor_chain"], results["xor_ode"])
    _order_parameters(right, after_start(results["xor_chain_large"]), after_start(results["xor_ode_large"]))
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _order_parameters(axes: Axes, simulated: xr.Dataset, theory: xr.Dataset) -> None:
    """Means of the local fields in the first and third cluster, one colour a hidden unit."""
    for unit in range(theory.sizes["unit"]):
        for cluster, marker in ((0, "o"), (2, "s")):
            here = {"cluster": cluster, "unit": unit}
            axes.plot(theory.time, theory.M.isel(here), color=f"C{unit}", linewidth=0.8)
            mean = simulated.M.isel(here).mean("seed")
            axes.plot(mean.time, mean, marker, color=f"C{unit}", markersize=2.5)
    axes.set(xscale="log", xlabel="time $t$ = steps / $N$", title=r"$N = 20\,000$")
    axes.set_ylabel("mean fields at $+e_1$ (circles), $+e_2$ (squares)", fontsize=7)


def fig3(results: Mapping[str, xr.Dataset]) -> Figure:
    """Learning curves on three mixtures, and how far theory is from simulation for one of them."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(7.2, 2.7))
    for axes, quantity, name in ((left, "pmse", "pmse"), (middle, "class_error", "class error")):
        for mixture, (_, colour) in MIXTURES.items():
            _learning_curve(axes, results[f"sgd_{mixture}"][quantity], results[f"ode_{mixture}"][quantity], colour)
        axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel=name)
    _deviations(right, results)
    handles = [plt.Line2D([], [], color=colour, marker="o", markersize=3) for _, colour in MIXTURES.values()]
    figure.legend(handles, [label for label, _ in MIXTURES.values()], loc="outside lower center", ncols=3)
    figure.suptitle(_students(results), fontsize=8)
    return figure


def _deviations(axes: Axes, results: Mapping[str, xr.Dataset]) -> None:
    """Both forms of the equations against the simulation on MNIST."""
    simulated = after_start(results["sgd_mnist"].pmse)
    mean, error = simulated.mean("seed"), simulated.std("seed", ddof=1) / np.sqrt(simulated.sizes["seed"])
    for run, label, style in (("ode_mnist", "complete", "-"), ("ode_mnist_published", "as published", ":")):
        theory = after_start(results[run].pmse)
        axes.plot(theory.time, 100 * (theory / mean - 1), style, color=MIXTURES["mnist"][1], label=label)
    band = 100 * error / mean
    axes.fill_between(mean.time, -band, band, color="0.85", label="standard error", linewidth=0)
    axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel="deviation from simulation [%]", ylim=(-2.5, 2.5))
    axes.legend(loc="upper right", title="MNIST, equations", fontsize=7, title_fontsize=7)


def _learning_curve(axes: Axes, simulated: xr.DataArray, theory: xr.DataArray, colour: str) -> None:
    theory = after_start(theory)
    axes.plot(theory.time, theory, color=colour)
    points(axes, after_start(simulated), "seed", colour)


def _students(results: Mapping[str, xr.Dataset]) -> str:
    sgd = results["sgd_mnist"]
    return (
        f"erf network, $K={sgd.sizes['unit']}$, {sgd.sizes['seed']} simulations each; clusters of "
        f"{int(results['sgd_mnist'].images):,} MNIST and {int(results['sgd_fashion'].images):,} Fashion-MNIST images"
    )


def fig4(results: Mapping[str, xr.Dataset]) -> Figure:
    """Class error against noise: a row a mixture, a column a regime of the signal-to-noise ratio."""
    figure, panels = plt.subplots(2, 3, figsize=(7.2, 4.6), sharey=True)
    for row, (mixture, name) in zip(panels, {"xor": "XOR", "three": "three clusters"}.items(), strict=True):
        for axes, regime in zip(row, REGIMES, strict=True):
            _regime(axes, results, mixture, regime)
        row[0].set_ylabel(f"{name}: class error")
    for axes, regime in zip(panels[0], REGIMES, strict=True):
        axes.set_title(REGIMES[regime])
    for axes in panels[1]:
        axes.set_xlabel(r"noise $\sigma$")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _regime(axes: Axes, results: Mapping[str, xr.Dataset], mixture: str, regime: str) -> None:
    trained = results[f"{mixture}_trained_{regime}"]
    features = results[f"{mixture}_features_{regime}"]
    for ratio, style in zip(features.ratio.values, ("-", "--"), strict=True):
        here = features.sel(ratio=ratio)
        mean, label = here.class_error.mean("projection"), f"random features, $F={ratio:g}D$"
        axes.plot(here.sigma, mean, style, color=FEATURES, label=label)
        axes.plot(here.closed_sigma, here.simulated_class_error.mean("projection"), "x", color=FEATURES, markersize=3)
    low, middle, high = trained.class_error.quantile([0.25, 0.5, 0.75], "seed")
    axes.errorbar(
        trained.sigma,
        middle,
        (middle - low, high - middle),
        fmt="o",
        markersize=3,
        color=NETWORK,
        label="network, $K=8$, median and quartiles",
    )
    if (mixture, regime) == ("xor", "low"):
        fixed = results["xor_network"]
        inside = (fixed.sigma >= trained.sigma[0]) & (fixed.sigma <= trained.sigma[-1])
        fixed = fixed.isel(sigma=np.flatnonzero(inside))
        axes.plot(fixed.sigma, fixed.class_error, color=NETWORK, label="network, $K=4$, fixed point")
    axes.plot(features.sigma, features.oracle, ":", color=ORACLE, label="Bayes oracle")
    axes.axhline(0.5, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xscale="log", ylim=(-0.02, 0.55))


def fig5(results: Mapping[str, xr.Dataset]) -> Figure:
    """The mixture after random features, on the three axes that the clusters' mean features span."""
    figure, panels = plt.subplots(2, 3, figsize=(7.2, 4.8), sharex="col")
    for column, regime in zip(panels.T, REGIMES, strict=True):
        for axes, second in zip(column, (1, 2), strict=True):
            _cloud(axes, results[f"cloud_{regime}"], second)
        column[0].set_title(REGIMES[regime])
        column[1].set_xlabel("first axis of the means")
    panels[0, 0].set_ylabel("second axis of the means")
    panels[1, 0].set_ylabel("third axis of the means")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _cloud(axes: Axes, cloud: xr.Dataset, second: int) -> None:
    """Points and ellipses on the first and another axis."""
    angles = np.linspace(0, 2 * np.pi, 100)
    circle = 2 * np.stack([np.cos(angles), np.sin(angles)])
    plane = [0, second]
    for cluster in range(cloud.sizes["cluster"]):
        colour = CLASSES[int(cloud.labels[cluster])]
        axes.scatter(
            *cloud.points[cluster, :, plane].values.T, s=2, color=colour, alpha=0.4, linewidth=0, rasterized=True
        )
        root = np.linalg.cholesky(cloud.covariances[cluster, plane, plane].values)
        axes.plot(*(cloud.means[cluster, plane].values[:, None] + root @ circle), color="black", linewidth=0.8)
    for label, colour in CLASSES.items():
        axes.scatter([], [], s=12, color=colour, label=f"$y={label:+d}$")
    axes.plot([], [], color="black", linewidth=0.8, label=r"$2\sigma$ ellipses, closed form")


def fig6(results: Mapping[str, xr.Dataset]) -> Figure:
    """Over-parametrisation: class error against time, and the rate of success against the number of hidden units."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.0))
    runs = {int(result.sizes["unit"]): result for name, result in results.items() if name.startswith("over")}
    for (units, result), shade in zip(runs.items(), np.linspace(0.9, 0.1, len(runs)), strict=True):
        curve = after_start(result.class_error)
        low, middle, high = curve.quantile([0.25, 0.5, 0.75], "seed")
        colour = plt.colormaps["viridis"](shade)
        left.plot(curve.time, middle, color=colour, label=f"$K={units}$")
        left.fill_between(curve.time, low, high, color=colour, alpha=0.15, linewidth=0)
    left.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel="class error, median and quartiles")
    left.legend(ncols=2, fontsize=7)
    rates = [float(result.success.mean()) for result in runs.values()]
    errors = [float(result.success.std(ddof=1)) / np.sqrt(result.sizes["seed"]) for result in runs.values()]
    right.errorbar(list(runs), rates, errors, fmt="o-", color=NETWORK)
    seeds = next(iter(runs.values())).sizes["seed"]
    right.set(xlabel="hidden units $K$", ylabel=f"rate of success in {seeds} runs", ylim=(-0.05, 1.05))
    return figure


def fig6_animation(results: Mapping[str, xr.Dataset]) -> FuncAnimation:
    """Weights of the hidden units in the plane of the means, while the network learns."""
    result = results["weights_in_the_plane"].isel(seed=0)
    figure, axes = plt.subplots(figsize=(3.4, 3.4))
    limit = 1.15 * float(abs(result.R).max())
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal", xlabel="$e_1$", ylabel="$e_2$")
    axes.axhline(0, color="0.85", zorder=0)
    axes.axvline(0, color="0.85", zorder=0)
    arrows = axes.quiver(
        *np.zeros((2, result.sizes["unit"])), *result.R[0], angles="xy", scale_units="xy", scale=1, width=0.008
    )

    def draw(frame):
        arrows.set_UVC(*result.R[frame].values)
        arrows.set_color([CLASSES[1 if weight > 0 else -1] for weight in result.v[frame]])
        time, error = float(result.time[frame]), float(result.class_error[frame])
        axes.set_title(f"$t = {time:.1f}$, class error {error:.3f}")
        return [arrows]

    return FuncAnimation(figure, draw, frames=result.sizes["time"])


def fig7(results: Mapping[str, xr.Dataset]) -> Figure:
    """Fixed points against the noise, for several learning rates and weight decays."""
    figure, panels = plt.subplots(2, 2, figsize=(7.2, 4.6), sharex=True)
    rates = _values(results, "asymptotics_rate_learning_rate")
    decays = _values(results, "asymptotics_decay_weight_decay") | {0.01: rates[0.1]}  # the common point of both
    _asymptotics(panels[:, 0], rates, "learning rate")
    _asymptotics(panels[:, 1], decays, "weight decay")
    return figure


def _values(results: Mapping[str, xr.Dataset], prefix: str) -> dict[float, xr.Dataset]:
    """Results of a grid by the value in their name."""
    return {float(name.removeprefix(prefix)): result for name, result in results.items() if name.startswith(prefix)}


def _asymptotics(panels: tuple[Axes, Axes], runs: Mapping[float, xr.Dataset], word: str) -> None:
    top, bottom = panels
    for value, shade in zip(sorted(runs), np.linspace(0.85, 0.1, len(runs)), strict=True):
        result, colour = runs[value], plt.colormaps["viridis"](shade)
        top.plot(result.sigma, result.pmse, color=colour, label=f"{word} {value:g}")
        points(top, result.simulated_pmse, "seed", colour)
        bottom.plot(result.sigma, result.class_error - result.oracle, color=colour)
    top.set(xscale="log", ylabel="pmse")
    top.legend(fontsize=7)
    bottom.set(xlabel=r"noise $\sigma$", ylabel="class error $-$ oracle")
