"""Random features of images that dcGANs generate: replica equations against simulations."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from twolayer.escaping import mathtext
from twolayer.figures.checks import THEORY, Check, main, pooled
from twolayer.figures.evidence import Evidence
from twolayer.figures.get.sample_ratios import agreement_checks, draw_curve, label_training, with_legend
from twolayer.figures.style import BLUE, PAGE, RED

GENERATORS = ("random_gan", "trained_gan")
ERRORS = ("class_error", "test_loss", "training_loss")
COLOURS = {"erf": BLUE, "relu": RED}
RUNS = [f"{generator}_{activation}" for generator, activation in product(GENERATORS, COLOURS)]


def draw_features(r: Evidence, loss: str) -> Figure:
    """Class error, test loss and training loss for both generators and both kinds of features."""
    figure, panels = plt.subplots(3, 2, figsize=(PAGE, 6.8), sharex=True)
    titles = "dcGAN, random weights", f"dcGAN, trained on {mathtext(r['trained_gan'].attrs['trained_on'])}"
    for column, generator, title in zip(panels.T, GENERATORS, titles, strict=True):
        for activation, colour in COLOURS.items():
            sides = [r[f"{generator}_{activation}_{side}"].sel(loss=loss) for side in ("replica", "learning")]
            for axes, quantity in zip(column, ERRORS, strict=True):
                curves = (side[quantity].squeeze("ridge") for side in sides)
                draw_curve(axes, *curves, colour, f"{_activation(r, generator, activation)} features")
        fresh, test, training = column
        fresh.set_title(title)
        fresh.set_ylabel("class error")
        test.set_ylabel("test loss")
        label_training(training, "log" if loss == "square" else "linear")
    return with_legend(figure, panels, 4)


def _activation(r, generator, activation):
    """The activation of the features of a run that is named after its usual one."""
    return r.parameter(f"{generator}_{activation}", "activation")


def names(r: Evidence) -> dict[str, str]:
    """The names of the cases in the checks, by their runs."""
    return {
        f"{generator}_{activation}": f"{generator}, {_activation(r, generator, activation)} features"
        for generator, activation in product(GENERATORS, COLOURS)
    }


def error_checks(r: Evidence, loss: str, claim: str) -> Iterator[Check]:
    """Errors of trained estimators against the replica equations: for all features, and pooled over all of them.

    Args:
        claim: the error that the main check pools, for the generator of random weights, whose outcome no training
            decides.
    """
    source = "replica equations, for Gaussian features of the same covariances"
    for error in ERRORS:
        cases = {run: [r[f"{run}_{side}"][error].sel(loss=loss) for side in ("learning", "replica")] for run in RUNS}
        for run, name in names(r).items():
            yield from agreement_checks(*cases[run], f"{name}, {error}", source)
        title = f"both generators and kinds of features, {error}, pooled"
        yield _pooled(cases.values(), title, source)
        if error == claim:
            random = [sides for run, sides in cases.items() if run.startswith("random_gan")]
            yield main(_pooled(random, f"random_gan, both kinds of features, {error}, pooled", source))


def _pooled(cases, title, source):
    """All cases in one, of which each seed gives one mean."""
    sides = (xr.concat(list(side), "case", join="inner") for side in zip(*cases, strict=True))
    return pooled(*sides, title, source=source, compared=THEORY)
