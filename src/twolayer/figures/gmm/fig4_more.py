"""Class error against the number of random features, and odd against even digits as few or many clusters."""

from collections.abc import Iterator, Mapping

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, Verdict, at_most, z_score
from twolayer.figures.curves import ERRORS, after_start, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.gmm.learning import learning_checks
from twolayer.figures.style import BLUE, GREEN, PAGE, PURPLE, RED

FEATURES = {  # runs, names and colours
    "features_xor": ("XOR", RED),
    "features_xor_own": ("XOR, one class twice as noisy", PURPLE),
    "features_mnist_two": ("MNIST, one cluster a class", GREEN),
    "features_mnist": ("MNIST, five clusters a class", BLUE),
}
GAUSSIAN = [run for run in FEATURES if run != "features_xor_own"]  # where the output of the readout is so in a cluster
CURVES = {"mnist_two": "features_mnist_two", "mnist": "features_mnist"}  # mixture -> the run with its oracle


def draw(r: Evidence) -> Figure:
    """Random features against their number, and learning curves of a network on the two mixtures of digits."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 3.0))
    for run, (_, colour) in FEATURES.items():
        result = r[run]
        style = "-" if run in GAUSSIAN else "--"
        left.plot(result.ratio, result.class_error.mean("projection"), style, color=colour)
        points(left, result.simulated_class_error, "projection", colour)
        if run in CURVES.values():
            left.axhline(float(result.oracle), color=colour, linestyle=":")
    left.set(xscale="log", yscale="log", xlabel="random features per dimension, $F/D$", ylabel="class error")
    _learning(right, r)
    handles = [plt.Line2D([], [], color=colour, marker="o", markersize=3) for _, colour in FEATURES.values()]
    handles.append(plt.Line2D([], [], color="0.3", linestyle=":"))
    labels = [*(name for name, _ in FEATURES.values()), "Bayes oracle"]
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _learning(axes: Axes, r: Evidence) -> None:
    for mixture, features in CURVES.items():
        colour, theory = FEATURES[features][1], after_start(r[f"ode_{mixture}"].class_error)
        axes.plot(theory.time, theory, color=colour)
        points(axes, after_start(r[f"sgd_{mixture}"].class_error), "seed", colour)
        axes.axhline(float(r[features].oracle), color=colour, linestyle=":")
    axes.set(xscale="log", yscale="log", xlabel="time $t$ = steps / $N$", ylabel="class error")
    axes.set_title(f"network, $K={r['sgd_mnist'].sizes['unit']}$ erf units, odd against even digits")


def checks(r: Evidence) -> Iterator[Verdict]:
    """Closed forms and equations are what simulations give, and nothing is better than the oracle."""
    for run, (name, _) in FEATURES.items():
        yield from _features_checks(r[run], name, ERRORS if run in GAUSSIAN else {"pmse": "pmse"})
    for mixture, features in CURVES.items():
        name = FEATURES[features][0]
        yield from learning_checks(r[f"sgd_{mixture}"], r[f"ode_{mixture}"], name)
        yield at_most(
            r[features].oracle / after_start(r[f"ode_{mixture}"]).class_error,
            1,
            f"{name}, the network is never better than the Bayes oracle",
            tolerance=0.01,
            source="optimal decision; the tolerance is the relative error of the quadrature",
            compared=INDEPENDENT,
        )


def _features_checks(result: xr.Dataset, name: str, errors: Mapping[str, str]) -> Iterator[Verdict]:
    for error, word in errors.items():
        yield z_score(
            result[error],
            result[f"simulated_{error}"],
            f"{name}, {word} of random features in closed form against fresh samples",
            source="simulation of the same readout",
        )
    yield at_most(
        result.oracle / result.class_error,
        1,
        f"{name}, random features are never better than the Bayes oracle",
        tolerance=0.01,
        source="optimal decision; the tolerance is the relative error of the quadrature",
        compared=INDEPENDENT,
    )
