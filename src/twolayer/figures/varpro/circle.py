"""What figures of networks on the circle share: how they draw several widths, and what they check."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from twolayer.figures.checks import PUBLISHED, THEORY, Verdict, among, at_most, relative, z_score
from twolayer.figures.evidence import Absent
from twolayer.figures.varpro.descents import COLOURS, TEACHER, line, published_points

RIDGES = {1e-1: "0.1", 1e-2: "0.01", 1e-3: "1e-3", 1e-4: "1e-4"}  # as the names of runs write them
DIFFUSION, FLOW = "distance to the diffusion", "distance to the mean-field flow"
PUBLISHED_DISTANCES = {"mmd_teacher": TEACHER, "mmd_diffusion": DIFFUSION}
LAST_ITERATION = 32000

_ITERATIONS = (0, 1000, 5000, 10000, 20000, LAST_ITERATION)


def width_curves(axes: Axes, curves: xr.DataArray, published: xr.DataArray, linestyle: str = "-") -> None:
    """One curve for each width, with the published one."""
    for width, colour in zip(curves.width.values, COLOURS, strict=False):
        curve = curves.sel(width=width)
        line(axes, curve, color=colour, linestyle=linestyle)
        published_points(axes, published, curve, colour)


def equal_heights(first: Axes, second: Axes) -> None:
    """Give two panels the limits that hold both."""
    limits = np.array([first.get_ylim(), second.get_ylim()])
    for axes in (first, second):
        axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())


def as_published(
    curve: xr.DataArray | Absent,
    published: xr.DataArray,
    title: str,
    *,
    iterations: tuple[int, ...] = _ITERATIONS,
    tolerance: float = 0.02,
    source: str = "published curve, mean over seeds 0 to 5",
) -> Verdict:
    """A curve agrees with the published one at some iterations."""
    measured = among(curve, iteration=iterations)
    return relative(measured, published, title, tolerance=tolerance, source=source, compared=PUBLISHED)


def ends_below(lower: xr.DataArray | Absent, upper: xr.DataArray | Absent, title: str) -> Verdict:
    """One distance ends below another, as the paper says."""
    return at_most(
        lower.sel(iteration=LAST_ITERATION),
        upper,
        title,
        tolerance=1e-4,
        source="the paper's claim; the tolerance is the reading error",
        compared=PUBLISHED,
    )


def as_mean_field(
    networks: xr.Dataset | Absent, flow: xr.Dataset | Absent, title: str, iterations: tuple[int, ...]
) -> Verdict:
    """The risk of 1024 features agrees with the mean field at some iterations."""
    return z_score(
        among(networks.risk.sel(width=1024), iteration=iterations),
        flow.risk,
        title,
        source="mean over seeds, where the risk of finite width and data is far below",
        compared=THEORY,
    )


def within_initial_noise(networks: xr.Dataset | Absent, title: str) -> Verdict:
    """1024 features stay as near to the mean-field flow as independent draws are to their law."""
    return at_most(
        networks.mmd_flow.sel(width=1024),
        0.0353,
        title,
        tolerance=1e-4,
        source="root mean square distance of 1024 uniform features to their law, sqrt(4 / (pi M)), "
        "against the mean over seeds",
        compared=THEORY,
    )
