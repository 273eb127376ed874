"""Panels and checks of one data set: the prediction of Gaussian theory, its deviation, and the reasons for it.

A panel or a check uses the distributions, losses, ridges and sample ratios of the configuration. A check that needs
others does not apply.
"""

import itertools
from collections.abc import Iterator

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from twolayer.escaping import mathtext
from twolayer.figures.applicable import Maybe, common, finite, scattered, selected
from twolayer.figures.averages import mean_and_error
from twolayer.figures.checks import INDEPENDENT, THEORY, Check, mean_relative, pooled, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.gaussian_equivalence.sample_ratios import finite_size
from twolayer.figures.style import BLUE, GREEN, GREY, RED, YELLOW

BARS = [GREY, GREY, BLUE, RED, YELLOW]
STYLES, FILLS = ("-", "--", "-."), ("full", "none", "left")  # styles of ridges
DOMINANT = 0.5  # fraction of the variance in one direction above which agreement with theory is weak evidence
COLOURS = {"square": BLUE, "logistic": RED, "hinge": GREEN}
ENOUGH = 0.1  # deviation of the logistic loss up to which theory counts as explaining a data set
SMALLEST = 10.0  # effective dimension from which the equations of motion are more accurate than that
LEFT = 0.06  # deviation of least squares at the quick preset
ERROR_NAMES = {"class_error": "class error", "test_loss": "test loss"}
# effect -> the distributions whose difference it is
EFFECTS = {
    "labels against\nno labels": ("one", "shuffled"),
    "mean of\neach label": ("labels", "one"),
    "classes within\na label": ("classes", "labels"),
    "beyond\nGaussians": ("data", "classes"),
}
SMALL = "too few samples\nfor the moments"
LINES = "batch learning: data (marks) and theory (lines; dotted: from the sampled moments)"


def errors_of(result: xr.Dataset, quantity: str, loss: str, distribution: str) -> Maybe:
    """Return an error of a distribution for a loss, against seeds, sample ratios and ridges."""
    return selected(result[quantity], loss=loss, distribution=distribution)


def corrected(r: Evidence, name: str, quantity: str, loss: str) -> Maybe:
    """Return theory from sampled moments, corrected for the bias of moments from few samples."""
    theory = r[f"{name}_replica"]
    return 2 * selected(theory[quantity], loss=loss) - selected(theory[f"resampled_{quantity}"], loss=loss)


def main_loss(r: Evidence | Absent, name: str) -> str:
    """Return the loss that judges a data set: logistic, or the first loss."""
    losses = r[f"{name}_learning"].loss
    if isinstance(losses, Absent) or "logistic" in losses.values:
        return "logistic"
    return str(losses.values[0])


def departure(r: Evidence, name: str) -> Maybe:
    """Return the relative deviation of the losses on the data from that theory, for each seed."""
    loss = main_loss(r, name)
    data, theory = errors_of(r[f"{name}_learning"], "test_loss", loss, "data"), corrected(r, name, "test_loss", loss)
    data, theory = common(data, theory, f"{name}_learning and {name}_replica")
    return (data / theory - 1).mean(("sample_ratio", "ridge"))


def effective_dimension(mixture: xr.Dataset) -> float:
    """Return the effective number of directions of a covariance, (sum of eigenvalues)^2 / sum of squares.

    Its inverse bounds the relative error of the equations of motion for online SGD at a finite dimension. On the
    Gaussian equivalents of a dozen data sets, at learning rate 0.5, the error of pmse is at most 8 % with 10 to 34
    directions, at most 17 % with 6 directions, and up to 33 % near 1.
    """
    squares = float((mixture.eigenvalues**2).sum())
    return float(mixture.eigenvalues.sum()) ** 2 / squares if squares else SMALLEST


def with_large_dimension(r: Evidence, run: str) -> Evidence | Absent:
    """Return the evidence if the mixture of a run has enough directions for the equations of motion, else an absent
    value.
    """
    directions = effective_dimension(r[run])
    if directions < SMALLEST:
        return Absent(f"the covariance has {directions:.1f} effective dimensions, the equations need {SMALLEST:g}")
    return r


def draw_errors(axes: Axes, r: Evidence, name: str, quantity: str) -> None:
    """Draw errors on the data, and in theory, against the number of samples, with a style for each ridge."""
    theory, learning = r[f"{name}_replica"], r[f"{name}_learning"]
    ridges = np.union1d(theory.ridge, learning.ridge)
    for (loss, colour), place in itertools.product(COLOURS.items(), range(len(ridges))):
        style, fill = (each[place % len(each)] for each in (STYLES, FILLS))
        named = str(loss) if len(ridges) == 1 else f"{loss}, $\\lambda={ridges[place]:g}$"
        point = {"loss": loss, "ridge": ridges[place]}
        if not isinstance(curve := selected(theory[quantity], **point), Absent):
            axes.plot(curve.sample_ratio, curve, ":", color=colour, linewidth=0.9)
            better = corrected(r, name, quantity, loss).sel(ridge=ridges[place])
            axes.plot(better.sample_ratio, better, style, color=colour, linewidth=0.9)
        if not isinstance(samples := selected(learning[quantity], **point, distribution="data"), Absent):
            marks = {"fmt": "o", "markersize": 3, "fillstyle": fill, "color": colour, "label": named}
            axes.errorbar(samples.sample_ratio, *mean_and_error(samples), **marks)
    axes.set(xscale="log", xlabel="training samples / features", ylabel=ERROR_NAMES[quantity])
    axes.set_xticks(learning.sample_ratio.values, [f"{ratio:g}" for ratio in learning.sample_ratio.values])
    axes.xaxis.set_minor_locator(NullLocator())


def draw_effects(axes: Axes, r: Evidence, name: str) -> None:
    """Draw the effect of each part of the distribution on the loss, averaged over numbers of samples and ridges."""
    learning, loss = r[f"{name}_learning"], main_loss(r, name)
    bars = []  # name, colour, mean, standard error
    for (label, distributions), colour in zip(EFFECTS.items(), BARS, strict=False):
        more, less = (errors_of(learning, "test_loss", loss, distribution) for distribution in distributions)
        if isinstance(more, Absent) or isinstance(less, Absent):
            continue
        gap = (more - less).mean(("sample_ratio", "ridge"))
        bars.append((label, colour, *map(float, mean_and_error(gap))))
    few = corrected(r, name, "test_loss", loss) - selected(r[f"{name}_replica"].test_loss, loss=loss)
    if not isinstance(few, Absent):
        bars.append((SMALL, BARS[-1], float(few.mean()), 0))
    if bars:
        labels, colours, means, sems = zip(*bars, strict=True)
        axes.barh(labels, means, xerr=sems, color=colours)
    axes.axvline(0, color="black", linewidth=0.6)
    axes.set_xscale("symlog", linthresh=0.03)
    axes.set_xticks([-0.1, 0, 0.1], ["-0.1", "0", "0.1"])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.invert_yaxis()
    axes.set_xlabel(f"change of the {ERROR_NAMES['test_loss']},\n{loss}")


def title_of(r: Evidence, name: str) -> str:
    """Return a description of the set, with the deviation of theory."""
    samples = r[f"{name}_samples"]
    title = f"{mathtext(samples.attrs.get('distribution', name))}, {samples.sizes['feature']} features"
    gap = departure(r, name)
    if isinstance(gap, Absent):
        return title
    mean, error = map(float, mean_and_error(gap))
    return f"{title}\n{mean:+.1%} ± {error:.1%}"


def theory_checks(r: Evidence, name: str) -> Iterator[Check]:
    """Check that the replica equations hold for Gaussians of these moments, and that shuffled labels teach nothing."""
    learning, theory = r[f"{name}_learning"], r[f"{name}_replica"]
    for quantity in ("test_loss", "class_error"):
        sides = selected(learning[quantity], distribution="labels"), theory[quantity]
        yield pooled(
            *common(*sides, f"{name}_learning and {name}_replica"),
            f"{name}, {quantity} of one Gaussian per label with these moments against the replica equations",
            source="replica equations of two classes with one covariance",
            stated=finite_size(quantity, r[f"{name}_samples"]),
        )
    yield z_score(
        scattered(selected(learning.class_error, distribution="shuffled", loss=main_loss(r, name)), "the class error"),
        0.5,
        f"{name}, shuffled labels teach nothing",
        source="labels that are independent of the features",
        compared=INDEPENDENT,
    )


def least_squares_check(r: Evidence, name: str) -> Check:
    """Compare least squares on the data with the theory of fresh samples from sampled moments."""
    data = errors_of(r[f"{name}_learning"], "test_loss", "square", "data")
    theory = finite(r[f"{name}_replica"].fresh_test_loss, "the set has no more samples than the smallest training set")
    return mean_relative(
        *common(data, theory, f"{name}_learning and {name}_replica"),
        f"{name}, test loss of least squares against theory",
        tolerance=LEFT,
        source="ridge regression on fresh samples, from the covariances of a finite set; the remaining error is a "
        "few percent",
        compared=THEORY,
    )


def enough_check(r: Evidence, name: str) -> Check:
    """Compare logistic regression on the data, or another loss, with one Gaussian per label."""
    loss = main_loss(r, name)
    data = errors_of(r[f"{name}_learning"], "test_loss", loss, "data")
    return mean_relative(
        *common(
            _spread(r[f"{name}_samples"], data),
            corrected(r, name, "test_loss", loss),
            f"{name}_learning and {name}_replica",
        ),
        f"{name}, {loss} test loss against one Gaussian per label",
        tolerance=ENOUGH,
        source="replica equations, corrected for the number of samples; within this tolerance, theory counts as "
        "explaining the data",
        compared=THEORY,
    )


def _spread(samples: xr.Dataset, values: Maybe) -> Maybe:
    """Return values that test a theory of many features; absent if features vary mainly in one direction because of
    units.
    """
    if isinstance(values, Absent):
        return values
    covariance, units = samples.Omega.values, np.sqrt(np.diag(samples.Omega))
    share, standardized = (_largest_share(one) for one in (covariance, covariance / np.outer(units, units)))
    if share > DOMINANT > standardized:
        return Absent(
            f"one direction has {share:.0%} of the variance of the features, so that agreement is weak evidence: set "
            "standardize to true, or choose other features"
        )
    return values


def _largest_share(covariance: np.ndarray) -> float:
    """Return the fraction of the variance along the direction with the largest variance."""
    return float(np.linalg.eigvalsh(np.nan_to_num(covariance))[-1] / np.trace(covariance))
