"""What Gaussian theory says of a set of samples, how far it is off, and why: panels and checks of one data set."""

from collections.abc import Iterator

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from twolayer.figures.checks import INDEPENDENT, THEORY, Verdict, mean_relative, pooled, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import BLUE, GREEN, GREY, RED, YELLOW

BARS = [GREY, GREY, BLUE, RED, YELLOW]
COLOURS = {"square": BLUE, "logistic": RED, "hinge": GREEN}
ENOUGH = 0.1  # deviation of the logistic loss up to which theory is said to explain a data set
LEFT = 0.06  # that least squares is off by, seen at the quick preset
ERROR_NAMES = {"class_error": "class error", "test_loss": "test loss"}
# effect -> the laws whose difference it is
EFFECTS = {
    "labels against\nno labels": ("one", "shuffled"),
    "mean of\neach label": ("labels", "one"),
    "classes within\na label": ("classes", "labels"),
    "beyond\nGaussians": ("data", "classes"),
}
SMALL = "too few samples\nfor the moments"
LINES = "batch learning: data (marks) and theory (lines; dotted: from the moments as measured)"


def errors_of(result: xr.Dataset, quantity: str, loss: str, law: str) -> xr.DataArray:
    """An error of a law for a loss, against seeds and sample ratios."""
    return result[quantity].sel(loss=loss, law=law).isel(ridge=0)


def corrected(r: Evidence, name: str, quantity: str, loss: str) -> xr.DataArray:
    """Theory from measured moments, without the bias of moments of so few samples."""
    theory = r[f"{name}_replica"].sel(loss=loss).isel(ridge=0)
    return 2 * theory[quantity] - theory[f"resampled_{quantity}"]


def departure(r: Evidence, name: str, quantity: str = "test_loss", loss: str = "logistic") -> xr.DataArray:
    """By what part the errors on the data lie above that theory, for each seed."""
    data = errors_of(r[f"{name}_learning"], quantity, loss, "data")
    return (data / corrected(r, name, quantity, loss) - 1).mean("sample_ratio")


def draw_errors(axes: Axes, r: Evidence, name: str, quantity: str) -> None:
    """Errors on the data, and in theory, against the number of samples."""
    theory, learning = r[f"{name}_replica"], r[f"{name}_learning"]
    for loss in learning.loss.values:
        curve = theory[quantity].sel(loss=loss).isel(ridge=0)
        axes.plot(curve.sample_ratio, curve, ":", color=COLOURS[loss], linewidth=0.9)
        axes.plot(curve.sample_ratio, corrected(r, name, quantity, loss), color=COLOURS[loss], linewidth=0.9)
        samples = errors_of(learning, quantity, loss, "data")
        error = samples.std("seed", ddof=1) / np.sqrt(samples.sizes["seed"])
        style = {"fmt": "o", "markersize": 3, "color": COLOURS[loss], "label": str(loss)}
        axes.errorbar(samples.sample_ratio, samples.mean("seed"), error, **style)
    axes.set(xscale="log", xlabel="training samples / features", ylabel=ERROR_NAMES[quantity])
    axes.set_xticks(learning.sample_ratio.values, [f"{ratio:g}" for ratio in learning.sample_ratio.values])
    axes.xaxis.set_minor_locator(NullLocator())


def draw_effects(axes: Axes, r: Evidence, name: str, quantity: str = "test_loss", loss: str = "logistic") -> None:
    """What each part of the law changes in an error, averaged over the numbers of samples."""
    learning = r[f"{name}_learning"]
    names = list(EFFECTS)
    gaps = [
        (errors_of(learning, quantity, loss, more) - errors_of(learning, quantity, loss, less)).mean("sample_ratio")
        for more, less in EFFECTS.values()
    ]
    means = [float(gap.mean()) for gap in gaps]
    sems = [float(gap.std(ddof=1)) / np.sqrt(gap.sizes["seed"]) for gap in gaps]
    theory = r[f"{name}_replica"][quantity].sel(loss=loss).isel(ridge=0)
    few = float((corrected(r, name, quantity, loss) - theory).mean())
    axes.barh([*names, SMALL], [*means, few], xerr=[*sems, 0], color=BARS)
    axes.axvline(0, color="black", linewidth=0.6)
    axes.set_xscale("symlog", linthresh=0.03)
    axes.set_xticks([-0.1, 0, 0.1], ["-0.1", "0", "0.1"])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.invert_yaxis()
    axes.set_xlabel(f"change of the {ERROR_NAMES[quantity]},\n{loss}")


def title_of(r: Evidence, name: str) -> str:
    """The set in words, with how far theory is off."""
    gap = departure(r, name)
    sem = float(gap.std(ddof=1)) / np.sqrt(gap.sizes["seed"])
    samples = r[f"{name}_samples"]
    return (
        f"{samples.attrs.get('law', name)}, {samples.sizes['feature']} features\n{float(gap.mean()):+.1%} ± {sem:.1%}"
    )


def theory_checks(r: Evidence, name: str) -> Iterator[Verdict]:
    """The replica equations hold for Gaussians of these moments, and shuffled labels teach nothing."""
    learning, theory = r[f"{name}_learning"], r[f"{name}_replica"].isel(ridge=0)
    for quantity in ("test_loss", "class_error"):
        yield pooled(
            learning[quantity].sel(law="labels").isel(ridge=0),
            theory[quantity],
            f"{name}, {quantity} of one Gaussian a label with these moments against the replica equations",
            source="replica equations of two classes with one covariance",
        )
    yield z_score(
        errors_of(learning, "class_error", "logistic", "shuffled"),
        0.5,
        f"{name}, shuffled labels teach nothing",
        source="labels that are independent of the features",
        compared=INDEPENDENT,
    )


def least_squares_check(r: Evidence, name: str) -> Verdict:
    """Least squares on the data against the theory of fresh samples from measured moments."""
    return mean_relative(
        errors_of(r[f"{name}_learning"], "test_loss", "square", "data").mean("seed"),
        r[f"{name}_replica"].fresh_test_loss.isel(ridge=0),
        f"{name}, test loss of least squares against theory",
        tolerance=LEFT,
        source="ridge regression on fresh samples, from the covariances of a finite set; what is left is a few percent",
        compared=THEORY,
    )


def enough_check(r: Evidence, name: str) -> Verdict:
    """Logistic regression on the data against one Gaussian a label."""
    return mean_relative(
        errors_of(r[f"{name}_learning"], "test_loss", "logistic", "data").mean("seed"),
        corrected(r, name, "test_loss", "logistic"),
        f"{name}, logistic test loss against one Gaussian a label",
        tolerance=ENOUGH,
        source="replica equations, corrected for the number of samples; up to this, theory is said to explain the data",
        compared=THEORY,
    )
