"""Common parts of figures of networks on the circle: curves of several widths, and checks.

The paper draws means over six networks. The quick preset has all six for the first iterations. It has the complete
descent of the first network, whose published curves are known for some ridges without bias.
"""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from twolayer.figures.checks import PUBLISHED, THEORY, Check, among, at_most, mean_relative, pooled, relative, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.varpro import descents

DIFFUSION, FLOW = "distance to the diffusion", "distance to the mean-field flow"
PUBLISHED_DISTANCES = {"mmd_teacher": descents.TEACHER, "mmd_diffusion": DIFFUSION}
FIRST_SEED = "published curve, seed 0"

_PAPER = {"power": 2, "samples": 4096, "teacher_width": 4096, "seed": 0}
_STEP, _ITERATIONS_OF_PAPER = 2**-10, 32000
_SEEDS = 6  # number of networks in a published mean
_START = (0, 1000)  # range of iterations in which the start of a descent is compared
# Errors of drawing and reading: risks are steep, and the published scheme of the diffusion has errors of first order.
_START_TOLERANCES = {"risk": 0.02, "mmd_teacher": 0.005, "mmd_diffusion": 0.01}
# tolerances of the mean over widths and iterations
_MEAN_TOLERANCES = {"risk": 0.01, "mmd_teacher": 0.005, "mmd_diffusion": 0.01}
_ITERATIONS = (0, 1000, 5000, 10000, 20000, _ITERATIONS_OF_PAPER)

Curve = xr.DataArray | Absent


def of_paper(
    r: Evidence | Absent, *names: str, algorithm: str = "varpro", stream: str = "published"
) -> Evidence | Absent:
    """Return the evidence if these runs have the data, the teacher and the step of the paper's networks.

    Args:
        stream: stream of random numbers, `published` or `own`.
    """
    for name in names:
        r = r.as_published(name, algorithm=algorithm, descent__step=_STEP, stream=stream, **_PAPER)
    return r


def to_the_end(r: Evidence | Absent, *names: str, stream: str = "published") -> Evidence | Absent:
    """Return the evidence if these runs have the paper's parameters and number of iterations.

    Args:
        stream: stream of random numbers, `published` or `own`.
    """
    for name in names:
        r = of_paper(r, name, stream=stream).as_published(name, descent__iterations=_ITERATIONS_OF_PAPER)
    return r


def to_order(r: Evidence, regularization: str) -> xr.Dataset | Absent:
    """Return networks that order the widths by their ends; the paper preset has more of them than the paper."""
    family, stream = ("circle_widths", "own") if r.preset == "paper" else ("circle", "published")
    name = r.name_of(family, regularization=regularization)
    return to_the_end(r, name, stream=stream)[name]


def place(networks: xr.Dataset) -> str:
    """Return the parameters that distinguish some networks from others, for names of checks."""
    return f"ridge {float(networks.ridge):g}, {networks.regularization.item()}"


def published_curve(r: Evidence, ours: xr.DataArray) -> tuple[xr.DataArray, str] | None:
    """Return the published curve of the same networks and its description, or None if none was published."""
    if ours.name not in r["published"]:
        return None
    if ours.sizes["seed"] == _SEEDS:
        return r["published"][ours.name], f"published, mean of {_SEEDS} networks"
    known = r.get("published_seed0")
    if known is None or ours.regularization != "unbiased" or float(ours.ridge) not in known.ridge:
        return None
    return known[ours.name], "published, seed 0"


def draw_curve(axes: Axes, r: Evidence, ours: xr.DataArray, colour: str, linestyle: str = "-") -> None:
    """Draw the curve of networks of one width, with points of the published curve if there is one."""
    descents.line(axes, ours, color=colour, linestyle=linestyle)
    if found := published_curve(r, ours):
        descents.published_points(axes, found[0], ours, colour, found[1])


def width_curves(axes: Axes, r: Evidence, curves: xr.DataArray, linestyle: str = "-") -> None:
    """Draw one curve for each width, with the published curve."""
    for width, colour in zip(curves.width.values, descents.COLOURS, strict=False):
        draw_curve(axes, r, curves.sel(width=width), colour, linestyle)


def draw_flow(axes: Axes, flow: xr.Dataset, networks: xr.Dataset) -> None:
    """Draw the risk of the mean-field flow with the parameters of some networks, if the flow has them."""
    limit = flow_of(flow, networks)
    if not isinstance(limit, Absent):
        descents.line(axes, limit.risk, color="black", linestyle=":")


def flow_of(flow: xr.Dataset, networks: xr.Dataset) -> xr.Dataset | Absent:
    """Return the mean-field flow with the parameters of some networks."""
    if float(flow.gamma) != float(networks.gamma):
        return Absent(f"gamma is {float(networks.gamma):g}, but the mean-field flow has {float(flow.gamma):g}")
    for name in ("ridge", "regularization"):
        if networks[name].item() not in flow[name].values:
            return Absent(f"{name} is {networks[name].item()}, but the mean-field flow has only other values")
    return flow.sel(ridge=networks.ridge.item(), regularization=networks.regularization.item())


def how_many(networks: xr.Dataset) -> str:
    """Return the number of networks in a mean, for a title."""
    seeds = networks.sizes["seed"]
    return f"mean of {seeds} networks" if seeds > 1 else "one network"


def equal_heights(first: Axes, second: Axes) -> None:
    """Give two panels the same limits, which contain both."""
    limits = np.array([first.get_ylim(), second.get_ylim()])
    for axes in (first, second):
        axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())


def as_published(
    curve: Curve,
    published: xr.DataArray,
    title: str,
    *,
    iterations: tuple[int, ...] = _ITERATIONS,
    tolerance: float = 0.02,
    source: str = "published curve, mean over seeds 0 to 5",
) -> Check:
    """Check that a curve agrees with the published curve at some iterations."""
    measured = descents.where_published(among(curve, iteration=iterations), published)
    return relative(measured, published, title, tolerance=tolerance, source=source, compared=PUBLISHED)


def starts_as_published(r: Evidence, run: str, quantity: str, title: str) -> Check:
    """Check that the start of six networks of each width agrees with the published curves."""
    return as_published(
        of_paper(r, run).as_published(run, seeds=_SEEDS)[run][quantity],
        r["published"][quantity],
        title,
        iterations=_START,
        tolerance=_START_TOLERANCES[quantity],
    )


def as_first_seed(r: Evidence, run: str, quantity: str, title: str, widths: slice = slice(None)) -> Check:
    """Check that the first network of each width follows the published curve of that network."""
    first = of_paper(r, run)[run][quantity].isel(width=widths).isel(seed=0, drop=True)
    return as_published(first, r["published_seed0"][quantity], title, source=FIRST_SEED)


def on_average(
    curve: Curve, published: xr.DataArray, title: str, *, iterations: tuple[int, ...] = _ITERATIONS
) -> Check:
    """Check that a curve agrees with the published curve on average over widths and iterations, for a main check."""
    return mean_relative(
        descents.where_published(among(curve, iteration=iterations), published),
        published,
        title,
        tolerance=_MEAN_TOLERANCES[published.name],
        source=f"{FIRST_SEED}; the mean deviation of curves read off the figure is a third of the tolerance",
        compared=PUBLISHED,
    )


def first_seeds(r: Evidence | Absent, quantity: str, *names: str) -> Curve:
    """Return the curves of the widest first networks of several runs that differ in the ridge."""
    r = of_paper(r, *names)
    if isinstance(r, Absent):
        return r
    curves = (r[name][quantity].isel(width=[-1]).isel(seed=0, drop=True) for name in names)
    return xr.concat(list(curves), "ridge")


def as_mean_field(
    networks: xr.Dataset | Absent, flow: xr.Dataset | Absent, title: str, iterations: tuple[int, ...]
) -> Check:
    """Check that the risk of the widest networks agrees with the mean field at some iterations."""
    return z_score(
        among(networks.risk.isel(width=-1), iteration=iterations),
        flow.risk,
        title,
        source="mean over seeds, where the effect of finite width and data is much smaller",
        compared=THEORY,
    )


def starts_as_mean_field(start: xr.Dataset, flow: xr.Dataset | Absent, title: str) -> Check:
    """Check that the risk of the widest networks agrees with the mean field on average over the first iterations."""
    return pooled(
        start.risk.isel(width=-1),
        flow.risk,
        title,
        source=f"{how_many(start)}; the effect of finite width and data is much smaller",
        compared=THEORY,
    )


def within_initial_noise(r: Evidence | Absent, run: str, networks: xr.Dataset, title: str) -> Check:
    """Check that the widest networks stay as close to the mean-field flow as independent draws to their distribution.

    Args:
        r: evidence for which the check applies. networks: networks of that run, at any preset.
    """
    width = int(networks.width[-1])
    return at_most(
        r[run].mmd_flow.isel(width=-1),
        float(np.sqrt(4 / (np.pi * width))),
        title,
        tolerance=1e-4,
        source=f"root mean square distance of {width} uniform features to their distribution, sqrt(4 / (pi M)), "
        "against the mean over seeds",
        compared=THEORY,
    )
