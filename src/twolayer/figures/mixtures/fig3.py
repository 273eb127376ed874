"""Learning curves on mixtures with arbitrary covariance."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.averages import mean_and_error
from twolayer.figures.checks import Check, main
from twolayer.figures.curves import ERRORS, after_start, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.mixtures.learning_checks import learning_checks
from twolayer.figures.mixtures.notation import DATA_SETS
from twolayer.figures.numbers import in_words
from twolayer.figures.style import BLUE, GREEN, PAGE, RED

COLOURS = {"random": GREEN, "mnist": BLUE, "fashion": RED}


def draw(r: Evidence) -> Figure:
    """Draw learning curves on three mixtures, and the deviation of theory from simulation for one of them."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(PAGE, 2.7))
    for axes, (error, word) in zip((left, middle), ERRORS.items(), strict=True):
        for mixture, colour in COLOURS.items():
            _learning_curve(axes, r[f"sgd_{mixture}"][error], r[f"ode_{mixture}"][error], colour)
        axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel=word)
    _deviations(right, r)
    handles = [plt.Line2D([], [], color=colour, marker="o", markersize=3) for colour in COLOURS.values()]
    figure.legend(handles, [_label(r, mixture) for mixture in COLOURS], loc="outside lower center", ncols=3)
    figure.suptitle(_students(r))
    return figure


def _name(r: Evidence, mixture: str) -> str:
    return "random covariance" if mixture == "random" else DATA_SETS[r.parameter(f"mixture_{mixture}", "dataset")]


def _label(r: Evidence, mixture: str) -> str:
    clusters = in_words(r[f"sgd_{mixture}"].sizes["cluster"])
    return _name(r, mixture) + ("" if mixture == "random" else f", {clusters} clusters")


def _learning_curve(axes: Axes, simulated: xr.DataArray, theory: xr.DataArray, colour: str) -> None:
    theory = after_start(theory)
    axes.plot(theory.time, theory, color=colour)
    points(axes, after_start(simulated), "seed", colour)


def _deviations(axes: Axes, r: Evidence) -> None:
    """Draw both forms of the equations relative to the simulation on MNIST."""
    simulated = after_start(r["sgd_mnist"].pmse)
    mean, error = mean_and_error(simulated)
    for run, label, style in (("ode_mnist", "complete", "-"), ("ode_mnist_published", "as published", ":")):
        theory = after_start(r[run].pmse)
        axes.plot(theory.time, 100 * (theory / mean - 1), style, color=COLOURS["mnist"], label=label)
    band = 100 * error / mean
    axes.fill_between(mean.time, -band, band, color="0.85", label="standard error", linewidth=0)
    axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel="deviation from simulation [%]", ylim=(-2.5, 2.5))
    axes.legend(loc="upper right", title=f"{_name(r, 'mnist')}, equations")


def _students(r: Evidence) -> str:
    sgd, activation = r["sgd_mnist"], r.parameter("sgd_mnist", "student.activation")
    images = " and ".join(
        f"{int(r[f'sgd_{mixture}'].images):,} {_name(r, mixture)}" for mixture in ("mnist", "fashion")
    )
    counts = sorted({r[f"sgd_{mixture}"].sizes["seed"] for mixture in COLOURS})
    simulations = f"{counts[0]} to {counts[-1]} simulations" if len(counts) > 1 else f"{counts[0]} simulations each"
    return f"{activation} network, $K={sgd.sizes['unit']}$, {simulations}; clusters of {images} images"


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the equations with the mean of the simulations, on every mixture."""
    for mixture in COLOURS:
        average, *others = learning_checks(
            r[f"sgd_{mixture}"], r[f"ode_{mixture}"], r[f"mixture_{mixture}"], _name(r, mixture)
        )
        yield main(average) if mixture == "mnist" else average
        yield from others
