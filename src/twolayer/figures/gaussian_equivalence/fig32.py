"""Pre-activations of generated inputs against their Gaussian distribution."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from twolayer.figures.averages import largest_of, mean_and_error
from twolayer.figures.checks import THEORY, Check, at_most, main, relative, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.outcomes import CHANCE, MAIN_CHANCE
from twolayer.figures.style import BLUE, GREEN, PAGE, PURPLE, RED, YELLOW

CASES = {
    "generic": ("generic weights", BLUE, "o"),
    "few_latents": ("four latents", RED, "s"),
    "localised": ("student units on one input each", GREEN, "^"),
    "low_rank": ("generator of low rank", YELLOW, "D"),
    "aligned": ("low rank, student aligned", PURPLE, "v"),
}
OUTSIDE = [case for case in CASES if case != "generic"]  # these violate the conditions of the theorem
RATE = 0.5  # exponent of the theorem: N^(-1/2)
LARGE = slice(512, 2048)  # input dimensions


def draw(r: Evidence) -> Figure:
    """Draw distance and kurtosis of the pre-activations against the input dimension, for each case."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 3.0), sharex=True)
    equivalence = r["equivalence"]
    names = {"distance": r"distance $W_1$ from the Gaussian distribution", "kurtosis": "|excess kurtosis|"}
    for axes, (quantity, name) in zip(panels, names.items(), strict=True):
        for case, (label, colour, marker) in CASES.items():
            samples = equivalence[quantity].sel(case=case)
            style = {"marker": marker, "markersize": 3, "linewidth": 0.9, "color": colour}
            axes.errorbar(samples["dimension"], *mean_and_error(samples), label=label, **style)
        floor = float(equivalence[f"null_{quantity}"].mean())
        axes.axhline(floor, color="black", linestyle=":", linewidth=0.8, label="equal number of Gaussian samples")
        axes.set(yscale="log", xlabel="input dimension $N$", ylabel=name)
        axes.set_xscale("log", base=2)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the covariance is right in all cases, and that the shape is Gaussian only for generic weights."""
    equivalence = r["equivalence"]
    directions = r.parameter("equivalence", "directions") * equivalence.sizes["seed"]
    scores = equivalence.variance_score
    yield main(_generic_variance(r, scores.sel(case="generic"), directions))
    count = directions * scores.size
    yield at_most(
        scores,
        0,
        "covariance of the fields as predicted, in all cases and along all directions",
        tolerance=largest_of(count, CHANCE),
        source=f"arcsine law and Stein's lemma; in standard errors, which one of {count} exceeds with probability "
        f"{CHANCE:g}",
        compared=THEORY,
    )
    yield at_most(
        RATE,
        equivalence.decay.sel(case="generic"),
        "generic weights, kurtosis falls at least like N^(-1/2)",
        tolerance=1e-9,
        source="rate of the Gaussian equivalence theorem",
        compared=THEORY,
    )
    yield z_score(
        equivalence.distance.sel(case="generic", dimension=LARGE),
        equivalence.null_distance,
        "generic weights end up as Gaussian as samples of the Gaussian distribution",
        source="Gaussian equivalence theorem, and an equal number of Gaussian samples",
        compared=THEORY,
    )
    yield at_most(
        equivalence.decay.sel(case=OUTSIDE),
        RATE,
        "few latents, localised or aligned students, low rank, kurtosis falls more slowly than N^(-1/2)",
        tolerance=1e-9,
        source="outside the conditions of the theorem",
        compared=THEORY,
    )
    yield at_most(
        equivalence.null_largest_distance,
        equivalence.distance.sel(case=OUTSIDE, dimension=LARGE),
        "the same cases, mean distance over directions exceeds the largest distance of Gaussian samples",
        tolerance=1e-9,
        source="outside the conditions of the theorem, and an equal number of Gaussian samples",
        compared=THEORY,
    )


def _generic_variance(r, scores, directions):
    """Compare the variance of the fields along the direction with the largest deviation with its expectation."""
    error = np.sqrt(2 / r.parameter("equivalence", "samples"))
    return relative(
        1 + error * scores,
        1.0,
        "generic weights, variance of the fields along any direction over the prediction",
        tolerance=float(error) * largest_of(directions * scores.size, MAIN_CHANCE),
        source=f"arcsine law and Stein's lemma; the largest of {directions * scores.size} relative deviations, of "
        f"{100 * error:.2g} percent each, exceeds the tolerance with probability {MAIN_CHANCE:g}",
        compared=THEORY,
    )
