"""Figures of goldt2021 on features of generated and real inputs: when they act like Gaussian ones."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

CASES = {
    "generic": ("generic weights", "#4477AA", "o"),
    "few_latents": ("four latents", "#EE6677", "s"),
    "localised": ("student units on one input each", "#228833", "^"),
    "low_rank": ("generator of low rank", "#CCBB44", "D"),
    "aligned": ("low rank, student aligned", "#AA3377", "v"),
}
COLOURS = {"square": "#4477AA", "logistic": "#EE6677", "erf": "#4477AA", "relu": "#EE6677"}
NAMES = {"square": "square loss", "logistic": "logistic loss"}
STYLES, FILLS = ("-", "--"), ("full", "none")  # of a first and a second ridge


def fig32(results: Mapping[str, xr.Dataset]) -> Figure:
    """Distance and kurtosis of the local fields against the input dimension, for each case."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.0), sharex=True)
    equivalence = results["equivalence"]
    names = {"distance": r"distance $W_1$ from the Gaussian law", "kurtosis": "|excess kurtosis|"}
    for axes, (quantity, name) in zip(panels, names.items(), strict=True):
        for case, (label, colour, marker) in CASES.items():
            samples = equivalence[quantity].sel(case=case)
            error = samples.std("seed", ddof=1) / np.sqrt(samples.sizes["seed"])
            style = {"marker": marker, "markersize": 3, "linewidth": 0.9, "color": colour}
            axes.errorbar(samples["dimension"], samples.mean("seed"), error, label=label, **style)
        floor = float(equivalence[f"floor_{quantity}"].mean())
        axes.axhline(floor, color="black", linestyle="--", linewidth=0.8, label="Gaussian samples, as many")
        axes.set(yscale="log", xlabel="input dimension $N$", ylabel=name)
        axes.set_xscale("log", base=2)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7)
    return figure


def fig37(results: Mapping[str, xr.Dataset]) -> Figure:
    """Logistic regression on random features of generated images, against the sample ratio."""
    return _generated(results, "logistic")


def fig38(results: Mapping[str, xr.Dataset]) -> Figure:
    """Least squares on the same features."""
    return _generated(results, "square")


def _generated(results: Mapping[str, xr.Dataset], loss: str) -> Figure:
    """Class error and training loss for both generators and both kinds of features."""
    figure, panels = plt.subplots(2, 2, figsize=(6.4, 4.8), sharex=True)
    trained_on = results["trained_gan"].attrs["trained_on"]
    titles = {"random_gan": "dcGAN, random weights", "trained_gan": f"dcGAN, trained on {trained_on}"}
    for (fresh, training), (generator, title) in zip(panels.T, titles.items(), strict=True):
        for activation in ("erf", "relu"):
            run, style = f"{generator}_{activation}", {"colour": COLOURS[activation], "name": f"{activation} features"}
            theory, learning = (results[f"{run}_{side}"].sel(loss=loss) for side in ("replica", "learning"))
            for axes, quantity in ((fresh, "class_error"), (training, "training_loss")):
                _curve(axes, theory[quantity].squeeze("ridge"), learning[quantity].squeeze("ridge"), **style)
        fresh.set_title(title, fontsize=9)
        fresh.set_ylabel("class error")
        training.set(xlabel=r"samples per feature $\alpha = n / d$", ylabel="training loss")
        training.set_yscale("log" if loss == "square" else "linear")
    return _with_legend(figure, panels, 4)


def fig39(results: Mapping[str, xr.Dataset]) -> Figure:
    """Random features of real images: their classes, and a teacher that sees the pixels."""
    figure, panels = plt.subplots(2, 3, figsize=(8.4, 4.8), sharex=True)
    columns = {
        "two classes, least squares": ("image_classes", "square", "test_loss", "pmse"),
        "teacher on the pixels, least squares": ("image_teacher", "square", "test_loss", "pmse"),
        "teacher on the pixels, logistic": ("image_teacher", "logistic", "class_error", "class error"),
    }
    for (fresh, training), (title, (run, loss, error, name)) in zip(panels.T, columns.items(), strict=True):
        for axes, quantity in ((fresh, error), (training, "training_loss")):
            sides = (results[f"{run}_{side}"][quantity].sel(loss=[loss]) for side in ("replica", "learning"))
            _against_sample_ratio(axes, *sides)
        fresh.set_ylabel(name)
        fresh.set_title(title, fontsize=9)
        training.set(xlabel=r"samples per feature $\alpha = n / d$", ylabel="training loss")
        training.set_yscale("log" if loss == "square" else "linear")
    signs = results["image_signs_replica"].sel(loss="square").squeeze("ridge")
    for axes, quantity in zip(panels[:, 1], ("test_loss", "training_loss"), strict=True):
        style = {"linestyle": "--", "color": COLOURS["square"], "linewidth": 0.9}
        axes.plot(signs.sample_ratio, signs[quantity], **style, label=r"replica with measured $\mathrm{E}\,yv$")
    figure.suptitle(results["image_classes"].attrs["law"], fontsize=9)
    return _with_legend(figure, panels, 3)


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
    return _with_legend(figure, panels, 5)


def _with_legend(figure: Figure, panels: np.ndarray, columns: int) -> Figure:
    """One legend for all panels."""
    entries = {
        label: line for axes in panels.flat for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=columns, fontsize=7)
    return figure


def _against_sample_ratio(axes: Axes, theory: xr.DataArray, learning: xr.DataArray) -> None:
    """A curve for every loss and ridge."""
    for loss in theory.loss.values:
        for ridge, style, fill in zip(theory.ridge.values, STYLES, FILLS, strict=False):
            sides = (side.sel(loss=loss, ridge=ridge) for side in (theory, learning))
            _curve(axes, *sides, COLOURS[loss], rf"{NAMES[loss]}, $\lambda = {ridge:g}$", style, fill)


def _curve(
    axes: Axes,
    theory: xr.DataArray,
    learning: xr.DataArray,
    colour: str,
    name: str,
    style: str = "-",
    fill: str = "full",
) -> None:
    """A curve of theory, and mean and standard error of simulations."""
    axes.plot(theory.sample_ratio, theory, style, color=colour, linewidth=0.9, label=f"{name}, replica")
    axes.errorbar(
        learning.sample_ratio,
        learning.mean("seed"),
        learning.std("seed", ddof=1) / np.sqrt(learning.sizes["seed"]),
        fmt="o",
        markersize=3,
        fillstyle=fill,
        color=colour,
        elinewidth=0.8,
        label=f"{name}, simulation",
    )
