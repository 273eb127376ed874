"""A custom mixture, studied by all methods for isotropic mixtures."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.applicable import Maybe, common, scattered, variable
from twolayer.figures.checks import INDEPENDENT, Check, main, pooled, relative, z_score
from twolayer.figures.curves import after_start, learning_curves, points
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.mixtures.closed_form import bayes_check
from twolayer.figures.style import PAGE, RED

FEATURES = RED
RATIO_STYLES = ("-", "--", "-.", ":")  # styles of numbers of random features
NOT_SIMULATED = "custom_features has no simulated_sigma"
TRAINED = 900  # time after which the readout is near the best readout


def draw(r: Evidence) -> Figure:
    """Draw learning curves of a network in three descriptions, and the error of random features against the noise."""
    figure, (top, bottom) = plt.subplots(2, 2, figsize=(PAGE, 5.0))
    learning_curves(top, r["custom_sgd"], r["custom_order_parameters"], r["custom_ode"])
    _features(bottom[0], r["custom_features"])
    _training(bottom[1], r["custom_readout"])
    mixture = r["custom_mixture"]
    for axes in top:
        axes.set_title(_noise(np.sqrt((mixture.weights * mixture.variance).sum())))
    figure.legend(*top[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _noise(sigma: xr.DataArray) -> str:
    """Return the noise of a panel, for its title."""
    return rf"noise $\sigma={float(sigma):g}$"


def _features(axes: Axes, features: xr.Dataset) -> None:
    for place, ratio in enumerate(features.ratio.values):
        one, style = features.sel(ratio=ratio), RATIO_STYLES[place % len(RATIO_STYLES)]
        label = f"closed form, $F={ratio:g}D$" if features.sizes["ratio"] > 1 else "closed form"
        axes.plot(one.sigma, one.class_error.mean("projection"), style, color=FEATURES, label=label)
        if "simulated_class_error" in one:
            points(axes, one.simulated_class_error, "projection", FEATURES, None if place else "fresh samples")
    axes.plot(features.sigma, features.bayes_error, ":", color="black", label="Bayes-optimal classifier")
    number = f", $F={float(features.ratio[0]):g}D$" if features.sizes["ratio"] == 1 else ""
    axes.set(xscale="log", xlabel=r"noise $\sigma$", ylabel=f"class error of random features{number}")
    for sigma in np.ravel(features.coords.get("closed_sigma", [])):
        axes.axvline(sigma, color="0.85", zorder=0)
    axes.legend(loc="upper left")


def _training(axes: Axes, training: xr.Dataset) -> None:
    training = after_start(training)
    points(axes, training.pmse, "seed", FEATURES, "readout trained online")
    axes.axhline(float(training.optimum_pmse), color="black", linestyle=":", label="best readout")
    axes.set(xscale="log", xlabel="time $t$ = steps / $D$", ylabel="pmse of random features")
    axes.set_title(_noise(training.sigma))
    axes.legend(loc="upper right")


def checks(r: Evidence) -> Iterator[Check]:
    """Check that the three descriptions agree, and closed form, fresh samples and training of random features."""
    order_parameters, features = r["custom_order_parameters"], r["custom_features"]
    dimension = r.parameter("custom_mixture", "input_dimension") or r.parameter("custom_sgd", "student.dimension")
    yield main(
        pooled(
            after_start(order_parameters.pmse),
            r["custom_ode"].pmse,
            "pmse of the equations against SGD in order parameters, mean over all times",
            source=f"limit of large N, within chance and 1/N, where N = {dimension}",
            stated=1 / dimension,
        )
    )
    yield z_score(
        *common(
            scattered(after_start(r["custom_sgd"].pmse), "custom_sgd"),
            scattered(order_parameters.pmse, "custom_order_parameters"),
            "custom_sgd and custom_order_parameters",
        ),
        "pmse of SGD in N dimensions against SGD in order parameters",
        source="the same distribution at finite N",
        compared=INDEPENDENT,
    )
    yield bayes_check(features.bayes_error, features.class_error, "random features,")
    yield z_score(
        variable(features, "closed_pmse", NOT_SIMULATED),
        variable(features, "simulated_pmse", NOT_SIMULATED),
        "random features, pmse in closed form against fresh samples",
        source="simulation of the same readout",
    )
    readout = r.with_parameters("custom_readout", "the tolerance is for", schedule__learning_rate=0.3)["custom_readout"]
    yield relative(
        _trained(readout.pmse),
        readout.optimum_pmse,
        "random features, the trained readout is near the best one",
        tolerance=0.1,
        source="closed form; SGD at a fixed learning rate stays above it by about learning rate / stability limit",
    )


def _trained(pmse: xr.DataArray) -> Maybe:
    """Return the part of a training that is long enough to be near the best readout."""
    if not float(pmse.time[-1]) >= TRAINED:
        return Absent(f"custom_readout ends at time {float(pmse.time[-1]):g}: set its last_time to at least {TRAINED}")
    return pmse.sel(time=slice(TRAINED, None))
