"""Learning from a trained dcGAN, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Check
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import learning_curves


def draw(r: Evidence) -> Figure:
    """Draw learning from a trained convolutional generator."""
    return learning_curves.draw_learning(r, {"trained_gan": "dcGAN"})


def checks(r: Evidence) -> Iterator[Check]:
    """Compare SGD on its images, and SGD on Gaussian inputs, with the equations."""
    yield from learning_curves.equivalent_checks(r, "trained_gan", "trained dcGAN", carries_claim=True)
    yield from learning_curves.generator_checks(r, "trained_gan", "trained dcGAN")
