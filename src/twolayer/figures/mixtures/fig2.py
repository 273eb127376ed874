"""Learning curves with identity covariance."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, THEORY, Check, at_most, main, pooled, z_score
from twolayer.figures.curves import ERRORS, after_start, learning_curves
from twolayer.figures.evidence import Evidence
from twolayer.figures.numbers import mathematical
from twolayer.figures.style import PAGE


def draw(r: Evidence) -> Figure:
    """Draw learning curves with identity covariance: equations, simulation in N dimensions, SGD in order parameters."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(PAGE, 2.9))
    learning_curves((left, middle), r["xor_sgd"], r["xor_order_parameters"], r["xor_ode"])
    _order_parameters(right, after_start(r["xor_order_parameters_large"]), after_start(r["xor_ode_large"]))
    right.set_title(f"$N = {mathematical(_large(r))}$")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _large(r: Evidence) -> int:
    return r.parameter("mixture_xor_large", "input_dimension")


def _order_parameters(axes: Axes, simulated: xr.Dataset, theory: xr.Dataset) -> None:
    """Draw means of the pre-activations in the first and third cluster, with one colour for each hidden unit."""
    for unit in range(theory.sizes["unit"]):
        for cluster, marker in ((0, "o"), (2, "s")):
            here = {"cluster": cluster, "unit": unit}
            label = f"$k = {unit + 1}$" if cluster == 0 else None
            axes.plot(theory.time, theory.M.isel(here), color=f"C{unit}", linewidth=0.8, label=label)
            mean = simulated.M.isel(here).mean("seed")
            axes.plot(mean.time, mean, marker, color=f"C{unit}", markersize=2.5)
    axes.set(xscale="log", xlabel="time $t$ = steps / $N$")
    axes.set_ylabel("mean fields at\n$+e_1$ (circles), $+e_2$ (squares)")
    axes.legend(loc="upper left", ncols=2, title="hidden unit")


def checks(r: Evidence) -> Iterator[Check]:
    """Compare SGD with its order parameters, and these with the equations for large N."""
    sgd, order_parameters, theory = (after_start(r[name]) for name in ("xor_sgd", "xor_order_parameters", "xor_ode"))
    for error, word in ERRORS.items():
        yield z_score(
            sgd[error],
            order_parameters[error],
            f"{word} of SGD in N dimensions against SGD in order parameters",
            source="the same distribution at finite N",
            compared=INDEPENDENT,
        )
    early = slice(None, 20)
    yield pooled(
        order_parameters.pmse.sel(time=early),
        theory.pmse,
        "pmse of the equations against SGD in order parameters up to t = 20",
        source="before runs diverge from each other; corrections of order 1/N are smaller than the error",
    )
    yield from _large_checks(r)
    end = float(theory.class_error.isel(time=-1))
    yield at_most(
        abs(sgd.class_error.isel(time=-1).median("seed") - end),
        0.03,
        "class error of the typical network at the end, distance from the equations",
        source=f"the equations from the same start, which end at {end:.2g}; a network that misclassifies one more "
        "cluster "
        "has an error larger by 0.15",
        compared=THEORY,
    )


def _large_checks(r: Evidence) -> Iterator[Check]:
    """Check that the equations agree within chance and 1/N."""
    dimension = _large(r)
    order_parameters, theory = (after_start(r[name]) for name in ("xor_order_parameters_large", "xor_ode_large"))
    source = "limit of large N, within chance and 1/N"
    for error, word in ERRORS.items():
        yield z_score(
            order_parameters[error],
            theory[error].assign_coords({f"{error}_reading": theory[error] / dimension}),
            f"{word} of the equations against SGD in order parameters at N = {dimension}",
            source=source,
        )
    yield main(
        pooled(
            order_parameters.pmse,
            theory.pmse,
            f"pmse of the equations against SGD in order parameters at N = {dimension}, mean over all times",
            source=source,
            stated=1 / dimension,
        )
    )
