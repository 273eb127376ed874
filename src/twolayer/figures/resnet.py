"""Figures of barboni2025: ResNet-20 on images."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatter

_OPTIMIZERS = {"varpro": "VarPro", "sgd": "SGD with momentum", "shampoo": "Shampoo"}
_BATCH_COLOURS = {64: "#4477AA", 128: "#228833", 256: "#CCBB44", 512: "#EE6677", 1024: "#AA3377"}


def fig15(results: Mapping[str, xr.Dataset]) -> Figure:
    """Training risk of ResNet-20 against the passes over the images: a panel an optimizer, a colour a batch size."""
    figure = _trainings(results, "risk", "training risk, mean over one pass")
    axis = figure.axes[0].yaxis
    figure.axes[0].set_yscale("log")
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))
    return figure


def fig16(results: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy of the same trainings after each pass."""
    return _trainings(results, "accuracy", "test accuracy")


def _trainings(results, quantity, name):
    figure, panels = plt.subplots(1, len(_OPTIMIZERS), figsize=(7.2, 3.0), sharey=True)
    runs = {run: result for run, result in results.items() if run != "published"}
    for axes, (optimizer, title) in zip(panels, _OPTIMIZERS.items(), strict=True):
        for result in runs.values():
            if result.optimizer == optimizer:
                _training(axes, result[quantity], results["published"][quantity])
        axes.set(xlabel="passes over the images", title=title)
    panels[0].set_ylabel(name)
    sizes = sorted({int(result.batch_size) for result in runs.values()})
    handles = [Line2D([], [], color=_BATCH_COLOURS[size], label=f"batches of {size}") for size in sizes]
    if len(figure.axes[0].lines) > len(sizes):
        handles.append(Line2D([], [], color="0.4", linestyle="--", linewidth=0.6, label="published"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=8)
    return figure


def _training(axes, curve, published):
    """One training, and the published one where it went as far, that is at the paper's scale."""
    colour = _BATCH_COLOURS[int(curve.batch_size)]
    axes.plot(curve.passes, curve, color=colour)
    if curve.sizes["passes"] == published.sizes["passes"]:
        there = published.sel(optimizer=curve.optimizer.item(), batch_size=curve.batch_size.item())
        axes.plot(there.passes, there, "--", color=colour, linewidth=0.6)
