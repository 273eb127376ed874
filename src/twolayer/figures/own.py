"""A mixture of the user's own, through everything there is for isotropic mixtures."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.curves import after_start, learning_curves, points

FEATURES = "#EE6677"


def own(results: Mapping[str, xr.Dataset]) -> Figure:
    """Learning curves of a network in three descriptions, and the error of random features against the noise."""
    figure, (top, bottom) = plt.subplots(2, 2, figsize=(7.2, 5.0))
    learning_curves(top, results["own_sgd"], results["own_chain"], results["own_ode"])
    _features(bottom[0], results["own_features"])
    _training(bottom[1], results["own_readout"])
    figure.legend(*top[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _features(axes: Axes, features: xr.Dataset) -> None:
    features = features.isel(ratio=0)
    axes.plot(features.sigma, features.class_error.mean("projection"), color=FEATURES, label="closed form")
    points(axes, features.simulated_class_error, "projection", FEATURES, "fresh samples")
    label = f"class error of random features, $F={float(features.ratio):g}D$"
    axes.set(xscale="log", xlabel=r"noise $\sigma$", ylabel=label)
    axes.legend(loc="upper left")


def _training(axes: Axes, training: xr.Dataset) -> None:
    training = after_start(training)
    points(axes, training.pmse, "seed", FEATURES, "readout trained online")
    axes.axhline(float(training.optimum_pmse), color="black", linestyle=":", label="best readout")
    axes.set(xscale="log", xlabel="time $t$ = steps / $D$", ylabel="pmse of random features")
    axes.legend(loc="upper right")
