"""Curves over several runs, and their legend."""

from collections.abc import Iterable

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.evidence import Absent
from twolayer.figures.style import BLUE, YELLOW

SIMULATION, ORDER_PARAMETERS = BLUE, YELLOW
ERRORS = {"pmse": "pmse", "class_error": "class error"}  # errors of a classifier, and their names


def points(axes: Axes, samples: xr.DataArray, over: str, colour: str, label: str | None = None) -> None:
    """Draw mean and standard deviation over one dimension, as points along the other."""
    mean, spread = samples.mean(over), samples.std(over, ddof=1)
    (along,) = mean.dims
    axes.errorbar(mean[along], mean, spread, fmt="o", markersize=2.5, color=colour, elinewidth=0.8, label=label)


def band(axes: Axes, samples: xr.DataArray, over: str, colour: str, label: str | None = None) -> None:
    """Draw mean and standard deviation over one dimension, as a band along the other."""
    mean, spread = samples.mean(over), samples.std(over, ddof=1)
    (along,) = mean.dims
    axes.fill_between(mean[along], mean - spread, mean + spread, color=colour, alpha=0.3, linewidth=0, label=label)


def legend_below(figure: Figure, panels: Iterable[Axes], columns: int, title: str | None = None) -> None:
    """Add one legend below all panels, with each label of these panels once."""
    entries = {label: line for axes in panels for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=columns, title=title)


def after_start(curve: xr.DataArray | xr.Dataset | Absent) -> xr.DataArray | xr.Dataset | Absent:
    """Return a curve without t = 0, which a logarithmic axis cannot show."""
    if isinstance(curve, Absent):
        return curve
    return curve.isel(time=np.flatnonzero(curve.time > 0))


def late_average(curve: xr.DataArray | Absent) -> xr.DataArray | Absent:
    """Return the mean over the measurements in the second half of a training."""
    if isinstance(curve, Absent):
        return curve
    return curve.isel(time=np.flatnonzero(curve.time >= curve.time[-1] / 2)).mean("time")


def learning_curves(
    panels: tuple[Axes, Axes], sgd: xr.Dataset, order_parameters: xr.Dataset, theory: xr.Dataset
) -> None:
    """Draw pmse and class error against time: simulation in N dimensions, SGD in order parameters, equations."""
    theory = after_start(theory)
    for axes, (error, word) in zip(panels, ERRORS.items(), strict=True):
        band(
            axes,
            after_start(order_parameters[error]),
            "seed",
            ORDER_PARAMETERS,
            f"order parameters, {order_parameters.sizes['seed']} runs",
        )
        points(axes, after_start(sgd[error]), "seed", SIMULATION, f"$N$ dimensions, {sgd.sizes['seed']} runs")
        axes.plot(theory.time, theory[error], color="black", linewidth=0.8, label=r"equations, $N\to\infty$")
        axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel=word)


def pre_activations(axes: Axes, fields: xr.Dataset, label: str, colour: str, null_colour: str) -> None:
    """Draw the deviation of pre-activations from Gaussian ones, next to an equal number of Gaussian samples."""
    for place, name in enumerate(("distance", "kurtosis")):
        for values, named, drawn in (
            (fields[name], label, colour),
            (fields[f"null_{name}"], "Gaussian samples", null_colour),
        ):
            axes.errorbar(
                place, values.mean(), values.std(ddof=1), fmt="o", color=drawn, label=None if place else named
            )
    axes.set_xticks([0, 1], ["distance $W_1$", "|excess kurtosis|"])
    axes.set(xlim=(-0.5, 1.5), ylim=(0, None))
    axes.legend(loc="upper left")  # above the distance, which is smaller than the kurtosis
