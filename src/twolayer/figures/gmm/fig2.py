"""Learning curves with identity covariance."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, Verdict, at_most, pooled, z_score
from twolayer.figures.curves import ERRORS, after_start, learning_curves
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE


def draw(r: Evidence) -> Figure:
    """Learning curves with identity covariance: equations, simulation in N dimensions, chain of order parameters."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(PAGE, 2.9))
    learning_curves((left, middle), r["xor_sgd"], r["xor_chain"], r["xor_ode"])
    _order_parameters(right, after_start(r["xor_chain_large"]), after_start(r["xor_ode_large"]))
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _order_parameters(axes: Axes, simulated: xr.Dataset, theory: xr.Dataset) -> None:
    """Means of the local fields in the first and third cluster, one colour a hidden unit."""
    for unit in range(theory.sizes["unit"]):
        for cluster, marker in ((0, "o"), (2, "s")):
            here = {"cluster": cluster, "unit": unit}
            label = f"$k = {unit + 1}$" if cluster == 0 else None
            axes.plot(theory.time, theory.M.isel(here), color=f"C{unit}", linewidth=0.8, label=label)
            mean = simulated.M.isel(here).mean("seed")
            axes.plot(mean.time, mean, marker, color=f"C{unit}", markersize=2.5)
    axes.set(xscale="log", xlabel="time $t$ = steps / $N$", title=r"$N = 20\,000$")
    axes.set_ylabel("mean fields at\n$+e_1$ (circles), $+e_2$ (squares)")
    axes.legend(loc="upper left", ncols=2, title="hidden unit")


def checks(r: Evidence) -> Iterator[Verdict]:
    """SGD follows the chain of order parameters, and for large N the chain follows the equations."""
    names = ("xor_sgd", "xor_chain", "xor_ode", "xor_chain_large", "xor_ode_large")
    sgd, chain, theory, large_chain, large_theory = (after_start(r[name]) for name in names)
    for error, word in ERRORS.items():
        yield z_score(
            sgd[error],
            chain[error],
            f"{word} of SGD in N dimensions against the chain of order parameters",
            source="exact law at finite N",
            compared=INDEPENDENT,
        )
        yield z_score(
            large_chain[error],
            large_theory[error],
            f"{word} of the equations against the chain at N = 20000",
            source="limit of large N",
        )
    early = slice(None, 20)
    yield pooled(
        chain.pmse.sel(time=early),
        theory.pmse,
        "pmse of the equations against the chain up to t = 20",
        source="before runs part; corrections of order 1/N are smaller than the error",
    )
    yield pooled(
        large_chain.pmse,
        large_theory.pmse,
        "pmse of the equations against the chain at N = 20000, mean over all times",
        source="limit of large N",
    )
    yield at_most(
        sgd.class_error.isel(time=-1).median("seed"),
        0.01,
        "the typical network has learned all clusters by the end",
        source="the paper's learning curves; a network that misses one cluster errs on 0.15",
        compared=PUBLISHED,
    )
