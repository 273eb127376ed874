"""A mixture of the user's own, through everything there is for isotropic mixtures."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.curves import learning_curves, points

FEATURES = "#EE6677"


def own(results: Mapping[str, xr.Dataset]) -> Figure:
    """Learning curves of a network in three descriptions, and the error of random features against the noise."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(7.2, 2.9))
    learning_curves((left, middle), results["own_sgd"], results["own_chain"], results["own_ode"])
    _features(right, results["own_features"])
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _features(axes: Axes, features: xr.Dataset) -> None:
    axes.plot(features.sigma, features.class_error.mean("projection"), color=FEATURES, label="closed form")
    points(axes, features.simulated_class_error, "projection", FEATURES, "fresh samples")
    ratio = int(features.features) / int(features.input_dimension)
    axes.set(xscale="log", xlabel=r"noise $\sigma$", ylabel=f"class error of random features, $F={ratio:g}D$")
    axes.legend(loc="upper left")
