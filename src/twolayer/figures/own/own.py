"""A mixture of the user's own, through everything there is for isotropic mixtures."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, NUMERICS, Verdict, at_most, main, pooled, relative, z_score
from twolayer.figures.curves import after_start, learning_curves, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE, RED

FEATURES = RED


def draw(r: Evidence) -> Figure:
    """Learning curves of a network in three descriptions, and the error of random features against the noise."""
    figure, (top, bottom) = plt.subplots(2, 2, figsize=(PAGE, 5.0))
    learning_curves(top, r["own_sgd"], r["own_chain"], r["own_ode"])
    _features(bottom[0], r["own_features"])
    _training(bottom[1], r["own_readout"])
    for axes in top:
        axes.set_title(_noise(r["own_readout"].sigma))
    figure.legend(*top[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _noise(sigma: xr.DataArray) -> str:
    """The noise that a panel has, in its title."""
    return rf"noise $\sigma={float(sigma):g}$"


def _features(axes: Axes, features: xr.Dataset) -> None:
    features = features.isel(ratio=0)
    axes.plot(features.sigma, features.class_error.mean("projection"), color=FEATURES, label="closed form")
    points(axes, features.simulated_class_error, "projection", FEATURES, "fresh samples")
    axes.plot(features.sigma, features.oracle, ":", color="black", label="Bayes oracle")
    label = f"class error of random features, $F={float(features.ratio):g}D$"
    axes.set(xscale="log", xlabel=r"noise $\sigma$", ylabel=label)
    axes.axvline(float(features.closed_sigma[0]), color="0.85", zorder=0)
    axes.legend(loc="upper left")


def _training(axes: Axes, training: xr.Dataset) -> None:
    training = after_start(training)
    points(axes, training.pmse, "seed", FEATURES, "readout trained online")
    axes.axhline(float(training.optimum_pmse), color="black", linestyle=":", label="best readout")
    axes.set(xscale="log", xlabel="time $t$ = steps / $D$", ylabel="pmse of random features")
    axes.set_title(_noise(training.sigma))
    axes.legend(loc="upper right")


def checks(r: Evidence) -> Iterator[Verdict]:
    """The three descriptions agree, and so do closed form, fresh samples and training of random features."""
    chain, features = r["own_chain"], r["own_features"]
    dimension = r.parameter("own_mixture", "input_dimension") or r.parameter("own_sgd", "student.dimension")
    yield main(
        pooled(
            after_start(chain.pmse),
            r["own_ode"].pmse,
            "pmse of the equations against SGD in order parameters, mean over all times",
            source=f"limit of large N, within chance and 1/N, where N = {dimension}",
            stated=1 / dimension,
        )
    )
    yield z_score(
        after_start(r["own_sgd"].pmse),
        chain.pmse,
        "pmse of SGD in N dimensions against SGD in order parameters",
        source="the same distribution at finite N",
        compared=INDEPENDENT,
    )
    yield at_most(
        features.oracle / features.class_error,
        1,
        "random features, never better than the Bayes oracle",
        tolerance=0.01,
        source="optimal decision; the tolerance is the relative error of the quadrature",
        compared=NUMERICS,
    )
    yield z_score(
        features.closed_pmse,
        features.simulated_pmse,
        "random features, pmse in closed form against fresh samples",
        source="simulation of the same readout",
    )
    readout = r.with_parameters("own_readout", "the tolerance is for", schedule__learning_rate=0.3)["own_readout"]
    yield relative(
        readout.pmse.isel(time=-1),
        readout.optimum_pmse,
        "random features, the trained readout is near the best one",
        tolerance=0.1,
        source="closed form; SGD at a fixed learning rate stays above it by about learning rate / stability limit",
    )
