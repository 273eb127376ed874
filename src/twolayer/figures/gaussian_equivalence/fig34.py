"""Learning from a dcGAN with random weights, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Check
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence.learning_curves import draw_learning, equivalent_checks, generator_checks


def draw(r: Evidence) -> Figure:
    """Draw learning from a convolutional generator with random weights."""
    return draw_learning(r, {"random_gan": "dcGAN, random weights"})


def checks(r: Evidence) -> Iterator[Check]:
    """Compare SGD on its images, and SGD on Gaussian inputs, with the equations."""
    yield from equivalent_checks(r, "random_gan", "random dcGAN")
    yield from generator_checks(r, "random_gan", "random dcGAN", carries_claim=True)
