"""Logistic regression on random features of grey images: real images, and images from a dcGAN."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from twolayer.escaping import mathtext
from twolayer.figures.checks import THEORY, Check, main, mean_relative
from twolayer.figures.curves import legend_below
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import sample_ratios
from twolayer.figures.style import BLUE, PAGE, RED

LOSS = "logistic"
ERRORS = {"class_error": "class error", "test_loss": "test loss", "training_loss": "training loss"}
SIDES = {"grey_gan": ("generated images", RED), "image_teacher": ("real images", BLUE)}
# Choices: the deviation of images from Gaussian features, for generated images and for a teacher on real pixels. No
# theory gives it. The mean deviation is 1 to 3 percent for generated images, and 3 to 14 percent for real ones.
LEFT = {"grey_gan": 0.08, "image_teacher": 0.25}


def draw(r: Evidence) -> Figure:
    """Draw class error, test loss and training loss against the number of samples per feature."""
    figure, panels = plt.subplots(1, 3, figsize=(PAGE, 3.0))
    for axes, (error, word) in zip(panels, ERRORS.items(), strict=True):
        for run, (name, colour) in SIDES.items():
            sample_ratios.draw_curve(axes, *_sides(r, run, error), colour, name)
        axes.set(xlabel=r"samples per feature $\alpha = n / d$", ylabel=word)
    generated, real = r["grey_gan"].attrs["trained_on"], r["image_teacher"].attrs["distribution"]
    figure.suptitle(f"generated: dcGAN trained on {mathtext(generated)}; real: {mathtext(real)}")
    legend_below(figure, panels.flat, 2)
    return figure


def _sides(r, run, error):
    """Return theory and simulation of an error."""
    return [r[f"{run}_{side}"][error].sel(loss=LOSS).squeeze("ridge") for side in ("replica", "learning")]


def checks(r: Evidence) -> Iterator[Check]:
    """Compare the replica equations with generated images, and with real images up to a stated deviation."""
    for run, (name, _) in SIDES.items():
        for error, word in ERRORS.items():
            theory, learning = _sides(r, run, error)
            check = mean_relative(
                learning,
                theory,
                f"{name}, {word} of logistic regression against the replica equations",
                tolerance=LEFT[run],
                source="replica equations, for Gaussian features of the same covariances; the tolerance is a choice, "
                "since no theory gives the deviation of images from Gaussian features",
                compared=THEORY,
            )
            yield main(check) if (run, error) == ("grey_gan", "class_error") else check
