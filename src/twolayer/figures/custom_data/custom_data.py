"""Gaussian theory for a custom data set."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.applicable import common
from twolayer.figures.checks import Check, main, mean_relative, pooled
from twolayer.figures.curves import after_start, legend_below, points, pre_activations
from twolayer.figures.custom_data import gaussianity
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import BLUE, PAGE, RED, YELLOW

DATA, EQUIVALENT, ONE = RED, BLUE, YELLOW


def draw(r: Evidence) -> Figure:
    """Draw batch learning in theory and on the data, the reasons for the difference, and online SGD against time."""
    figure, panels = plt.subplots(2, 3, figsize=(PAGE, 5.6))
    for axes, quantity in zip(panels[0], ("class_error", "test_loss"), strict=False):
        gaussianity.draw_errors(axes, r, "custom", quantity)
    gaussianity.draw_effects(panels[0, 2], r, "custom")
    _online(panels[1, 0], r, "pmse", "pmse of online SGD")
    _online(panels[1, 1], r, "class_error", "class error of online SGD")
    pre_activations(panels[1, 2], r["custom_sgd"], "data", DATA, "black")
    panels[1, 2].set_ylabel("pre-activations within a label")
    legend_below(figure, (panels[0, 0], panels[1, 0]), 4, gaussianity.LINES)
    figure.suptitle(f"{gaussianity.title_of(r, 'custom')}: {gaussianity.main_loss(r, 'custom')} test loss over theory")
    return figure


def _online(axes: Axes, r: Evidence, quantity: str, name: str) -> None:
    """Draw SGD on the data and on its Gaussian equivalent, and the equations for one Gaussian per label and for one
    Gaussian.
    """
    for run, style, label in (
        ("custom_curve", "-", "equations, one Gaussian per label"),
        ("custom_one_curve", "--", "equations, one Gaussian"),
    ):
        curve = after_start(r[run])
        axes.plot(curve.time, curve[quantity], style, color="black", linewidth=0.9, label=label)
    for run, colour, label in (
        ("custom_sgd", DATA, "data"),
        ("custom_equivalent", EQUIVALENT, "equivalent"),
        ("custom_one_sgd", ONE, "data, from the dashed start"),
    ):
        points(axes, after_start(r[run])[quantity], "seed", colour, label)
    axes.set(xscale="log", xlabel="time $t$ = samples / $N$", ylabel=name)


def checks(r: Evidence) -> Iterator[Check]:
    """Check that theory holds for Gaussians of these moments, and for the data if they are nearly Gaussian."""
    test_loss, *others = gaussianity.theory_checks(r, "custom")
    yield main(test_loss)
    yield from others
    yield gaussianity.least_squares_check(r, "custom")
    yield gaussianity.enough_check(r, "custom")
    yield from _online_checks(
        gaussianity.with_large_dimension(r, "custom_gaussians"),
        1 / gaussianity.effective_dimension(r["custom_gaussians"]),
    )


def _online_checks(r: Evidence | Absent, finite: float) -> Iterator[Check]:
    """Compare online SGD with the equations of motion, which have this relative error at a finite dimension."""
    theory = after_start(r["custom_curve"])
    for quantity in ("pmse", "class_error"):
        yield pooled(
            *common(
                after_start(r["custom_equivalent"])[quantity], theory[quantity], "custom_equivalent and custom_curve"
            ),
            f"online SGD on Gaussians with these moments, {quantity} against the equations of motion",
            source="equations of motion of a mixture with one covariance, within chance and one over its effective "
            "dimension",
            stated=finite,
        )
    yield mean_relative(
        *common(after_start(r["custom_sgd"]).pmse, theory.pmse, "custom_sgd and custom_curve"),
        "online SGD on the data, pmse against the equations for one Gaussian per label",
        tolerance=gaussianity.ENOUGH,
        source="equations of motion; within this tolerance, theory counts as explaining the data",
    )
