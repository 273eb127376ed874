"""Over-parametrisation."""

from collections.abc import Iterator
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.animation import FuncAnimation
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.averages import mean_and_error
from twolayer.figures.checks import PUBLISHED, THEORY, Check, at_most, main
from twolayer.figures.curves import after_start
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.mixtures.notation import CLASSES, NETWORK
from twolayer.figures.numbers import in_words, mathematical
from twolayer.figures.style import PAGE

ROUNDING = 1e-9  # rounding error of a rate of success
NEEDED = 4  # hidden units, one for each cluster of the XOR mixture
LEAST = 0.1  # smallest rise of the rate of success from one compared width to the next
# parameters of the paper's mixture and students
PAPER = {
    "student__activation": "relu",
    "student__scale": 0.1,
    "schedule__learning_rate": 0.1,
    "schedule__weight_decay": 0.01,
}
XOR = {"geometry__shape": "circle", "geometry__clusters_per_class": 2}


def draw(r: Evidence) -> Figure:
    """Draw class error against time, and the rate of success against the number of hidden units."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 3.0))
    runs = {point["hidden_units"]: result for point, result in r.grid("overparametrised")}
    for (units, result), shade in zip(runs.items(), np.linspace(0.9, 0.1, len(runs)), strict=True):
        curve = after_start(result.class_error)
        low, middle, high = curve.quantile([0.25, 0.5, 0.75], "seed")
        colour = plt.colormaps["viridis"](shade)
        left.plot(curve.time, middle, color=colour, label=f"$K={units}$")
        left.fill_between(curve.time, low, high, color=colour, alpha=0.15, linewidth=0)
    _long_training(left, r)
    left.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel="class error, median and quartiles")
    rates, errors = zip(*(map(float, mean_and_error(result.success)) for result in runs.values()), strict=True)
    right.errorbar(list(runs), rates, errors, fmt="o-", color=NETWORK)
    seeds = next(iter(runs.values())).sizes["seed"]
    right.set(xlabel="hidden units $K$", ylabel=f"rate of success in {seeds} runs", ylim=(-0.05, 1.05))
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _long_training(axes: Axes, r: Evidence) -> None:
    """Draw each of the long runs as a thin line."""
    result = r["overparametrised_long"]
    steps = float(result.time[-1]) * r.parameter("mixture_wide", "input_dimension")
    units = r.parameter("overparametrised_long", "student.hidden_units")
    curve = after_start(result.class_error)
    lines = axes.plot(curve.time, curve.transpose("time", "seed"), color="black", linewidth=0.6)
    lines[0].set_label(f"$K={units}$, ${mathematical(steps)}$ steps")


def _end_of_successes(class_error: xr.DataArray, success_error: float) -> xr.DataArray | Absent:
    """Return the class error at the last time of the runs that were a success at any time."""
    learned = np.flatnonzero((class_error < success_error).any("time"))
    return class_error.isel(time=-1, seed=learned) if learned.size else Absent("no long training was a success")


def animation(r: Evidence) -> FuncAnimation:
    """Animate the weights of the hidden units in the plane of the means during learning."""
    result = r["weights_in_the_plane"].isel(seed=0)
    figure, axes = plt.subplots(figsize=(3.4, 3.4))
    limit = 1.15 * float(abs(result.R).max())
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal", xlabel="$e_1$", ylabel="$e_2$")
    axes.axhline(0, color="0.85", zorder=0)
    axes.axvline(0, color="0.85", zorder=0)
    arrows = axes.quiver(
        *np.zeros((2, result.sizes["unit"])), *result.R[0], angles="xy", scale_units="xy", scale=1, width=0.008
    )

    def show(frame):
        arrows.set_UVC(*result.R[frame].values)
        arrows.set_color([CLASSES[1 if weight > 0 else -1] for weight in result.v[frame]])
        time, error = float(result.time[frame]), float(result.class_error[frame])
        axes.set_title(f"$t = {time:.1f}$, class error {error:.3f}")
        return [arrows]

    return FuncAnimation(figure, show, frames=result.sizes["time"])


def checks(r: Evidence) -> Iterator[Check]:
    """Check that more than the four hidden units that XOR needs succeed more often, and that fewer never do."""
    published = r.as_published("mixture_wide", sigma=0.2236068, **XOR)
    for name in r.names("overparametrised"):
        published = published.as_published(name, **PAPER)
    widths = sorted(point["hidden_units"] for point, _ in r.grid("overparametrised"))
    enough = [units for units in widths if units >= NEEDED]
    compared = sorted({enough[0], enough[len(enough) // 2], enough[-1]})
    success = {units: published.find("overparametrised", hidden_units=units).success for units in widths}
    for fewer, more in pairwise(compared):
        outcome = at_most(
            success[fewer] + LEAST,
            success[more],
            f"more hidden units succeed more often, {fewer} against {more}",
            source=f"the paper's claim; the rate of success rises by at least {LEAST}",
            compared=PUBLISHED,
        )
        yield main(outcome) if more == compared[-1] else outcome
    yield at_most(
        0.85,
        success[compared[-1]],
        f"{in_words(compared[-1])} hidden units nearly always succeed",
        tolerance=ROUNDING,
        source="the paper's claim",
        compared=PUBLISHED,
    )
    yield _stays_a_success(r)
    few = max((units for units in widths if units < NEEDED), default=None)
    if few is not None:
        yield _never_succeeds(r, few)


def _stays_a_success(r):
    """Check that a long training that was a success at any time ends as one."""
    success_error = r.parameter("overparametrised_long", "success_error")
    return at_most(
        _end_of_successes(r["overparametrised_long"].class_error, success_error),
        success_error,
        "a long training stays below the class error of success after reaching it",
        tolerance=ROUNDING,
        source="class error at the end of the long runs that were below it at any time",
        compared=THEORY,
    )


def _never_succeeds(r, few):
    """Check that fewer hidden units than XOR needs never succeed."""
    xor = r.with_parameters("mixture_wide", "four half-planes are for", **XOR)
    return at_most(
        xor.find("overparametrised", hidden_units=few).success_rate,
        0,
        f"{in_words(few)} hidden units never succeed",
        tolerance=ROUNDING,
        source="four clusters need four half-planes",
        compared=THEORY,
    )
