"""Learning from a trained dcGAN, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Check
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence.learning_curves import draw_learning, equivalent_checks, generator_checks


def draw(r: Evidence) -> Figure:
    """Draw learning from a trained convolutional generator."""
    return draw_learning(r, {"trained_gan": "dcGAN"})


def checks(r: Evidence) -> Iterator[Check]:
    """Compare SGD on its images, and SGD on Gaussian inputs, with the equations."""
    yield from equivalent_checks(r, "trained_gan", "trained dcGAN", carries_claim=True)
    yield from generator_checks(r, "trained_gan", "trained dcGAN")
