"""Figure 11: densities of the features, ultra-fast diffusion and networks."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import NUMERICS, Verdict, at_most
from twolayer.figures.evidence import Evidence
from twolayer.figures.varpro.descents import legend


def draw(r: Evidence) -> Figure:
    """Density of the features along the descent: ultra-fast diffusion, and networks with their mean-field limit."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    learned, diffusion = r["density"], r["diffusion_gamma100"]
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


def animation(r: Evidence) -> FuncAnimation:
    """The diffusion beside the smoothed features of one network."""
    learned, diffusion = r["density_frames"], r["diffusion_gamma100"]
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

    def update(frame):
        iteration = int(learned.iteration[frame])
        curves[0].set_ydata(diffusion.density.sel(iteration=iteration))
        curves[1].set_ydata(learned.density.isel(seed=0, iteration=frame))
        figure.suptitle(f"$t = {iteration * float(diffusion.step):.2f}$", fontsize=9)
        return curves

    return FuncAnimation(figure, update, frames=learned.sizes["iteration"])


def checks(r: Evidence) -> Iterator[Verdict]:
    """The diffusion conserves mass and stays positive."""
    diffusion = r["diffusion_gamma100"]
    yield at_most(
        diffusion.mass_error,
        0,
        "the diffusion conserves mass",
        tolerance=1e-12,
        source="the equation; the tolerance is rounding",
        compared=NUMERICS,
    )
    yield at_most(
        0,
        diffusion.lowest_density,
        "the diffusion stays positive",
        tolerance=1e-12,
        source="maximum principle of f*/f",
        compared=NUMERICS,
    )
