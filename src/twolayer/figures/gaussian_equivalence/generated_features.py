"""Random features of images that dcGANs generate: replica equations against simulations.

The equations hold for Gaussian features. A generator with random weights is close enough to its Gaussian equivalent.
How close a trained generator is depends on its training. So the equations are checked on the Gaussian equivalent of the
trained generator, and the distance of its images from the equivalent is stated in the figure.
"""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from twolayer.escaping import mathtext
from twolayer.figures.averages import mean_and_error
from twolayer.figures.checks import THEORY, Check, main, pooled
from twolayer.figures.curves import legend_below
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import sample_ratios
from twolayer.figures.style import BLUE, PAGE, RED

GENERATORS = ("random_gan", "trained_gan")
ERRORS = ("class_error", "test_loss", "training_loss")
COLOURS = {"erf": BLUE, "relu": RED}
# The simulations for which the equations are exact, by generator.
EXACT = {"random_gan": "learning", "trained_gan": "equivalent"}


def draw_features(r: Evidence, loss: str) -> Figure:
    """Draw class error, test loss and training loss for both generators and both types of features."""
    figure, panels = plt.subplots(3, 2, figsize=(PAGE, 6.8), sharex=True)
    titles = "dcGAN, random weights", f"dcGAN, trained on {mathtext(r['trained_gan'].attrs['trained_on'])}"
    for column, generator, title in zip(panels.T, GENERATORS, titles, strict=True):
        for activation, colour in COLOURS.items():
            sides = [r[f"{generator}_{activation}_{side}"].sel(loss=loss) for side in ("replica", "learning")]
            for axes, quantity in zip(column, ERRORS, strict=True):
                curves = (side[quantity].squeeze("ridge") for side in sides)
                sample_ratios.draw_curve(axes, *curves, colour, f"{_activation(r, generator, activation)} features")
        fresh, test, training = column
        fresh.set_title(title)
        if generator == "trained_gan":
            training.set_title(_distance(r, loss))
        fresh.set_ylabel("class error")
        test.set_ylabel("test loss")
        sample_ratios.label_training(training, "log" if loss == "square" else "linear")
    legend_below(figure, panels.flat, 4)
    return figure


def _activation(r, generator, activation):
    """Return the activation of the features of a run that is named after its usual activation."""
    return r.parameter(f"{generator}_{activation}", "activation")


def names(r: Evidence) -> dict[str, str]:
    """Return the names of the cases in the checks, by their runs."""
    names = {"random_gan": "random_gan", "trained_gan": "Gaussian equivalent of trained_gan"}
    return {
        f"{generator}_{activation}": f"{names[generator]}, {_activation(r, generator, activation)} features"
        for generator, activation in product(GENERATORS, COLOURS)
    }


def _distance(r, loss):
    """Return the relative excess of the training loss on images of the trained generator over its Gaussian
    equivalent."""
    parts = []
    for activation in COLOURS:
        images, gaussian = (
            r[f"trained_gan_{activation}_{side}"].training_loss.sel(loss=loss) for side in ("learning", "equivalent")
        )
        scale = gaussian.mean("seed")
        one, other = ((side / scale).mean(["sample_ratio", "ridge"]) for side in (images, gaussian))
        (mean, error), (_, other_error) = mean_and_error(one), mean_and_error(other)
        name = _activation(r, "trained_gan", activation)
        percent = 100 * float(mean - 1), 100 * float(np.hypot(error, other_error))
        parts.append(rf"{name} {percent[0]:+.1f} $\pm$ {percent[1]:.1f} %")
    return f"images over Gaussian equivalent:\n{', '.join(parts)}"


def error_checks(r: Evidence, loss: str, claim: str) -> Iterator[Check]:
    """Compare errors of trained estimators with the replica equations: for all features, and pooled over all of them.

    Args:
        claim: error of the main check, for the generator with random weights.
    """
    source = "replica equations, for Gaussian features of the same covariances"
    for error in ERRORS:
        cases = {
            f"{generator}_{activation}": [
                r[f"{generator}_{activation}_{side}"][error].sel(loss=loss) for side in (EXACT[generator], "replica")
            ]
            for generator, activation in product(GENERATORS, COLOURS)
        }
        stated = {run: sample_ratios.finite_size(error, r[run]) for run in cases}
        for run, name in names(r).items():
            yield from sample_ratios.agreement_checks(*cases[run], f"{name}, {error}", source, stated[run])
        title = f"random_gan and Gaussian equivalents of trained_gan, {error}, pooled"
        largest = max(stated.values())
        yield _pooled(cases.values(), title, source, largest)
        if error == claim:
            random = [sides for run, sides in cases.items() if run.startswith("random_gan")]
            yield main(_pooled(random, f"random_gan, both kinds of features, {error}, pooled", source, largest))


def _pooled(cases, title, source, stated):
    """Pool all cases, with one mean for each seed."""
    sides = (xr.concat(list(side), "case", join="inner") for side in zip(*cases, strict=True))
    return pooled(*sides, title, source=source, compared=THEORY, stated=stated)
