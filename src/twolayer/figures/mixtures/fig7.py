"""Fixed points against noise, learning rate and weight decay."""

from collections.abc import Iterator, Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, Check, at_most, main, ordering, pooled, relative
from twolayer.figures.curves import ERRORS, late_average, points
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.mixtures.fixed_points import fixed_point_checks, stationarity_checks
from twolayer.figures.numbers import mathematical, plain
from twolayer.figures.style import PAGE

WORDS = {"learning_rate": "learning rate", "weight_decay": "weight decay"}
LEAST = {"learning_rate": 0.005, "weight_decay": 0.05}  # smallest relative rise of the pmse, on average over the noise
XOR = {"geometry__shape": "circle", "geometry__clusters_per_class": 2, "geometry__means": None}
UNITS = ("activation", "hidden_units", "bias")  # parameters that a student and a fixed point must share
FACTOR = 2  # smallest ratio of the values that are compared


def draw(r: Evidence) -> Figure:
    """Draw fixed points against the noise, for several learning rates and weight decays."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 4.6), sharex=True)
    rates, decays = _runs(r, "learning_rate"), _runs(r, "weight_decay")
    rate, decay = _common_point(r)
    reduced = rates.get(rate, next(iter(rates.values())))
    if rate in rates:
        decays[decay] = rates[rate]
    panels[0, 0].plot(
        reduced.sigma, reduced.reduced_pmse, "--", color="0.5", label="reduced equations, no noise of SGD"
    )
    _asymptotics(panels[:, 0], rates, WORDS["learning_rate"])
    _asymptotics(panels[:, 1], decays, WORDS["weight_decay"])
    _long_training(panels[0, 0], r)
    panels[0, 0].legend(loc="upper left")  # "best" considers the points of the curves, and not the lines
    return figure


def _family(key: str) -> str:
    return f"asymptotics_{key.rpartition('_')[2]}"


def _runs(r: Evidence, key: str) -> dict[float, xr.Dataset]:
    """Return the runs by the value of the parameter, in ascending order."""
    return dict(sorted((point[key], result) for point, result in r.grid(_family(key))))


def _common_point(r: Evidence) -> tuple[float, float]:
    """Return the learning rate that runs with different decays share, and the weight decay that runs with different
    rates share.
    """
    kept = (("asymptotics_decay", "learning_rate"), ("asymptotics_rate", "weight_decay"))
    return tuple(r.parameter(r.names(family)[0], key) for family, key in kept)


def _asymptotics(panels: tuple[Axes, Axes], runs: Mapping[float, xr.Dataset], word: str) -> None:
    top, bottom = panels
    for value, shade in zip(sorted(runs), np.linspace(0.85, 0.1, len(runs)), strict=True):
        result, colour = runs[value], plt.colormaps["viridis"](shade)
        top.plot(result.sigma, result.pmse, color=colour, label=f"{word} {value:g}")
        points(top, result.simulated_pmse, "seed", colour)
        bottom.plot(result.sigma, result.class_error - result.bayes_error, color=colour)
        least = result.bayes_error.interp(sigma=result.closed_sigma).drop_vars("sigma")
        points(bottom, result.simulated_class_error - least, "seed", colour)
    bottom.axhline(0, color="black", linestyle=":", label="Bayes-optimal classifier")
    bottom.legend()
    top.set(xscale="log", ylabel="pmse")
    top.legend()
    bottom.set(xlabel=r"noise $\sigma$", ylabel="class error $-$ Bayes-optimal classifier")


def _long_training(axes: Axes, r: Evidence) -> None:
    """Draw the time average of the long training at its noise."""
    result, sigma = r["long_training"], r.parameter("mixture_wide", "sigma")
    steps = float(result.time[-1]) * r.parameter("mixture_wide", "input_dimension")
    mean = float(late_average(result.pmse).mean())
    axes.plot(sigma, mean, "x", color="black", label=f"SGD, ${mathematical(steps)}$ steps")


def checks(r: Evidence) -> Iterator[Check]:
    """Check that learning ends at the fixed points, and that a larger value of either parameter costs accuracy."""
    rates = _runs(r, "learning_rate")
    yield from _reduced_checks(rates.get(_common_point(r)[0], next(iter(rates.values()))))
    yield from _long_training_checks(r)
    for key, word in WORDS.items():
        runs = _runs(r, key)
        for value, result in runs.items():
            against_simulation, *others = _checks_of_one(result, f"{word} {plain(value)}")
            yield main(against_simulation) if value == max(rates) and key == "learning_rate" else against_simulation
            yield from others
        yield cost_check(key, runs)


def _long_training_checks(r: Evidence) -> Iterator[Check]:
    """Check that a training as long as in the authors' command stays at the fixed point."""
    rate = r.parameter("long_training", "schedule.learning_rate")
    runs = _runs(r, "learning_rate")
    name = r.names("asymptotics_rate")[0]
    alike = r.with_parameters("mixture_wide", "the fixed point has", **XOR).with_parameters(
        "long_training",
        "the fixed point has",
        schedule__weight_decay=r.parameter(name, "weight_decay"),
        schedule__train_second_layer=True,
        **{f"student__{key}": r.parameter(name, f"student.{key}") for key in UNITS},
    )
    fixed = _at_noise(runs.get(rate), r.parameter("mixture_wide", "sigma"))
    for error, word in ERRORS.items():
        yield pooled(
            late_average(alike["long_training"][error]),
            fixed[error],
            f"long training, {word} against the fixed point",
            source="time average over the second half of the training, by SGD in order parameters, within chance and "
            "1/N for its finite dimension",
            stated=1 / r.parameter("mixture_wide", "input_dimension"),
        )


def _at_noise(result: xr.Dataset | None, sigma: float) -> xr.Dataset | Absent:
    """Return the point of a run at one noise level, if it has this level."""
    levels = [] if result is None else np.flatnonzero(np.isclose(result.sigma, sigma, rtol=1e-6))
    if not len(levels):
        return Absent(f"no fixed point has the learning rate and the noise {sigma:g} of the long training")
    return result.isel(sigma=int(levels[0]))


def cost_check(key: str, runs: Mapping[float, xr.Dataset]) -> Check:
    """Check that the largest value of a parameter costs accuracy compared with the next smaller one.

    Args:
        key: The parameter. runs: The results by the values of the parameter, in increasing order.
    """
    smaller, larger = (next(iter(runs)), *runs)[-2:]
    far = larger >= FACTOR * smaller
    return ordering(
        runs[larger].pmse if far else Absent(f"{larger:g} is less than twice {smaller:g}"),
        runs[smaller].pmse,
        f"a larger {WORDS[key]} costs accuracy",
        source=f"the paper's claim; the pmse rises by at least {LEAST[key]:.1%} on average",
        compared=PUBLISHED,
        stated=LEAST[key],
        on_average=True,
    )


def _reduced_checks(result: xr.Dataset) -> Iterator[Check]:
    """Check that the reduced equations of the authors' code reach the Bayes error, because they neglect the noise of
    SGD.
    """
    yield relative(
        result.reduced_class_error,
        result.bayes_error,
        "reduced equations, class error against the Bayes-optimal classifier",
        tolerance=1e-4,
        source="the paper's claim for the network; the Bayes-optimal classifier in closed form",
        compared=INDEPENDENT,
    )
    yield at_most(
        result.reduced_pmse,
        result.pmse,
        "reduced equations, pmse below the complete equations",
        tolerance=1e-5,
        source="the reduced equations neglect the noise of SGD; the tolerance is the error of the quadrature",
        compared=INDEPENDENT,
    )


def _checks_of_one(result: xr.Dataset, name: str) -> Iterator[Check]:
    yield from fixed_point_checks(result, name)
    yield from stationarity_checks(result, name)
