"""Learning rates and widths that scale with the dimension: three regimes, equations and their limits against SGD."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, THEORY, Check, at_most, main, pooled
from twolayer.figures.curves import after_start, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import BLUE, GREEN, PAGE, YELLOW

FAMILIES = ("few", "many")
FINITE_SIZE = 0.5  # relative deviation of pmse of SGD from the equations, times the root of N
LOWEST = -0.5  # kappa + delta at and below which the equations do not hold
REACH = 1.0  # range of both exponents in the diagram
LINES = ("--", "-")  # line styles for few and for many dimensions


def draw(r: Evidence) -> Figure:
    """Draw the regimes, and in each of them errors against the scaled time."""
    rows = [after_start(r[f"{family}_scaling"]) for family in FAMILIES]
    values = rows[0].value.values
    figure, panels = plt.subplots(1, 1 + len(values), figsize=(PAGE, 2.4), width_ratios=[1.1] + [1] * len(values))
    _diagram(panels[0], rows[0].exponent.values)
    for axes, value in zip(panels[1:], values, strict=True):
        for row, line, family in zip(rows, LINES, FAMILIES, strict=True):
            here, dimension = row.sel(value=value, drop=True), r.parameter(f"{family}_dimensions", "dimension")
            colour = _colour(float(here.exponent))
            axes.plot(here.time, here.pmse_theory, line, color=colour, linewidth=0.8, label=f"$N={dimension}$")
            points(axes, here.pmse, "seed", colour)
        axes.plot(here.time, here.pmse_limit, ":", color="black", linewidth=0.8, label="limit")
        axes.set(xscale="log", yscale="log", xlabel=_scaled_time(float(here.exponent)))
        axes.set(title=rf"$\kappa+\delta={float(here.exponent):g}$")
        axes.legend()
    panels[1].set(ylabel="pmse")
    return figure


def _colour(exponent):
    return BLUE if exponent == 0 else (GREEN if exponent > 0 else YELLOW)


def _scaled_time(exponent):
    rate = "" if exponent == 0 else (r"\rho\," if exponent > 0 else r"\rho^2")
    return rf"${rate}t$"


def _diagram(axes: Axes, exponents: np.ndarray) -> None:
    """Fill the regimes of the plane of both exponents, with the lines that the other panels belong to."""
    kappa = np.array([0.0, REACH])
    axes.fill_between(kappa, -kappa, REACH, color=GREEN, alpha=0.3, linewidth=0)
    axes.fill_between(kappa, LOWEST - kappa, -kappa, color=YELLOW, alpha=0.3, linewidth=0)
    axes.plot(kappa, -kappa, color=BLUE, linewidth=2)
    for exponent in exponents:
        axes.plot(kappa, exponent - kappa, ":", color="black", linewidth=0.6)
        axes.plot(0, exponent, "o", color="black", markersize=3)
    axes.set(
        xlabel=r"width, $K\sim N^\kappa$", ylabel=r"rate, $\gamma\sim N^{-\delta}$", xlim=kappa, ylim=(-REACH, REACH)
    )


def checks(r: Evidence) -> Iterator[Check]:
    """Compare SGD with the equations in all regimes, and check that the equations approach their limits with the
    dimension.
    """
    for family in FAMILIES:
        row, dimension = after_start(r[f"{family}_scaling"]), r.parameter(f"{family}_dimensions", "dimension")
        agreement = pooled(
            row.pmse,
            row.pmse_theory,
            f"{dimension} dimensions, SGD against the equations in all regimes",
            source="equations of motion at this dimension",
            compared=THEORY,
            stated=FINITE_SIZE / dimension**0.5,
        )
        yield main(agreement) if family == FAMILIES[-1] else agreement
    few, many = (_distance(r[f"{family}_scaling"]) for family in FAMILIES)
    yield at_most(
        many,
        few,
        "distance of the equations from their limits, in many against in few dimensions",
        source="limit of large dimension",
        compared=NUMERICS,
    )


def _distance(row: xr.Dataset) -> xr.DataArray:
    """Return the mean relative distance over the times, at each value whose limit differs."""
    row = after_start(row)
    return abs(row.pmse_theory / row.pmse_limit - 1).mean("time").where(row.exponent != 0)
