"""Learning from normalising flows, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.get.learning_curves import draw_learning, learning_checks


def draw(r: Evidence) -> Figure:
    """Normalising flows, whose latents have as many dimensions as the inputs."""
    return draw_learning(r, {"dense_flow": "real NVP, random weights", "trained_flow": "real NVP"})


def checks(r: Evidence) -> Iterator[Verdict]:
    """SGD on what they give follows the equations, within the spread of the runs."""
    for run, name in {"dense_flow": "random flow", "trained_flow": "trained flow"}.items():
        yield from learning_checks(r, run, name)
