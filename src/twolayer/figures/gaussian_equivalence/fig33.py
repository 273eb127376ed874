"""Learning from random sign networks, equations against SGD."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import Check
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import learning_curves

RUNS = ("sign_one", "sign_four", "sign_four_wide")
UNITS = ("sign_one_linear", "sign_one_relu")
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
# Order parameters of linear and relu units in N dimensions differ from the equations by up to about this number over N.
# They fluctuate little at the end: 1.2 +- 0.1 (Q) and 1.6 +- 0.5 (v) for linear units, 1.9 +- 0.5 (v) for relu.
FINITE_SIZE = 2.0
DEEP = ("sign_four", "sign_four_wide")


def draw(r: Evidence) -> Figure:
    """Draw random sign networks of one layer, and of four layers of two widths, and students and teachers of other
    units.
    """
    return learning_curves.draw_learning(r, {run: f"{_layers(r, run)} of sign units" for run in RUNS} | _units(r))


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the equations hold for Gaussian inputs, and for one layer. With four, Q deviates, less for wider
    layers.
    """
    layers = {run: _layers(r, run) for run in RUNS}
    for run, name in layers.items():
        yield from learning_curves.equivalent_checks(r, run, name)
    yield from learning_curves.generator_checks(r, "sign_one", layers["sign_one"], carries_claim=True)
    for run, name in _units(r).items():
        yield from learning_curves.equivalent_checks(r, run, name, finite_size=FINITE_SIZE)
        yield from learning_curves.generator_checks(r, run, name, finite_size=FINITE_SIZE)
    for run in DEEP:
        yield from learning_curves.departure_checks(r, run, layers[run])
    narrow, wide = (r.parameter(run, "widths")[0] for run in DEEP)
    title = f"{layers[DEEP[0]]}, Q leaves the equations less with {wide} units a layer than with {narrow}"
    yield learning_curves.depth_check(r, *DEEP, title)


def _layers(r, run):
    """Return the depth of a generator, and its width if another generator has the same depth."""
    *hidden, _ = r.parameter(run, "widths")
    depth = f"{_NUMBERS.get(len(hidden), len(hidden))} layer{'s' if len(hidden) > 1 else ''}"
    return depth if run not in DEEP else f"{depth} of {hidden[0]}"


def _units(r):
    """Return the titles of the other students by their runs."""
    names = {run: r.parameter(f"{run}_curve", "learning.activation") for run in UNITS}
    return {run: f"{_layers(r, 'sign_one')}, {name} students" for run, name in names.items()}
