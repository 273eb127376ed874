"""Learning by a convex loss, against the sample ratio: replica equations and simulations."""

from collections.abc import Iterator

import xarray as xr
from matplotlib.axes import Axes

from twolayer.figures.averages import mean_and_error
from twolayer.figures.checks import INDEPENDENT, THEORY, Check, main, mean_relative, pooled, relative, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import BLUE, GREEN, RED

COLOURS = {"square": BLUE, "logistic": RED, "hinge": GREEN}
NAMES = {"square": "square loss", "logistic": "logistic loss", "hinge": "hinge loss"}
# An error in d features, averaged over ratios and ridges, differs from the limit of many features by at most about this
# number over d, relative to the error. Simulations in 100 and 200 dimensions show this for two types of features, and
# 300 seeds on Gaussians with the moments of three data sets in 60 to 100 dimensions agree.
FINITE_SIZE = {"class_error": 1.2, "test_loss": 2.0, "training_loss": 4.0}
# Deviation of images from the theory of draws from a finite set, at the quick preset.
LEFT = {"test_loss": 0.04, "training_loss": 0.08}
STYLES, FILLS = ("-", "--", "-.", ":"), ("full", "none", "left", "right")  # styles of ridges


def draw_curves(axes: Axes, theory: xr.DataArray, learning: xr.DataArray) -> None:
    """Draw a curve for every loss and ridge that both have."""
    theory, learning = xr.align(theory, learning, join="inner", exclude={"sample_ratio", "seed"})
    for loss in theory.loss.values:
        for place, ridge in enumerate(theory.ridge.values):
            style, fill = STYLES[place % len(STYLES)], FILLS[place % len(FILLS)]
            sides = (side.sel(loss=loss, ridge=ridge) for side in (theory, learning))
            draw_curve(axes, *sides, COLOURS[loss], rf"{NAMES[loss]}, $\lambda = {ridge:g}$", style, fill)


def draw_curve(
    axes: Axes,
    theory: xr.DataArray,
    learning: xr.DataArray,
    colour: str,
    name: str,
    style: str = "-",
    fill: str = "full",
) -> None:
    """Draw a curve of theory, and mean and standard error of simulations."""
    axes.plot(theory.sample_ratio, theory, style, color=colour, linewidth=0.9, label=f"{name}, replica")
    axes.errorbar(
        learning.sample_ratio,
        *mean_and_error(learning),
        fmt="o",
        markersize=3,
        fillstyle=fill,
        color=colour,
        elinewidth=0.8,
        label=f"{name}, simulation",
    )


def label_training(axes: Axes, scale: str) -> None:
    """Label the axes of the training loss, in the lower row."""
    axes.set(xlabel=r"samples per feature $\alpha = n / d$", ylabel="training loss", yscale=scale)


def finite_size(error: str, covariances: xr.Dataset) -> float:
    """Return the relative deviation of an error from the replica equations, for as many features as there are."""
    return FINITE_SIZE[error] / covariances.sizes["feature"]


def agreement_checks(
    learning: xr.DataArray, theory: xr.DataArray, name: str, source: str, stated: float
) -> Iterator[Check]:
    """Compare trained estimators with the replica equations: at every point, and pooled over the points of each seed.

    Args:
        name: name of the case and of the error, for the titles.
        stated: relative deviation at this number of features, for the pooled points. A single point is less exact.
    """
    yield z_score(learning, theory, f"{name}, at every point", source=source, compared=THEORY)
    yield pooled(learning, theory, f"{name}, pooled", source=source, compared=THEORY, stated=stated)


def finite_set_check(learning: xr.DataArray, theory: xr.DataArray, title: str, loss: str = "test_loss") -> Check:
    """Compare a loss of least squares on images, on average, with the theory of draws from a finite set."""
    return mean_relative(
        learning,
        theory,
        title,
        tolerance=LEFT[loss],
        source="least squares on draws from a set of samples with these covariances; the distribution of images "
        "causes a remaining error of a few percent",
        compared=THEORY,
    )


def finite_set_checks(learning: xr.Dataset, theory: xr.Dataset, labels: str) -> Iterator[Check]:
    """Compare both losses on images with these labels with the theory of draws from a finite set; the test loss is the
    main check."""
    test, training = (
        finite_set_check(
            learning[loss],
            theory[f"set_{loss}"],
            f"{labels}, {loss} against the theory of draws from a finite set",
            loss,
        )
        for loss in LEFT
    )
    yield main(test)
    yield training


def best_readout_check(r: Evidence, source: str) -> Check:
    """Compare the replica equations, for many samples, with the closed form of the best readout.

    Args:
        source: source of that closed form.
    """
    samples = float(r["xor_features_limit"].sample_ratio[0])
    return relative(
        r["xor_features_limit"].test_loss,
        r["xor_features"].pmse,
        "random features of the XOR mixture, many samples against the best readout",
        tolerance=2e-6,
        source=f"{source}; {samples:g} samples for each feature leave a relative error of about one over this number",
        compared=INDEPENDENT,
    )
