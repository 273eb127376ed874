"""Figure 13: densities of the teacher's features on the circle."""

from collections.abc import Iterator
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import PUBLISHED, THEORY, Check, among, main, relative, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import COLUMN
from twolayer.figures.varpro import descents


def draw(r: Evidence) -> Figure:
    """Draw densities of the teacher's features for three concentrations."""
    figure, axes = plt.subplots(figsize=(COLUMN, 3.0))
    teachers = r["teachers"]
    for gamma, colour in zip(teachers.gamma.values, cycle(descents.COLOURS[:3]), strict=False):
        here = teachers.sel(gamma=gamma)
        axes.plot(here.angle, here.density, color=colour, label=rf"$\gamma = {gamma:g}$")
        drawn = here.frequency * here.sizes["bin"] / (2 * np.pi)
        axes.plot(here.bin, drawn, ".", markersize=1.5, color=colour)
        if gamma in r["published"].gamma.values:
            descents.draw_vertices(axes, r["published"].sel(gamma=gamma), colour)
    axes.axhline(1 / (2 * np.pi), color="black", linestyle=":", label="uniform")
    axes.set(xlabel=r"angle $\omega$", ylabel="density of the teacher", yscale="log", xlim=(-np.pi, np.pi))
    sampled = Line2D([], [], color="black", linestyle="", marker=".", markersize=3, label="sample")
    descents.legend(figure, [*axes.get_legend_handles_labels()[0], sampled])
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the densities are the published ones, and that a sample follows them."""
    teachers, published = r["teachers"], r["published"]
    yield main(
        relative(
            descents.at_vertices(_published(teachers.density, published), published.angle),
            published.density,
            "densities against the published curves",
            tolerance=2e-4,
            source="all vertices of the published curves; the tolerance is the error of a vertex",
            compared=PUBLISHED,
        )
    )
    yield z_score(
        teachers.frequency,
        teachers.mass,
        "a sample against the density",
        source=f"exact mass of {r.parameter('teachers', 'bins')} bins, {r.parameter('teachers', 'samples'):,} draws",
        compared=THEORY,
    )


def _published(densities, published):
    """Return the densities for which a curve was published."""
    shared = among(densities, gamma=published.gamma.values)
    paper = ", ".join(f"{gamma:g}" for gamma in published.gamma.values)
    return shared if shared.size else Absent(f"no gamma is one of the paper's, {paper}")
