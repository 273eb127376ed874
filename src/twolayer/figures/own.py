"""A mixture of the user's own, through everything there is for isotropic mixtures."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.curves import after_start, band, points

SIMULATED, CHAIN, FEATURES = "#4477AA", "#CCBB44", "#EE6677"


def own(results: Mapping[str, xr.Dataset]) -> Figure:
    """Learning curves of a network in three descriptions, and the error of random features against the noise."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(7.2, 2.9))
    sgd, chain, theory = results["own_sgd"], results["own_chain"], after_start(results["own_ode"])
    for axes, quantity, name in ((left, "pmse", "pmse"), (middle, "class_error", "class error")):
        band(axes, after_start(chain[quantity]), CHAIN, f"order parameters, {chain.sizes['seed']} runs")
        points(axes, after_start(sgd[quantity]), SIMULATED, f"$N$ dimensions, {sgd.sizes['seed']} runs")
        axes.plot(theory.time, theory[quantity], color="black", linewidth=0.8, label=r"equations, $N\to\infty$")
        axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel=name)
    _features(right, results["own_features"])
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _features(axes: Axes, features: xr.Dataset) -> None:
    axes.plot(features.sigma, features.class_error.mean("projection"), color=FEATURES, label="closed form")
    simulated = features.simulated_class_error
    axes.errorbar(
        features.tried_sigma,
        simulated.mean("projection"),
        simulated.std("projection"),
        fmt="o",
        markersize=3,
        color=FEATURES,
        label="fresh samples",
    )
    ratio = int(features.features) / int(features.input_dimension)
    axes.set(xscale="log", xlabel=r"noise $\sigma$", ylabel=f"class error of random features, $F={ratio:g}D$")
    axes.legend(loc="upper left")
