"""Learning from a dcGAN with random weights, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Check
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import learning_curves


def draw(r: Evidence) -> Figure:
    """Draw learning from a convolutional generator with random weights."""
    return learning_curves.draw_learning(r, {"random_gan": "dcGAN, random weights"})


def checks(r: Evidence) -> Iterator[Check]:
    """Compare SGD on its images, and SGD on Gaussian inputs, with the equations."""
    yield from learning_curves.equivalent_checks(r, "random_gan", "random dcGAN")
    yield from learning_curves.generator_checks(r, "random_gan", "random dcGAN", carries_claim=True)
