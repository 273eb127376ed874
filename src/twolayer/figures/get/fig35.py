"""Learning from a trained dcGAN, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.get.learning_curves import draw_learning, learning_checks


def draw(r: Evidence) -> Figure:
    """A convolutional generator that was trained."""
    return draw_learning(r, {"trained_gan": "dcGAN"})


def checks(r: Evidence) -> Iterator[Verdict]:
    """SGD on its images follows the equations, within the spread of the runs."""
    yield from learning_checks(r, "trained_gan", "trained dcGAN")
