"""Fixed points against noise, learning rate and weight decay."""

from collections.abc import Iterator, Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, Verdict, at_most, relative
from twolayer.figures.curves import points
from twolayer.figures.evidence import Evidence
from twolayer.figures.gmm.fixed_points import fixed_point_checks, stationarity_checks
from twolayer.figures.style import PAGE


def draw(r: Evidence) -> Figure:
    """Fixed points against the noise, for several learning rates and weight decays."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 4.6), sharex=True)
    rates = {point["learning_rate"]: result for point, result in r.grid("asymptotics_rate")}
    decays = {point["weight_decay"]: result for point, result in r.grid("asymptotics_decay")}
    decays[0.01] = rates[0.1]  # the common point of both
    reduced = rates[0.1]
    panels[0, 0].plot(
        reduced.sigma, reduced.reduced_pmse, "--", color="0.5", label="reduced equations, no noise of SGD"
    )
    _asymptotics(panels[:, 0], rates, "learning rate")
    _asymptotics(panels[:, 1], decays, "weight decay")
    return figure


def _asymptotics(panels: tuple[Axes, Axes], runs: Mapping[float, xr.Dataset], word: str) -> None:
    top, bottom = panels
    for value, shade in zip(sorted(runs), np.linspace(0.85, 0.1, len(runs)), strict=True):
        result, colour = runs[value], plt.colormaps["viridis"](shade)
        top.plot(result.sigma, result.pmse, color=colour, label=f"{word} {value:g}")
        points(top, result.simulated_pmse, "seed", colour)
        bottom.plot(result.sigma, result.class_error - result.oracle, color=colour)
        least = result.oracle.sel(sigma=result.closed_sigma).drop_vars("sigma")
        points(bottom, result.simulated_class_error - least, "seed", colour)
    bottom.axhline(0, color="black", linestyle=":", label="Bayes oracle")
    bottom.legend()
    top.set(xscale="log", ylabel="pmse")
    top.legend()
    bottom.set(xlabel=r"noise $\sigma$", ylabel="class error $-$ oracle")


def checks(r: Evidence) -> Iterator[Verdict]:
    """Learning ends where the equations say, and the larger either parameter, the less accurate it is."""
    rates = {rate: r.find("asymptotics_rate", learning_rate=float(rate)) for rate in ("0.02", "0.1", "0.3")}
    yield from _reduced_checks(rates["0.1"])
    decays = {decay: r.find("asymptotics_decay", weight_decay=float(decay)) for decay in ("3e-3", "0.03")}
    for word, runs, smaller, larger in (
        ("learning rate", rates, "0.1", "0.3"),
        ("weight decay", decays, "3e-3", "0.03"),
    ):
        for value, result in runs.items():
            yield from _checks_of_one(result, f"{word} {value}")
        yield at_most(
            runs[smaller].pmse,
            runs[larger].pmse,
            f"a larger {word} costs accuracy",
            tolerance=2e-4,
            source="the paper's claim",
            compared=PUBLISHED,
        )


def _reduced_checks(result: xr.Dataset) -> Iterator[Verdict]:
    """The reduced equations of the authors' code decide as the oracle does, and leave out what SGD costs."""
    yield relative(
        result.reduced_class_error,
        result.oracle,
        "reduced equations, class error on the oracle",
        tolerance=1e-4,
        source="the paper's claim for the network; the oracle in closed form",
        compared=INDEPENDENT,
    )
    yield at_most(
        result.reduced_pmse,
        result.pmse,
        "reduced equations, pmse below that of the complete ones",
        tolerance=1e-5,
        source="they leave out the noise of SGD; the tolerance is the error of the quadrature",
        compared=INDEPENDENT,
    )


def _checks_of_one(result: xr.Dataset, name: str) -> Iterator[Verdict]:
    yield from fixed_point_checks(result, name)
    yield from stationarity_checks(result, name)
