"""Commands of the authors' code: equations and SGD on digits, the number of nodes of averages, and a fixed point."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, NUMERICS, Check, main, pooled, relative
from twolayer.figures.curves import ERRORS, SIMULATION, after_start, legend_below, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import BLUE, PAGE, RED

NODES = (5, 7, 9, 11, 13)  # binary logarithms of the numbers of nodes of the runs
AUTHORS = 10_000  # number of nodes that the authors call sufficient
ENOUGH = {"pmse": 1e-3, "class_error": 3e-3}  # relative error with a quarter of the authors' number of nodes
FINITE_SIZE = 2.0  # relative errors of SGD differ from the equations by at most about this number over N
NEAR_BAYES = 5e-3  # relative excess of the class error at the weight decay of the command over the Bayes error


def draw(r: Evidence) -> Figure:
    """Draw both errors against time, and the errors of quadrature against the number of nodes."""
    figure, panels = plt.subplots(1, 3, figsize=(PAGE, 2.9))
    theory, sgd = _sides(r)
    for axes, (error, word) in zip(panels, ERRORS.items(), strict=False):
        points(axes, sgd[error], "seed", SIMULATION, f"SGD, {sgd.sizes['seed']} runs")
        axes.plot(theory.time, theory[error], color="black", linewidth=0.8, label="equations")
        units = r.parameter("ode_mnist_command", "student.hidden_units")
        axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel=word, title=f"digits, $K = {units}$")
    _nodes(panels[2], r)
    legend_below(figure, (panels[0], panels[2]), 5)
    return figure


def _nodes(axes: Axes, r: Evidence) -> None:
    for (error, word), colour, marker in zip(ERRORS.items(), (BLUE, RED), "os", strict=True):
        deviations = [float(abs(_ratio(r, place, error) - 1).max()) for place in NODES[:-1]]
        axes.plot([2**place for place in NODES[:-1]], deviations, f"{marker}-", color=colour, markersize=3, label=word)
    axes.axvline(AUTHORS, linestyle=":", color="black", label="authors' number")
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel=f"relative to {2 ** NODES[-1]} nodes")
    axes.set_title(f"{r.parameter('nodes_5', 'student.activation')} units, largest deviation")


def _sides(r):
    """Return equations and simulation after the start."""
    return after_start(r["ode_mnist_command"]), after_start(r["sgd_mnist_command"])


def _ratio(r, place, error) -> xr.DataArray:
    """Return an error with a number of nodes over the error with the largest number, after the start."""
    return after_start(r[f"nodes_{place}"])[error] / after_start(r[f"nodes_{NODES[-1]}"])[error]


def checks(r: Evidence) -> Iterator[Check]:
    """Check the equations against SGD, the convergence with the number of nodes, and the fixed point."""
    theory, sgd = _sides(r)
    stated = FINITE_SIZE / r["mixture_mnist"].sizes["mode"]
    for error, word in ERRORS.items():
        agreement = pooled(
            sgd[error],
            theory[error],
            f"digits, {word} of SGD against the equations, mean over times",
            source="equations of motion, within chance and 1/N",
            stated=stated,
        )
        yield main(agreement) if error == "pmse" else agreement
    quarter = NODES[-2]
    for error, word in ERRORS.items():
        yield relative(
            _ratio(r, quarter, error),
            1.0,
            f"{word} with {2**quarter} nodes against {2 ** NODES[-1]} nodes",
            tolerance=ENOUGH[error],
            source=f"the number of nodes that the authors call sufficient is {AUTHORS:,}",
            compared=NUMERICS,
        )
    fixed = r["xor_network_command"]
    yield relative(
        fixed.class_error,
        fixed.bayes_error,
        "fixed point of the command, class error against the Bayes error",
        tolerance=NEAR_BAYES,
        source="Bayes-optimal classifier in closed form; the weight decay of the command is small",
        compared=INDEPENDENT,
    )
