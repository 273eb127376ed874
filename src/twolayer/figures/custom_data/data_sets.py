"""How far Gaussian theory explains four data sets."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.figures.applicable import common
from twolayer.figures.checks import THEORY, Check, main, ordering
from twolayer.figures.custom_data import gaussianity
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE

R_SQUARED, NOT = ("mnist", "cifar"), "fashion"
# Smallest relative differences of Fashion-MNIST: from one Gaussian per label, from one per class, and in kurtosis.
ABOVE, BEYOND, TAILS = 0.05, 0.02, 0.5
SETS = ("custom", *R_SQUARED, NOT)


def draw(r: Evidence) -> Figure:
    """Draw a column for each set: its test losses, and the reasons for the deviations."""
    figure, panels = plt.subplots(2, 4, figsize=(PAGE, 5.2), sharex="row")
    for (errors, effects), name in zip(panels.T, SETS, strict=True):
        gaussianity.draw_errors(errors, r, name, "test_loss")
        gaussianity.draw_effects(effects, r, name)
        errors.set_title(gaussianity.title_of(r, name).replace(" samples of", " samples\nof").replace(", ", ",\n"))
        if name != SETS[0]:
            effects.set_yticklabels([])
    entries = panels[0, 0].get_legend_handles_labels()
    figure.legend(*entries, title=gaussianity.LINES, loc="outside lower center", ncols=3)
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Check that moments are enough for the images of MNIST and CIFAR, and that Fashion-MNIST has tails beyond its
    moments.
    """
    for name in (*R_SQUARED, NOT):
        test_loss, *others = gaussianity.theory_checks(r, name)
        yield main(test_loss) if name == R_SQUARED[0] else test_loss
        yield from others
        yield gaussianity.least_squares_check(r.at("quick"), name)
    for name in R_SQUARED:
        yield gaussianity.enough_check(r.at("quick"), name)
    learning, images = r[f"{NOT}_learning"], r.parameter(f"{NOT}_samples", "dataset")
    yield ordering(
        *common(
            gaussianity.errors_of(learning, "test_loss", "logistic", "data"),
            gaussianity.corrected(r, NOT, "test_loss", "logistic"),
            "fashion_learning and fashion_replica",
        ),
        "fashion, the logistic test loss exceeds the theory of one Gaussian per label",
        source=f"a stated disagreement, as the classes of {images} are not Gaussian: by at least {ABOVE:.0%}",
        compared=THEORY,
        stated=ABOVE,
        on_average=True,
    )
    yield ordering(
        gaussianity.errors_of(learning, "test_loss", "logistic", "data"),
        gaussianity.errors_of(learning, "test_loss", "logistic", "classes"),
        "fashion, the logistic test loss exceeds the errors on one Gaussian per class",
        source=f"the surrogate with one Gaussian per class: by at least {BEYOND:.0%}",
        compared=THEORY,
        stated=BEYOND,
        on_average=True,
    )
    yield ordering(
        r[f"{NOT}_sgd"].kurtosis,
        r[f"{NOT}_sgd"].null_kurtosis,
        "fashion, pre-activations within a label have tails",
        source=f"as many Gaussian samples of the same covariance: by at least {TAILS:.0%}",
        compared=THEORY,
        stated=TAILS,
    )
