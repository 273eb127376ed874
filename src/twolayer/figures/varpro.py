"""Figures of barboni2025: variable projection, two-timescale descent and their limits, on circle and torus."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.animation import FuncAnimation
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

COLOURS = ("#4477AA", "#228833", "#CCBB44", "#EE6677")
STYLES = {"unbiased": "-", "biased": "--"}
RIDGES = {0.1: "circle_ridge0.1", 0.01: "circle_ridge0.01", 0.001: "circle_ridge1e-3", 0.0001: "circle_ridge1e-4"}
GAMMAS = {10: "circle_gamma10", 100: "circle_ridge1e-4_unbiased", 1000: "circle_gamma1000"}
TEACHER, DIFFUSION = "distance to the teacher", "distance to the diffusion"
FLOW = "distance to the mean-field flow"
_EVERY = 6  # of the published points is drawn
_PUBLISHED_SAMPLES = 4096  # on the torus


def fig8(results: Mapping[str, xr.Dataset]) -> Figure:
    """Reduced risk along the descent for several widths, biased and unbiased, and its mean-field limit."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, regularization in zip(panels, ("biased", "unbiased"), strict=True):
        result = results[f"circle_ridge1e-3_{regularization}"]
        _widths(axes, result.risk, results["published"].risk)
        limit = results["flow_gamma100"].risk.sel(ridge=1e-3, regularization=regularization)
        _line(axes, limit, color="black", linestyle=":")
        axes.set(xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log")
    panels[0].set_xscale("log")
    _decimal_ticks(panels[0])
    extra = [Line2D([], [], color="black", linestyle=":", label=r"mean field, $M = N = \infty$"), _published_handle()]
    _legend(figure, [*_width_handles(result.width.values), *extra])
    return figure


def fig9(results: Mapping[str, xr.Dataset]) -> Figure:
    """Distances to the teacher and to the ultra-fast diffusion for several widths."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, quantity, name in zip(panels, ("mmd_teacher", "mmd_diffusion"), (TEACHER, DIFFUSION), strict=True):
        for regularization, style in STYLES.items():
            result = results[f"circle_ridge1e-3_{regularization}"]
            _widths(axes, result[quantity], results["published"][quantity], linestyle=style)
        axes.set(xlabel="iteration", ylabel=name, yscale="log")
        _decimal_ticks(axes)
    panels[1].set_xscale("log")
    _legend(figure, [*_width_handles(result.width.values), *_style_handles(), _published_handle()])
    return figure


def fig10(results: Mapping[str, xr.Dataset]) -> Figure:
    """Distances to the teacher and to the two limits for several ridges."""
    figure, panels = plt.subplots(1, 3, figsize=(7.2, 3.2))
    columns = zip(panels, ("mmd_teacher", "mmd_diffusion", "mmd_flow"), (TEACHER, DIFFUSION, FLOW), strict=True)
    for axes, quantity, name in columns:
        for regularization, style in STYLES.items():
            for run, colour in zip(RIDGES.values(), COLOURS, strict=True):
                result = results[f"{run}_{regularization}"].isel(width=-1)
                _line(axes, result[quantity], color=colour, linestyle=style)
                if quantity in results["published"]:
                    _published(axes, results["published"][quantity], result[quantity], colour)
        axes.set(xlabel="iteration", ylabel=name, yscale="log", xscale="linear" if axes is panels[0] else "log")
        _decimal_ticks(axes)
    _equal_heights(panels[1], panels[2])
    ridges = [
        Line2D([], [], color=colour, label=rf"$\lambda = {_power_of_ten(ridge)}$")
        for ridge, colour in zip(RIDGES, COLOURS, strict=True)
    ]
    _legend(figure, [*ridges, *_style_handles(), _published_handle()])
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
    _legend(figure, [*left.get_lines()[:-1], *handles])
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
                _decimal_ticks(axes)
            axes.set_title(rf"$\lambda = {_power_of_ten(ridge)}$", fontsize=8)
    for axes, scale in zip(panels[-1], ("linear", "linear", "log"), strict=True):
        axes.set(xlabel="iteration", xscale=scale)
    names = zip(("variable projection", "two-timescale descent"), ("-", "--"), strict=True)
    handles = [Line2D([], [], color="black", linestyle=style, label=name) for name, style in names]
    _legend(figure, [*_width_handles(result.width.values), *handles, _published_handle("published")])
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
    _legend(figure, [*axes.get_legend_handles_labels()[0], sampled])
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
            _line(axes, result[quantity], color=colour)
            if quantity in results["published"]:
                _published(axes, results["published"][quantity], result[quantity], colour)
            if quantity == "risk":
                limit = results[f"flow_gamma{gamma}"].risk.sel(ridge=1e-4, regularization="unbiased")
                _line(axes, limit, color="black", linestyle=":")
        axes.set(xlabel="iteration", ylabel=name, yscale="log", xscale="linear" if quantity == "risk" else "log")
        if quantity != "risk":
            _decimal_ticks(axes)
    _equal_heights(*panels[1])
    panels[0, 0].set_ylim(bottom=1e-9)
    handles = [
        Line2D([], [], color=colour, label=rf"$\gamma = {gamma}$")
        for gamma, colour in zip(GAMMAS, COLOURS[:3], strict=True)
    ]
    _legend(figure, [*handles, Line2D([], [], color="black", linestyle=":", label="mean field"), _published_handle()])
    return figure


def _widths(axes: Axes, curves: xr.DataArray, published: xr.DataArray, linestyle: str = "-") -> None:
    """One curve for each width, with the published one."""
    for width, colour in zip(curves.width.values, COLOURS, strict=False):
        curve = curves.sel(width=width)
        _line(axes, curve, color=colour, linestyle=linestyle)
        _published(axes, published, curve, colour)


def _line(axes: Axes, curve: xr.DataArray, **style) -> None:
    """The mean over seeds, where there are seeds, from the first iteration that a logarithmic axis can show."""
    mean = curve.mean("seed") if "seed" in curve.dims else curve
    axes.plot(mean.iteration[1:], mean[1:], linewidth=0.9, **style)


def _published(axes: Axes, published: xr.DataArray, ours: xr.DataArray, colour: str) -> None:
    """Some points of the published curve that belongs to ours, if there is one."""
    place = {name: ours[name].item() for name in published.dims if name != "iteration"}
    points = published.sel(place).dropna("iteration")[1::_EVERY]
    axes.plot(points.iteration, points, "o", markersize=2.2, markerfacecolor="none", color=colour, markeredgewidth=0.5)


def _width_handles(widths):
    return [
        Line2D([], [], color=colour, label=f"$M = {width}$") for width, colour in zip(widths, COLOURS, strict=False)
    ]


def _style_handles():
    return [Line2D([], [], color="black", linestyle=style, label=name) for name, style in STYLES.items()]


def _published_handle(label="published, mean of 6 networks"):
    style = {"marker": "o", "markersize": 3, "markerfacecolor": "none", "markeredgewidth": 0.5}
    return Line2D([], [], color="black", linestyle="", label=label, **style)


def _decimal_ticks(axes: Axes) -> None:
    """0.01, 0.02, 0.05, ... on a logarithmic axis that spans one or two decades."""
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def _equal_heights(first: Axes, second: Axes) -> None:
    """Give two panels the limits that hold both."""
    limits = np.array([first.get_ylim(), second.get_ylim()])
    for axes in (first, second):
        axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())


def _legend(figure: Figure, handles) -> None:
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=8)


def _power_of_ten(value):
    return f"10^{{{round(np.log10(value))}}}"


def fig17(results: Mapping[str, xr.Dataset]) -> Figure:
    """Torus: reduced risk along the descent for several widths, biased and unbiased."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    for axes, regularization in zip(panels, ("biased", "unbiased"), strict=True):
        runs = _torus_widths(results, regularization)
        _torus_curves(axes, runs.values(), "risk", results["published"])
        axes.set(xlabel="iteration", ylabel=f"{regularization} reduced risk", yscale="log")
    panels[0].set_xscale("log")
    _torus_legend(figure, _width_handles(runs), runs.values())
    return figure


def fig18(results: Mapping[str, xr.Dataset]) -> Figure:
    """Torus: distance to the teacher for several widths."""
    figure, axes = plt.subplots(figsize=(4.6, 3.6))
    for regularization, style in STYLES.items():
        runs = _torus_widths(results, regularization)
        _torus_curves(axes, runs.values(), "mmd_teacher", results["published"], style)
    axes.set(xlabel="iteration", ylabel=TEACHER, yscale="log")
    _torus_legend(figure, [*_width_handles(runs), *_style_handles()], runs.values())
    return figure


def fig19(results: Mapping[str, xr.Dataset]) -> Figure:
    """Torus: distance to the teacher for several ridges."""
    figure, axes = plt.subplots(figsize=(4.6, 3.6))
    ridges = {ridge: name.replace("circle", "torus") for ridge, name in RIDGES.items() if ridge >= 1e-3}
    for regularization, style in STYLES.items():
        runs = [results[f"{name}_{regularization}"] for name in ridges.values()]
        _torus_curves(axes, runs, "mmd_teacher", results["published"], style)
    axes.set(xlabel="iteration", ylabel=TEACHER, yscale="log", title=f"$M = {int(runs[0].width)}$")
    handles = [
        Line2D([], [], color=colour, label=rf"$\lambda = {_power_of_ten(ridge)}$")
        for ridge, colour in zip(ridges, COLOURS, strict=False)
    ]
    _torus_legend(figure, [*handles, *_style_handles()], runs)
    return figure


def fig20(results: Mapping[str, xr.Dataset]) -> Figure:
    """Torus: risk and distance to the teacher for a teacher of concentrated features, and for one of two features."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2))
    runs = [results["torus_ridge0.01_unbiased"], results["torus_two_features"]]
    for axes, quantity, name in zip(panels, ("risk", "mmd_teacher"), ("unbiased risk", TEACHER), strict=True):
        _torus_curves(axes, runs, quantity, results["published"])
        axes.set(xlabel="iteration", ylabel=name, yscale="log")
    handles = [
        Line2D([], [], color=colour, label=rf"$\gamma = {name}$")
        for name, colour in zip(("100", r"\infty"), COLOURS, strict=False)
    ]
    _torus_legend(figure, handles, runs)
    return figure


def fig21(results: Mapping[str, xr.Dataset]) -> Figure:
    """Torus: the features of the teacher, and its answers."""
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
    """Torus: the features of a network while it learns."""
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
    """Torus: the smoothed density of the same features, in one range of colours."""
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


def _torus_widths(results: Mapping[str, xr.Dataset], regularization: str) -> dict[int, xr.Dataset]:
    """The runs at ridge 1e-3, by their width."""
    named = [
        run for name, run in results.items() if name.startswith("torus_narrow") and name.endswith(f"_{regularization}")
    ]
    runs = [*named, results[f"torus_ridge1e-3_{regularization}"]]
    return {int(run.width): run for run in runs}


def _torus_curves(axes: Axes, runs, quantity: str, published: xr.Dataset, linestyle: str = "-") -> None:
    """One curve a run; with the published one where the run has the paper's number of samples."""
    for run, colour in zip(runs, COLOURS, strict=False):
        _line(axes, run[quantity], color=colour, linestyle=linestyle)
        if _is_published(run):
            _published(axes, published[quantity], run[quantity], colour)


def _is_published(run: xr.Dataset) -> bool:
    """Whether the run has the paper's size."""
    return int(run.samples) == _PUBLISHED_SAMPLES


def _torus_legend(figure: Figure, handles, runs) -> None:
    _legend(figure, [*handles, *([_published_handle("published")] if any(map(_is_published, runs)) else [])])


def _torus_axes(axes: Axes, title: str) -> None:
    axes.set(xlim=(-2, 2), ylim=(-2, 2), aspect="equal", xlabel="$w_1$", ylabel="$w_2$", title=title)
