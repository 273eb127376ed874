"""Figures of goldt2021 on learning from generated inputs: equations of motion against online SGD."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.curves import SIMULATION, after_start, points

TEST = "#CCBB44"
OVERLAPS = {"Q": ("unit", "other_unit", "#EE6677"), "R": ("unit", "teacher_unit", "#228833")}


def fig33(results: Mapping[str, xr.Dataset]) -> Figure:
    """Random sign networks of one layer and of four."""
    return _learning(results, {"sign_one": "one layer of sign units", "sign_four": "four layers of sign units"})


def fig34(results: Mapping[str, xr.Dataset]) -> Figure:
    """A convolutional generator with random weights."""
    return _learning(results, {"random_gan": "dcGAN, random weights"})


def fig35(results: Mapping[str, xr.Dataset]) -> Figure:
    """A convolutional generator that was trained."""
    return _learning(results, {"trained_gan": "dcGAN"})


def fig36(results: Mapping[str, xr.Dataset]) -> Figure:
    """Normalising flows, whose latents have as many dimensions as the inputs."""
    return _learning(results, {"dense_flow": "real NVP, random weights", "trained_flow": "real NVP"})


def _learning(results: Mapping[str, xr.Dataset], runs: Mapping[str, str]) -> Figure:
    """Error and order parameters against time, a column for each generator."""
    figure, panels = plt.subplots(2, len(runs), figsize=(1.2 + 3.6 * len(runs), 5.4), sharex="col", squeeze=False)
    for (errors, overlaps), (run, title) in zip(panels.T, runs.items(), strict=True):
        theory, sgd = (after_start(results[f"{run}_{kind}"]) for kind in ("curve", "sgd"))
        _errors(errors, theory, sgd)
        _overlaps(overlaps, theory, sgd)
        errors.set_title(_titled(title, sgd), fontsize=9)
    for row in panels:
        row[0].legend(fontsize=7)
    return figure


def _titled(title: str, sgd: xr.Dataset) -> str:
    trained = f" trained on {sgd.attrs['trained_on']}" if "trained_on" in sgd.attrs else ""
    return f"{title}{trained}\n$D={int(sgd.latent_size)}$, $N={int(sgd.input_size)}$, {sgd.sizes['seed']} runs"


def _errors(axes: Axes, theory: xr.Dataset, sgd: xr.Dataset) -> None:
    points(axes, sgd.pmse, "seed", SIMULATION, "SGD")
    points(axes, sgd.test_pmse, "seed", TEST, "SGD, on fresh inputs")
    axes.plot(theory.time, theory.pmse, color="black", linewidth=0.8, label="equations")
    axes.set(xscale="log", yscale="log", ylabel="pmse")


def _overlaps(axes: Axes, theory: xr.Dataset, sgd: xr.Dataset) -> None:
    for name, (row, column, colour) in OVERLAPS.items():
        for position in np.ndindex(theory.sizes[row], theory.sizes[column]):
            place = dict(zip((row, column), position, strict=True))
            label = f"${name}$" if position == (0, 0) else None
            points(axes, sgd[name].isel(place), "seed", colour, label)
            axes.plot(theory.time, theory[name].isel(place), color="black", linewidth=0.8)
    axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel="order parameters")
