"""Learning from random sign networks, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.get.learning_curves import draw_learning, learning_checks

LAYERS = {"sign_one": "one layer", "sign_four": "four layers"}


def draw(r: Evidence) -> Figure:
    """Random sign networks of one layer and of four."""
    return draw_learning(r, {run: f"{name} of sign units" for run, name in LAYERS.items()})


def checks(r: Evidence) -> Iterator[Verdict]:
    """SGD on either network follows the equations."""
    for run, name in LAYERS.items():
        yield from learning_checks(r, run, name, tolerance=0.01)
