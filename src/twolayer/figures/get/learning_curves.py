"""Learning from what a generator gives: equations of motion against online SGD."""

from collections.abc import Iterator, Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from twolayer.figures.checks import NUMERICS, THEORY, Verdict, at_most, mean_relative, spread
from twolayer.figures.curves import SIMULATION, after_start, points
from twolayer.figures.evidence import Evidence

TEST = "#CCBB44"
OVERLAPS = {"Q": ("unit", "other_unit", "#EE6677"), "R": ("unit", "teacher_unit", "#228833")}


def draw_learning(r: Evidence, titles: Mapping[str, str]) -> Figure:
    """Error and order parameters against time, a column for each generator.

    Args:
        titles: run of a generator -> title of its column.
    """
    figure, panels = plt.subplots(2, len(titles), figsize=(1.2 + 3.6 * len(titles), 5.4), sharex="col", squeeze=False)
    for (errors, overlaps), (run, title) in zip(panels.T, titles.items(), strict=True):
        theory, sgd = _sides(r, run)
        _errors(errors, theory, sgd)
        _overlaps(overlaps, theory, sgd)
        errors.set_title(_titled(title, r[run], sgd), fontsize=9)
    for row in panels:
        row[0].legend(fontsize=7)
    return figure


def learning_checks(r: Evidence, run: str, name: str, *, tolerance: float | None = None) -> Iterator[Verdict]:
    """SGD against the equations, fresh inputs against Gaussian fields, and enough nodes.

    Args:
        run: of the generator. name: of it, in the titles.
        tolerance: of the pmse of SGD, relative and on average over times; None is two standard deviations over runs.
    """
    theory, sgd = _sides(r, run)
    title, source = f"{name}, pmse of SGD against the equations", "equations of motion for Gaussian local fields"
    if tolerance is None:
        yield spread(sgd.pmse, theory.pmse, title, source=source, compared=THEORY)
    else:
        yield mean_relative(sgd.pmse, theory.pmse, title, tolerance=tolerance, source=source, compared=THEORY)
    yield mean_relative(
        sgd.test_pmse,
        sgd.pmse,
        f"{name}, error on fresh inputs against that of Gaussian local fields",
        tolerance=0.02,
        source="order parameters of the same runs; a test set of 10,000 inputs has an error of 1 percent",
        compared=THEORY,
    )
    yield at_most(
        r[f"{run}_curve"].pmse_compression,
        0,
        f"{name}, nodes against twice as many",
        tolerance=1e-6,
        source="the densities are entire functions of the eigenvalue",
        compared=NUMERICS,
    )


def _sides(r: Evidence, run: str) -> tuple[xr.Dataset, xr.Dataset]:
    """Equations and SGD on what a generator gives."""
    return after_start(r[f"{run}_curve"]), after_start(r[f"{run}_sgd"])


def _titled(title: str, generator: xr.Dataset, sgd: xr.Dataset) -> str:
    trained = f", trained on {generator.attrs['trained_on']}" if "trained_on" in generator.attrs else ""
    return f"{title}{trained}\n$D={int(sgd.latent_size)}$, $N={int(sgd.input_size)}$, {sgd.sizes['seed']} runs"


def _errors(axes: Axes, theory: xr.Dataset, sgd: xr.Dataset) -> None:
    points(axes, sgd.pmse, "seed", SIMULATION, "SGD")
    points(axes, sgd.test_pmse, "seed", TEST, "SGD, on fresh inputs")
    axes.plot(theory.time, theory.pmse, color="black", linewidth=0.8, label="equations")
    axes.set(xscale="log", yscale="log", ylabel="pmse")
    axes.yaxis.set_minor_formatter(ScalarFormatter())
    axes.yaxis.set_major_formatter(ScalarFormatter())


def _overlaps(axes: Axes, theory: xr.Dataset, sgd: xr.Dataset) -> None:
    for name, (row, column, colour) in OVERLAPS.items():
        for position in np.ndindex(theory.sizes[row], theory.sizes[column]):
            place = dict(zip((row, column), position, strict=True))
            label = f"${name}$" if position == (0, 0) else None
            points(axes, sgd[name].isel(place), "seed", colour, label)
            axes.plot(theory.time, theory[name].isel(place), color="black", linewidth=0.8)
    axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel="order parameters")
