"""Figure 11: densities of the features, ultra-fast diffusion and networks."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import NUMERICS, PUBLISHED, THEORY, Check, at_most, main, relative, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import PAGE, RED
from twolayer.figures.varpro import circle, descents

# iterations between which the diffusion is linear and its error exceeds the error of the solver
_LINEAR = (12000, 16000)
_LEARNED = {"gamma": 100, "ridge": 1e-4, "regularization": "unbiased"}  # parameters of the published networks
_EVERY = 50  # step between compared angles, of about one kernel width


def draw(r: Evidence) -> Figure:
    """Draw the density of the features along the descent: ultra-fast diffusion, and networks with their mean-field
    limit.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 3.2), sharey=True)
    learned, diffusion = r["density"], r["diffusion_gamma100"]
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, learned.sizes["iteration"]))
    for iteration, colour in zip(learned.iteration.values, colours, strict=True):
        label = f"iteration {iteration}, $t = {iteration * float(diffusion.step):.1f}$"
        if iteration in diffusion.iteration.values:
            left.plot(diffusion.angle, diffusion.density.sel(iteration=iteration), color=colour, label=label)
            _draw_published(left, r, "diffusion", iteration, colour)
        now = learned.sel(iteration=iteration)
        right.plot(now.angle, now.density.mean("seed"), color=colour)
        right.plot(now.angle, now.flow_density, color="black", linewidth=0.6, linestyle=":")
        if r.preset == "paper":  # the same networks
            _draw_published(right, r, "learned", iteration, colour)
    for axes in (left, right):
        axes.plot(diffusion.angle, diffusion.teacher_density, "--", color="black", linewidth=0.8)
        axes.set(xlabel=r"angle $\omega$", xlim=(-np.pi, np.pi))
    left.set(ylabel="density", title="ultra-fast diffusion")
    right.set(title=f"learned features, {circle.how_many(learned)}")
    handles = [
        Line2D([], [], color="black", linestyle="--", linewidth=0.8, label="teacher"),
        Line2D([], [], color="black", linestyle=":", linewidth=0.6, label="mean-field flow"),
    ]
    descents.legend(figure, [*(line for line in left.get_lines()[:-1] if not line.get_gid()), *handles])
    return figure


def _draw_published(axes, r, curve, iteration, colour):
    """Draw some vertices of a published density."""
    published = r["published"].sel(curve=curve)
    if iteration in published.iteration.values:
        descents.draw_vertices(axes, published.sel(iteration=iteration), colour)


def animation(r: Evidence) -> FuncAnimation:
    """Animate the diffusion next to the smoothed features of one network."""
    learned, diffusion = r["density_frames"], r["diffusion_gamma100"]
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.1), sharey=True)
    curves = []
    for axes, title, source in zip(
        panels, ("ultra-fast diffusion", "learned features"), (diffusion, learned), strict=True
    ):
        axes.plot(diffusion.angle, diffusion.teacher_density, "--", color="black", linewidth=0.8, label="teacher")
        curves += axes.plot(source.angle, np.zeros(source.sizes["angle"]), color=RED, label="student")
        axes.set(xlabel=r"angle $\omega$", xlim=(-np.pi, np.pi), title=title)
    panels[0].set(ylabel="density", ylim=(0, 1.1 * float(diffusion.teacher_density.max())))
    panels[1].legend(loc="upper left")

    def update(frame):
        iteration = int(learned.iteration[frame])
        curves[0].set_ydata(diffusion.density.sel(iteration=iteration, method="nearest"))
        curves[1].set_ydata(learned.density.isel(seed=0, iteration=frame))
        figure.suptitle(f"$t = {iteration * float(diffusion.step):.2f}$")
        return curves

    return FuncAnimation(figure, update, frames=learned.sizes["iteration"])


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the densities with the published ones, and check the convergence rate of the diffusion."""
    diffusion = r["diffusion_gamma100"]
    paper = r.as_published("diffusion_gamma100", gamma=100, power=2, descent__step=2**-10)
    yield _against_published(paper["diffusion_gamma100"].density, r, "diffusion", "diffusion against the published one")
    start = _learned(r, "density_start")["density_start"].density
    title = "learned densities in the first iterations against the published ones"
    yield main(_against_published(start.mean("seed"), r, "learned", title))
    learned = _learned(r.at("paper"), "density")["density"].density
    yield _against_published(learned.mean("seed"), r, "learned", "learned densities against the published ones")
    yield z_score(
        r["density_start"].density.isel(angle=slice(None, None, _EVERY)),
        r["density_start"].flow_density,
        "learned densities against the mean field",
        source=f"{circle.how_many(r['density_start'])}, and the mean-field flow through the same kernel",
        compared=THEORY,
    )
    yield _linear_convergence(diffusion)
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


def _against_published(density, r, curve, title):
    """Compare densities with the published ones at the vertices of these, where they exceed a tenth of their maxima."""
    published = r["published"].sel(curve=curve)
    large = published.density > 0.1 * published.density.max("vertex")
    return relative(
        descents.at_vertices(density, published.angle),
        published.density.where(large),
        title,
        tolerance=0.002,
        source="all vertices of the published curves above a tenth of the maximum; the tolerance is the error of the "
        "vertices, and for the diffusion the error of the published steps",
        compared=PUBLISHED,
    )


def _learned(r, name):
    """Return the evidence if a run smooths features of the paper's networks as the paper does."""
    r = r.as_published(name, bandwidth=0.04)
    if isinstance(r, Absent):
        return r
    for key, paper in _LEARNED.items():
        if key in r[name].coords and (value := r[name][key].item()) != paper:
            return Absent(f"{key} is {value}, the paper has {paper}")
    return r


def _linear_convergence(diffusion):
    """Check that the slowest mode decays at the smallest eigenvalue of the linearised equation."""
    first, last = (diffusion.mode_amplitude.sel(iteration=iteration) for iteration in _LINEAR)
    time = (_LINEAR[1] - _LINEAR[0]) * diffusion.step
    return relative(
        np.log(first / last) / time,
        diffusion.relaxation_rate,
        "the diffusion converges at the rate of its slowest mode",
        tolerance=0.004,
        source="spectral gap of the teacher's distribution, in Fourier modes; the tolerance allows for the remaining "
        "nonlinear terms and the solver's error",
        compared=THEORY,
    )
