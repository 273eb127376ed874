"""Learning from random sign networks, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Verdict
from twolayer.figures.evidence import Evidence
from twolayer.figures.get.learning_curves import (
    departure_checks,
    depth_check,
    draw_learning,
    generator_checks,
    twin_checks,
)

LAYERS = {"sign_one": "one layer", "sign_four": "four layers", "sign_four_wide": "four wider layers"}
UNITS = {"sign_one_linear": "one layer, linear students", "sign_one_relu": "one layer, relu students"}
DEEP = ("sign_four", "sign_four_wide")


def draw(r: Evidence) -> Figure:
    """Random sign networks of one layer, and of four layers of two widths; and students and teachers of other units."""
    return draw_learning(r, {run: f"{name} of sign units" for run, name in LAYERS.items()} | UNITS)


def checks(r: Evidence) -> Iterator[Verdict]:
    """The equations hold for Gaussian inputs, and for one layer; with four, Q leaves them, less the wider they are."""
    for run, name in LAYERS.items():
        yield from twin_checks(r, run, name)
    yield from generator_checks(r, "sign_one", LAYERS["sign_one"])
    for run, name in UNITS.items():
        yield from twin_checks(r, run, name)
        yield from generator_checks(r, run, name)
    for run in DEEP:
        yield from departure_checks(r, run, LAYERS[run])
    yield depth_check(r, *DEEP, "four layers, Q leaves the equations less where layers are twice as wide")
