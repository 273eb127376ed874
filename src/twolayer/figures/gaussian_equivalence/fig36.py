"""Learning from normalising flows, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Check
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import learning_curves


def draw(r: Evidence) -> Figure:
    """Draw learning from normalising flows, whose latents have as many dimensions as the inputs."""
    return learning_curves.draw_learning(r, {"dense_flow": "real NVP, random weights", "trained_flow": "real NVP"})


def checks(r: Evidence) -> Iterator[Check]:
    """Compare SGD on generated inputs, and SGD on Gaussian inputs, with the equations."""
    for run, name in {"dense_flow": "random flow", "trained_flow": "trained flow"}.items():
        yield from learning_curves.equivalent_checks(r, run, name, carries_claim=run == "trained_flow")
        yield from learning_curves.generator_checks(r, run, name)
