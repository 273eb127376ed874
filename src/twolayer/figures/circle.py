"""Figures of barboni2025 on the circle: variable projection, two-timescale descent and their limits."""

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

RIDGES = {0.1: "circle_ridge0.1", 0.01: "circle_ridge0.01", 0.001: "circle_ridge1e-3", 0.0001: "circle_ridge1e-4"}
GAMMAS = {10: "circle_gamma10", 100: "circle_ridge1e-4_unbiased", 1000: "circle_gamma1000"}
DIFFUSION, FLOW = "distance to the diffusion", "distance to the mean-field flow"


def fig8(results: Mapping[str, xr.Dataset]) -> Figure:
    """Reduced risk along the descent for several widths, biased and unbiased, and its mean-field limit."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, regularization in zip(panels, ("biased", "unbiased"), strict=True):
        result = results[f"circle_ridge1e-3_{regularization}"]
        _widths(axes, result.risk, results["published"].risk)
        limit = results["flow_gamma100"].risk.sel(ridge=1e-3, regularization=regularization)
        line(axes, limit, color="black", linestyle=":")
        axes.set(xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log")
    panels[0].set_xscale("log")
    decimal_ticks(panels[0])
    extra = [Line2D([], [], color="black", linestyle=":", label=r"mean field, $M = N = \infty$"), published_handle()]
    legend(figure, [*width_handles(result.width.values), *extra])
    return figure


def fig9(results: Mapping[str, xr.Dataset]) -> Figure:
    """Distances to the teacher and to the ultra-fast diffusion for several widths."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, quantity, name in zip(panels, ("mmd_teacher", "mmd_diffusion"), (TEACHER, DIFFUSION), strict=True):
        for regularization, style in STYLES.items():
            result = results[f"circle_ridge1e-3_{regularization}"]
            _widths(axes, result[quantity], results["published"][quantity], linestyle=style)
        axes.set(xlabel="iteration", ylabel=name, yscale="log")
        decimal_ticks(axes)
    panels[1].set_xscale("log")
    legend(figure, [*width_handles(result.width.values), *style_handles(), published_handle()])
    return figure


def fig10(results: Mapping[str, xr.Dataset]) -> Figure:
    """Distances to the teacher and to the two limits for several ridges."""
    figure, panels = plt.subplots(1, 3, figsize=(7.2, 3.2))
    columns = zip(panels, ("mmd_teacher", "mmd_diffusion", "mmd_flow"), (TEACHER, DIFFUSION, FLOW), strict=True)
    for axes, quantity, name in columns:
        for regularization, style in STYLES.items():
            for run, colour in zip(RIDGES.values(), COLOURS, strict=True):
                result = results[f"{run}_{regularization}"].isel(width=-1)
                line(axes, result[quantity], color=colour, linestyle=style)
                if quantity in results["published"]:
                    published_points(axes, results["published"][quantity], result[quantity], colour)
        axes.set(xlabel="iteration", ylabel=name, yscale="log", xscale="linear" if axes is panels[0] else "log")
        decimal_ticks(axes)
    _equal_heights(panels[1], panels[2])
    ridges = [
        Line2D([], [], color=colour, label=rf"$\lambda = {power_of_ten(ridge)}$")
        for ridge, colour in zip(RIDGES, COLOURS, strict=True)
    ]
    legend(figure, [*ridges, *style_handles(), published_handle()])
    return figure


def fig11(results: Mapping[str, xr.Dataset]) -> Figure:
    """Density of the features along the descent: ultra-fast diffusion, and networks with their mean-field limit."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    learned, diffusion = results["density"], results["diffusion_gamma100"]
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, learned.sizes["iteration"]))
    for iteration, colour in zip(learned.iteration.values, colours, strict=True):
        label = f"iteration {iteration}, $t = {iteration * float(diffusion.step):.1f}$"
        left.plot(diffusion.angle, diffusion.density.sel(iteration=iteration), color=colour, label=label)
        now = learned.sel(iteration=iteration)
        right.plot(now.angle, now.density.mean("seed"), color=colour)
        right.plot(now.angle, now.flow_density, color="black", linewidth=0.6, linestyle=":")
    for axes in (left, right):
        axes.plot(diffusion.angle, diffusion.teacher_density, "--", color="black", linewidth=0.8)
        axes.set(xlabel=r"angle $\omega$", xlim=(-np.pi, np.pi))
    left.set(ylabel="density", title="ultra-fast diffusion")
    right.set(title=f"learned features, mean of {learned.sizes['seed']} networks")
    handles = [
        Line2D([], [], color="black", linestyle="--", linewidth=0.8, label="teacher"),
        Line2D([], [], color="black", linestyle=":", linewidth=0.6, label="mean-field flow"),
    ]
    legend(figure, [*left.get_lines()[:-1], *handles])
    return figure


def fig11_animation(results: Mapping[str, xr.Dataset]) -> FuncAnimation:
    """The diffusion beside the smoothed features of one network."""
    learned, diffusion = results["density_frames"], results["diffusion_gamma100"]
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.1), sharey=True)
    curves = []
    for axes, title, source in zip(
        panels, ("ultra-fast diffusion", "learned features"), (diffusion, learned), strict=True
    ):
        axes.plot(diffusion.angle, diffusion.teacher_density, "--", color="black", linewidth=0.8, label="teacher")
        curves += axes.plot(source.angle, np.zeros(source.sizes["angle"]), color="#EE6677", label="student")
        axes.set(xlabel=r"angle $\omega$", xlim=(-np.pi, np.pi), title=title)
    panels[0].set(ylabel="density", ylim=(0, 1.1 * float(diffusion.teacher_density.max())))
    panels[1].legend(loc="upper left")

    def draw(frame):
        iteration = int(learned.iteration[frame])
        curves[0].set_ydata(diffusion.density.sel(iteration=iteration))
        curves[1].set_ydata(learned.density.isel(seed=0, iteration=frame))
        figure.suptitle(f"$t = {iteration * float(diffusion.step):.2f}$", fontsize=9)
        return curves

    return FuncAnimation(figure, draw, frames=learned.sizes["iteration"])


def fig12(results: Mapping[str, xr.Dataset]) -> Figure:
    """Two-timescale descent against variable projection: risk and distances, one row a ridge."""
    figure, panels = plt.subplots(3, 3, figsize=(7.2, 6.2), sharex="col", sharey="col")
    columns = (("risk", "unbiased risk"), ("mmd_teacher", TEACHER), ("mmd_diffusion", DIFFUSION))
    for row, ridge in zip(panels, list(RIDGES)[:3], strict=True):
        name = RIDGES[ridge].removeprefix("circle_")
        pairs = (
            (results[f"circle_{name}_unbiased"], results["published"], "-"),
            (results[f"circle_two_timescale_{name}"], results["published_two_timescale"], "--"),
        )
        for axes, (quantity, label) in zip(row, columns, strict=True):
            for result, published, style in pairs:
                first = result.sel(seed=0, drop=True)
                _widths(axes, first[quantity], published[quantity], linestyle=style)
            axes.set(yscale="log", ylabel=label)
            if quantity != "risk":
                decimal_ticks(axes)
            axes.set_title(rf"$\lambda = {power_of_ten(ridge)}$", fontsize=8)
    for axes, scale in zip(panels[-1], ("linear", "linear", "log"), strict=True):
        axes.set(xlabel="iteration", xscale=scale)
    names = zip(("variable projection", "two-timescale descent"), ("-", "--"), strict=True)
    handles = [Line2D([], [], color="black", linestyle=style, label=name) for name, style in names]
    legend(figure, [*width_handles(result.width.values), *handles, published_handle("published")])
    return figure


def fig13(results: Mapping[str, xr.Dataset]) -> Figure:
    """Densities of the teacher's features for three concentrations."""
    figure, axes = plt.subplots(figsize=(4.2, 3.0))
    teachers = results["teachers"]
    for gamma, colour in zip(teachers.gamma.values, COLOURS[:3], strict=True):
        here = teachers.sel(gamma=gamma)
        axes.plot(here.angle, here.density, color=colour, label=rf"$\gamma = {gamma:g}$")
        drawn = here.frequency * here.sizes["bin"] / (2 * np.pi)
        axes.plot(here.bin, drawn, ".", markersize=1.5, color=colour)
    axes.axhline(1 / (2 * np.pi), color="black", linestyle="--", label="uniform")
    axes.set(xlabel=r"angle $\omega$", ylabel="density of the teacher", yscale="log", xlim=(-np.pi, np.pi))
    sampled = Line2D([], [], color="black", linestyle="", marker=".", markersize=3, label="sample")
    legend(figure, [*axes.get_legend_handles_labels()[0], sampled])
    return figure


def fig14(results: Mapping[str, xr.Dataset]) -> Figure:
    """Risk and distances to the teacher and to the two limits for three concentrations of the teacher."""
    figure, panels = plt.subplots(2, 2, figsize=(7.2, 5.4))
    columns = zip(
        panels.flat,
        ("risk", "mmd_teacher", "mmd_diffusion", "mmd_flow"),
        ("unbiased risk", TEACHER, DIFFUSION, FLOW),
        strict=True,
    )
    for axes, quantity, name in columns:
        for (gamma, run), colour in zip(GAMMAS.items(), COLOURS[:3], strict=True):
            result = results[run].isel(width=-1)
            line(axes, result[quantity], color=colour)
            if quantity in results["published"]:
                published_points(axes, results["published"][quantity], result[quantity], colour)
            if quantity == "risk":
                limit = results[f"flow_gamma{gamma}"].risk.sel(ridge=1e-4, regularization="unbiased")
                line(axes, limit, color="black", linestyle=":")
        axes.set(xlabel="iteration", ylabel=name, yscale="log", xscale="linear" if quantity == "risk" else "log")
        if quantity != "risk":
            decimal_ticks(axes)
    _equal_heights(*panels[1])
    panels[0, 0].set_ylim(bottom=1e-9)
    handles = [
        Line2D([], [], color=colour, label=rf"$\gamma = {gamma}$")
        for gamma, colour in zip(GAMMAS, COLOURS[:3], strict=True)
    ]
    legend(figure, [*handles, Line2D([], [], color="black", linestyle=":", label="mean field"), published_handle()])
    return figure


def _widths(axes: Axes, curves: xr.DataArray, published: xr.DataArray, linestyle: str = "-") -> None:
    """One curve for each width, with the published one."""
    for width, colour in zip(curves.width.values, COLOURS, strict=False):
        curve = curves.sel(width=width)
        line(axes, curve, color=colour, linestyle=linestyle)
        published_points(axes, published, curve, colour)


def _equal_heights(first: Axes, second: Axes) -> None:
    """Give two panels the limits that hold both."""
    limits = np.array([first.get_ylim(), second.get_ylim()])
    for axes in (first, second):
        axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())
