"""Figures of refinetti2021: learning Gaussian mixtures."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

NETWORK, FEATURES, ORACLE = "#4477AA", "#EE6677", "black"
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
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=3)
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
    D, F = int(features.input_dimension), int(features.features)
    axes.plot(network.sigma, network.class_error, color=NETWORK, label="two-layer network, $K=4$")
    mean, spread = features.class_error.mean("projection"), features.class_error.std("projection")
    axes.plot(features.sigma, mean, color=FEATURES, label=f"random features, closed form, $N={D}$, $F={F}$")
    axes.fill_between(features.sigma, mean - spread, mean + spread, color=FEATURES, alpha=0.3, linewidth=0)
    simulated = features.simulated_class_error
    axes.errorbar(
        features.tried_sigma,
        simulated.mean("projection"),
        simulated.std("projection"),
        fmt="o",
        markersize=3,
        color=FEATURES,
        label="random features on fresh samples",
    )
    axes.plot(network.sigma, network.oracle, ":", color=ORACLE, label="Bayes oracle")
    axes.axhline(0.5, linestyle="--", color="0.5", label="chance")
    crossover = D**-0.25
    axes.axvline(crossover, color="0.85", linewidth=4, zorder=0)
    axes.text(crossover * 1.15, 0.02, r"$\sigma = N^{-1/4}$", color="0.45", ha="left")
    axes.set_xscale("log")
    axes.set(xlabel=r"noise $\sigma$ = 1/SNR", ylabel="class error", ylim=(-0.01, 0.58))
    axes.set_title("high SNR", loc="left")
    axes.set_title("low SNR", loc="right")


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
    simulated = _after_start(results["sgd_mnist"].pmse)
    mean, error = simulated.mean("seed"), simulated.std("seed", ddof=1) / np.sqrt(simulated.sizes["seed"])
    for run, label, style in (("ode_mnist", "complete", "-"), ("ode_mnist_published", "as published", ":")):
        theory = _after_start(results[run].pmse)
        axes.plot(theory.time, 100 * (theory / mean - 1), style, color=MIXTURES["mnist"][1], label=label)
    band = 100 * error / mean
    axes.fill_between(mean.time, -band, band, color="0.85", label="standard error", linewidth=0)
    axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel="deviation from simulation [%]", ylim=(-2.5, 2.5))
    axes.legend(loc="upper right", title="MNIST, equations", fontsize=7, title_fontsize=7)


def _learning_curve(axes: Axes, simulated: xr.DataArray, theory: xr.DataArray, colour: str) -> None:
    theory, simulated = _after_start(theory), _after_start(simulated)
    axes.plot(theory.time, theory, color=colour)
    mean, spread = simulated.mean("seed"), simulated.std("seed", ddof=1)
    axes.errorbar(simulated.time, mean, spread, fmt="o", markersize=2.5, color=colour, elinewidth=0.8)


def _after_start(curve: xr.DataArray) -> xr.DataArray:
    """Without t = 0, which a logarithmic axis cannot show."""
    return curve.isel(time=np.flatnonzero(curve.time > 0))


def _students(results: Mapping[str, xr.Dataset]) -> str:
    sgd = results["sgd_mnist"]
    return (
        f"erf network, $K={sgd.sizes['unit']}$, {sgd.sizes['seed']} simulations each; clusters of "
        f"{int(results['sgd_mnist'].images):,} MNIST and {int(results['sgd_fashion'].images):,} Fashion-MNIST images"
    )
