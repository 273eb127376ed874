"""Gaussian equivalence for a custom generator."""

from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

from twolayer.figures.applicable import common, selected
from twolayer.figures.averages import largest_of
from twolayer.figures.checks import THEORY, Check, at_most, main, z_score
from twolayer.figures.curves import pre_activations
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence.learning_curves import draw_learning, equivalent_checks, generator_checks
from twolayer.figures.gaussian_equivalence.sample_ratios import agreement_checks, draw_curves, finite_size
from twolayer.figures.outcomes import CHANCE
from twolayer.figures.style import BLUE, RED

RUN, NAME = "generator", "your generator"
ERRORS = ("class_error", "test_loss")


def draw(r: Evidence) -> Figure:
    """Draw online learning of a teacher of the latents, and below it batch learning and the pre-activations."""
    figure = draw_learning(r, {RUN: "Your generator"}, more=1)
    *_, errors, losses, shape = figure.axes
    for axes, error in ((errors, "class_error"), (losses, "test_loss")):
        draw_curves(axes, r["generator_replica"][error], r["generator_learning"][error])
        axes.set(xlabel=r"samples per feature $\alpha = n / d$", ylabel=error.replace("_", " "))
    losses.set_ylim(top=1.6 * losses.get_ylim()[1])  # room for the legend
    losses.legend()
    pre_activations(shape, r["generator_fields"], "generator", RED, BLUE)
    shape.set_ylabel("pre-activations")
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the equations hold for the Gaussian equivalent, and for the generator if its pre-activations are
    Gaussian.
    """
    pmse, *others = equivalent_checks(r, RUN, NAME)
    yield main(pmse)
    yield from others
    yield from generator_checks(r, RUN, NAME)
    fields = r["generator_fields"]
    yield _covariance_check(r)
    yield z_score(
        fields.distance,
        fields.null_distance,
        "its pre-activations are as Gaussian as samples of the Gaussian distribution",
        source="Gaussian equivalence, and as many samples of the distribution itself",
    )
    source = "replica equations, for Gaussian features of the same covariances"
    for error in ERRORS:
        stated = finite_size(error, r["generator_features"])
        losses = dict.fromkeys(["square", "logistic", *map(str, r["generator_replica"].loss.values)])
        for loss in losses:
            sides = [selected(r[f"generator_{side}"][error], loss=loss) for side in ("learning", "replica")]
            sides = common(*sides, "generator_learning and generator_replica")
            yield from agreement_checks(*sides, f"random features of its inputs, {loss}, {error}", source, stated)


def _covariance_check(r: Evidence) -> Check:
    """Compare the variance of the pre-activations along all directions with the moments, which also have an error."""
    directions = r.parameter("generator_fields", "directions") * r.parameter("generator_fields", "seeds")
    samples, of_moments = (r.parameter(f"generator_{run}", "samples") for run in ("fields", "moments"))
    return at_most(
        r["generator_fields"].variance_score / np.sqrt(1 + samples / of_moments),
        0,
        "covariance of its pre-activations against its moments, along all directions",
        tolerance=largest_of(directions, CHANCE),
        source=f"moments of {of_moments:,} inputs and fields of {samples:,} others; in standard errors of the "
        f"difference, which one of {directions} directions exceeds with probability {CHANCE:g}",
        compared=THEORY,
    )
