"""The Gaussian equivalence theorem: maximum-sliced distances, and the quantities in its conditions."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.applicable import Maybe, variable
from twolayer.figures.checks import INDEPENDENT, THEORY, Check, at_most, main, pooled, relative
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import BLUE, GREEN, PAGE, PURPLE, RED, YELLOW

CASES = {
    "generic": ("sign units, generic weights", BLUE, "o"),
    "smooth": ("smooth units, weights of random sign", GREEN, "s"),
    "smooth_positive": ("smooth units, positive weights", PURPLE, "D"),
    "few_latents": ("sign units, few latents", YELLOW, "v"),
    "localised": ("sign units, student on one input each", RED, "^"),
}
ATTAINED = 0.5  # exponent of the theorem
# A choice: the relative error of an exponent that is fitted over small sizes. No theory gives it. The exponent is 0.57
# from 16 to 64, 14 percent above the rate of the theorem, 0.54 from 16 to 512, and 0.49 from 64 to 512.
MARGIN = 0.15
FASTER = 0.65  # smallest exponent without a third cumulant; it is 1 for large sizes
# smallest ratio of distances between weights that violate a condition and generic ones, at the largest size
APART = 2.0
ABOVE_FLOOR = 2.0  # smallest distance in the fit of an exponent, in units of the distance of Gaussian samples
SINGLE = 0.53538  # W1 of +-1 from the standard normal distribution, by numerical integration


def draw(r: Evidence) -> Figure:
    """Draw distances against the input dimension, and their bounds."""
    result = r["theorem"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 3.3), sharex=True)
    for case, (label, colour, marker) in CASES.items():
        if case in result.case:
            here = result.sel(case=case)
            _points(left, here.distance, colour, marker, label)
    left.axhline(
        float(result.null_distance.mean()), linestyle=":", color="black", label="equal number of Gaussian samples"
    )
    sizes = result["dimension"].values.astype(float)
    left.plot(sizes, 0.35 * (sizes / sizes[0]) ** -0.5, "--", color="0.6", linewidth=0.8, label=r"$N^{-1/2}$")
    left.set(ylabel="maximum-sliced distance")
    _scales(right, result, sizes)
    for axes in (left, right):
        axes.set(yscale="log", xlabel="input dimension $N$")
        axes.set_xscale("log", base=2)
    right.set_ylim(bottom=right.get_ylim()[0] / 6)  # leaves room for the legend
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _points(axes: Axes, values: xr.DataArray, colour: str, marker: str, label: str | None = None) -> None:
    style = {"marker": marker, "markersize": 3, "linewidth": 0.9, "color": colour}
    axes.errorbar(values["dimension"], values.mean("seed"), values.std("seed", ddof=1), label=label, **style)


def _scales(axes: Axes, result: xr.Dataset, sizes: np.ndarray) -> None:
    """Draw quantities of the theorem for generic weights, and the bound of another theorem for smooth units."""
    generic = result.sel(case="generic")
    axes.plot(sizes, generic.generator_term.mean("seed"), color=BLUE, label=r"$\|BA^T/\sqrt{D}\|^2/\sqrt{N}$")
    axes.plot(sizes, generic.largest_weight.mean("seed"), "-.", color=BLUE, label="largest weight of an input")
    for case in ("smooth", "smooth_positive"):
        _, colour, marker = CASES[case]
        _points(axes, result.bound.sel(case=case), colour, marker)
        axes.plot(sizes, result.distance.sel(case=case).mean("seed"), ":", color=colour)
    axes.plot([], [], "s-", color="0.4", markersize=3, label="second-order Poincaré bound")
    axes.plot([], [], ":", color="0.4", label="distance")
    axes.legend(loc="lower left")


def exponent(result: xr.Dataset, case: str) -> Maybe:
    """Return the exponent with which the distance of each seed falls, over sizes with distances above Gaussian
    samples."""
    distance = result.distance.sel(case=case)
    above = np.flatnonzero(distance.mean("seed") > ABOVE_FLOOR * float(result.null_distance.mean()))
    if above.size < 2:
        return Absent("fewer than two sizes have a distance above the distance of Gaussian samples")
    used = distance.isel(dimension=above).transpose("dimension", "seed")
    slopes = np.polyfit(np.log(used["dimension"].values), np.log(used.values), 1)[0]
    return xr.DataArray(-slopes, {"seed": distance.seed}, dims="seed", name="exponent")


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the rate of the theorem is attained, that generic sign units are faster, and that violated conditions
    matter.
    """
    result = r["theorem"]
    yield main(
        pooled(
            exponent(result, "smooth_positive"),
            ATTAINED,
            "smooth units with positive weights, exponent of the largest distance",
            stated=MARGIN,
            source="the rate of the theorem, which a third cumulant attains, within chance and "
            f"{MARGIN:.0%} for a fit over small sizes; this allowance is a choice, since the correction at small sizes "
            "is not known",
        )
    )
    yield at_most(
        FASTER,
        exponent(result, "generic"),
        "sign units with generic weights, the largest distance falls faster",
        source="odd units have no third cumulant, so that the distance falls about like 1/N",
        compared=THEORY,
    )
    largest = result.distance.mean("seed").isel(dimension=-1, drop=True)
    yield at_most(
        APART * largest.sel(case="generic", drop=True),
        largest.sel(case="few_latents", drop=True),
        "few latents, the distance at the largest size is far above the distance of generic weights",
        source="outside the conditions of the theorem",
        compared=THEORY,
    )
    yield relative(
        result.distance.sel(case="localised").median("seed").drop_vars("case"),
        SINGLE,
        "student on one input each, distance of a sign from the normal distribution",
        tolerance=0.01,
        source="W1 of +-1 from the standard normal distribution in closed form, for the median draw; in some draws, "
        "signs are correlated by more than 0.55, and their difference has a larger distance",
        compared=INDEPENDENT,
    )
    smooth = result.sel(case=["smooth", "smooth_positive"])
    yield at_most(
        smooth.distance.mean("seed"),
        variable(smooth, "bound", "no smooth units").mean("seed"),
        "smooth units, the largest distance is below its bound",
        source="second-order Poincaré inequality (Nourdin, Peccati and Reinert 2009)",
        compared=THEORY,
    )
