"""Figures of goldt2021: the Gaussian equivalence of generative models."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {"square": "#4477AA", "logistic": "#EE6677"}
NAMES = {"square": "square loss", "logistic": "logistic loss"}
STYLES, FILLS = ("-", "--"), ("full", "none")  # of a first and a second ridge


def fig40(results: Mapping[str, xr.Dataset]) -> Figure:
    """Errors on fresh samples and training losses against the sample ratio, for four kinds of features."""
    figure, panels = plt.subplots(2, 4, figsize=(9.6, 4.8), sharex=True)
    titles = {
        "isotropic": "isotropic",
        "power_law": r"power law, $i^{-1.2}$",
        "erf_features": "erf features",
        "xor_features": "XOR mixture, relu features",
    }
    for (fresh, training), (run, title) in zip(panels.T, titles.items(), strict=True):
        error = "test_loss" if run == "xor_features" else "class_error"
        theory, learning = results[f"{run}_replica"], results[f"{run}_learning"]
        _against_sample_ratio(fresh, theory[error], learning[error])
        _against_sample_ratio(training, theory.training_loss, learning.training_loss)
        fresh.set_title(title, fontsize=9)
        fresh.set_ylabel("pmse" if run == "xor_features" else "class error")
        training.set(xlabel=r"samples per feature $\alpha = n / d$", ylabel="training loss", yscale="log")
    best = float(results["xor_features"].pmse)
    panels[0, 3].axhline(best, color="black", linewidth=0.8, linestyle=":", label="best readout, closed form")
    entries = {
        label: line for axes in panels.flat for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=5, fontsize=7)
    return figure


def _against_sample_ratio(axes: Axes, theory: xr.DataArray, learning: xr.DataArray) -> None:
    """Curves of theory, and mean and standard error of simulations, for every loss and ridge."""
    for loss in theory.loss.values:
        for ridge, style, fill in zip(theory.ridge.values, STYLES, FILLS, strict=True):
            name, colour = rf"{NAMES[loss]}, $\lambda = {ridge:g}$", COLOURS[loss]
            curve, samples = (side.sel(loss=loss, ridge=ridge) for side in (theory, learning))
            axes.plot(curve.sample_ratio, curve, style, color=colour, linewidth=0.9, label=f"{name}, replica")
            axes.errorbar(
                samples.sample_ratio,
                samples.mean("seed"),
                samples.std("seed", ddof=1) / np.sqrt(samples.sizes["seed"]),
                fmt="o",
                markersize=3,
                fillstyle=fill,
                color=colour,
                elinewidth=0.8,
                label=f"{name}, simulation",
            )
