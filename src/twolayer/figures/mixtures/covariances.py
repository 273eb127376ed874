"""Learning curves on a mixture whose clusters have different random covariances."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.checks import Check, main, pooled
from twolayer.figures.curves import ERRORS, SIMULATION, after_start, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE

ACTIVATIONS = ("erf", "relu")
FINITE_SIZE = 2.0  # relative errors of SGD differ from the equations by at most about this number over N


def draw(r: Evidence) -> Figure:
    """Draw both errors against time, for two activations."""
    figure, panels = plt.subplots(1, 4, figsize=(PAGE, 2.5))
    for pair, run in zip(panels.reshape(2, 2), ACTIVATIONS, strict=True):
        theory, sgd = _sides(r, run)
        for axes, (error, word) in zip(pair, ERRORS.items(), strict=True):
            points(axes, sgd[error], "seed", SIMULATION, f"SGD, {sgd.sizes['seed']} runs")
            axes.plot(theory.time, theory[error], color="black", linewidth=0.8, label="equations")
            axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel=word, title=f"{_units(r, run)} units")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _sides(r, run):
    """Return equations and simulation after the start."""
    return after_start(r[f"covariances_{run}_curve"]), after_start(r[f"covariances_{run}_sgd"])


def _units(r, run):
    return r.parameter(f"covariances_{run}_curve", "student.activation")


def checks(r: Evidence) -> Iterator[Check]:
    """Compare SGD with the equations, in both errors."""
    stated = FINITE_SIZE / r.parameter("mixture_covariances", "input_dimension")
    for run in ACTIVATIONS:
        theory, sgd = _sides(r, run)
        for error, word in ERRORS.items():
            agreement = pooled(
                sgd[error],
                theory[error],
                f"{_units(r, run)} units, {word} of SGD against the equations, mean over times",
                source="equations of motion in the space of the weights, within chance and 1/N",
                stated=stated,
            )
            yield main(agreement) if (run, error) == (ACTIVATIONS[0], "pmse") else agreement
