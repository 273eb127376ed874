"""Figures of barboni2025 on the torus: variable projection with exponential features."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.animation import FuncAnimation
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.descents import (
    COLOURS,
    STYLES,
    TEACHER,
    decimal_ticks,
    legend,
    line,
    power_of_ten,
    published_handle,
    published_points,
    style_handles,
    width_handles,
)

RIDGES = {0.1: "torus_ridge0.1", 0.01: "torus_ridge0.01", 0.001: "torus_ridge1e-3"}
_PUBLISHED_SAMPLES = 4096


def fig17(results: Mapping[str, xr.Dataset]) -> Figure:
    """Reduced risk along the descent for several widths, biased and unbiased."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, regularization in zip(panels, ("biased", "unbiased"), strict=True):
        runs = _widths(results, regularization)
        _curves(axes, runs.values(), "risk", results["published"])
        axes.set(xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log")
    panels[0].set_xscale("log")
    decimal_ticks(panels[0])
    _legend(figure, width_handles(runs), runs.values())
    return figure


def fig18(results: Mapping[str, xr.Dataset]) -> Figure:
    """Distance to the teacher for several widths."""
    figure, axes = plt.subplots(figsize=(4.6, 3.6))
    for regularization, style in STYLES.items():
        runs = _widths(results, regularization)
        _curves(axes, runs.values(), "mmd_teacher", results["published"], style)
    axes.set(xlabel="iteration", ylabel=TEACHER, yscale="log")
    decimal_ticks(axes)
    _legend(figure, [*width_handles(runs), *style_handles()], runs.values())
    return figure


def fig19(results: Mapping[str, xr.Dataset]) -> Figure:
    """Distance to the teacher for several ridges."""
    figure, axes = plt.subplots(figsize=(4.6, 3.6))
    for regularization, style in STYLES.items():
        runs = [results[f"{name}_{regularization}"] for name in RIDGES.values()]
        _curves(axes, runs, "mmd_teacher", results["published"], style)
    axes.set(xlabel="iteration", ylabel=TEACHER, yscale="log", title=f"$M = {int(runs[0].width)}$")
    decimal_ticks(axes)
    handles = [
        Line2D([], [], color=colour, label=rf"$\lambda = {power_of_ten(ridge)}$")
        for ridge, colour in zip(RIDGES, COLOURS, strict=False)
    ]
    _legend(figure, [*handles, *style_handles()], runs)
    return figure


def fig20(results: Mapping[str, xr.Dataset]) -> Figure:
    """Risk and distance to the teacher for a teacher of concentrated features, and for one of two features."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    runs = [results["torus_ridge0.01_unbiased"], results["torus_two_features"]]
    for axes, quantity, name in zip(panels, ("risk", "mmd_teacher"), ("unbiased risk", TEACHER), strict=True):
        _curves(axes, runs, quantity, results["published"])
        axes.set(xlabel="iteration", ylabel=name, yscale="log")
    decimal_ticks(panels[1])
    handles = [
        Line2D([], [], color=colour, label=rf"$\gamma = {name}$")
        for name, colour in zip(("100", r"\infty"), COLOURS, strict=False)
    ]
    _legend(figure, handles, runs)
    return figure


def fig21(results: Mapping[str, xr.Dataset]) -> Figure:
    """The features of the teacher, and its answers."""
    teacher = results["torus_teacher"]
    figure = plt.figure(figsize=(7.2, 3.4))
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
    left.scatter(*teacher.feature.values.T, s=2, color=COLOURS[0], alpha=0.5, linewidth=0, rasterized=True)
    _torus_axes(left, f"{teacher.sizes['index']} features of the teacher")
    x, y = np.meshgrid(teacher.x, teacher.y, indexing="ij")
    surface = right.plot_surface(x, y, teacher.signal.values, cmap="coolwarm", linewidth=0, rcount=100, ccount=100)
    surface.set_rasterized(True)
    right.set(xlabel="$x_1$", ylabel="$x_2$", title="answer of the teacher")
    figure.colorbar(surface, ax=right, shrink=0.7, pad=0.12)
    return figure


def fig21_scatter_animation(results: Mapping[str, xr.Dataset]) -> FuncAnimation:
    """The features of a network while it learns."""
    network = results["torus_ridge1e-3_unbiased"]
    iterations = results["torus_density"].iteration.values
    figure, axes = plt.subplots(figsize=(4.4, 4.2))
    dots = axes.scatter([], [], s=5, color=COLOURS[0], linewidth=0)

    def draw(frame):
        dots.set_offsets(network.feature.sel(snapshot=iterations[frame]).values)
        _torus_axes(axes, f"{network.sizes['index']} features, iteration {iterations[frame]}")
        return [dots]

    return FuncAnimation(figure, draw, frames=len(iterations))


def fig21_density_animation(results: Mapping[str, xr.Dataset]) -> FuncAnimation:
    """The smoothed density of the same features, in one range of colours."""
    density = results["torus_density"].density
    figure, axes = plt.subplots(figsize=(4.8, 4.2))
    image = axes.imshow(
        density[0].T, cmap="coolwarm", vmin=0, vmax=float(density.max()), origin="lower", extent=(-2, 2, -2, 2)
    )
    figure.colorbar(image, ax=axes, shrink=0.8, label="density")

    def draw(frame):
        image.set_data(density[frame].T)
        _torus_axes(axes, f"density of the features, iteration {int(density.iteration[frame])}")
        return [image]

    return FuncAnimation(figure, draw, frames=density.sizes["iteration"])


def _widths(results: Mapping[str, xr.Dataset], regularization: str) -> dict[int, xr.Dataset]:
    """The runs at ridge 1e-3, by their width."""
    named = [
        run for name, run in results.items() if name.startswith("torus_narrow") and name.endswith(f"_{regularization}")
    ]
    runs = [*named, results[f"torus_ridge1e-3_{regularization}"]]
    return {int(run.width): run for run in runs}


def _curves(axes: Axes, runs, quantity: str, published: xr.Dataset, linestyle: str = "-") -> None:
    """One curve a run; with the published one where the run has the paper's number of samples."""
    for run, colour in zip(runs, COLOURS, strict=False):
        line(axes, run[quantity], color=colour, linestyle=linestyle)
        if _is_published(run):
            published_points(axes, published[quantity], run[quantity], colour)


def _is_published(run: xr.Dataset) -> bool:
    """Whether the run has the paper's size."""
    return int(run.samples) == _PUBLISHED_SAMPLES


def _legend(figure: Figure, handles, runs) -> None:
    legend(figure, [*handles, *([published_handle("published")] if any(map(_is_published, runs)) else [])])


def _torus_axes(axes: Axes, title: str) -> None:
    axes.set(xlim=(-2, 2), ylim=(-2, 2), aspect="equal", xlabel="$w_1$", ylabel="$w_2$", title=title)
