"""Class error in three regimes of the signal-to-noise ratio."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import PUBLISHED, THEORY, Verdict, at_most
from twolayer.figures.evidence import Evidence
from twolayer.figures.gmm.closed_form import closed_form_checks
from twolayer.figures.gmm.fixed_points import fixed_point_checks
from twolayer.figures.gmm.notation import FEATURES, NETWORK, ORACLE, REGIMES
from twolayer.figures.style import PAGE

MIXTURES = {"xor": "XOR", "three": "three clusters"}
CLAIMS = {  # of the paper
    "low": "only the network learns",
    "high": "both learn",
    "mixed": "the network is ahead",
}
FIXED_POINTS = {"xor": ("xor_network", "$K=4$"), "three": ("three_network", "$K=3$")}


def draw(r: Evidence) -> Figure:
    """Class error against noise: a row a mixture, a column a regime of the signal-to-noise ratio."""
    figure, panels = plt.subplots(2, 3, figsize=(PAGE, 5.0), sharey=True)
    for row, (mixture, name) in zip(panels, MIXTURES.items(), strict=True):
        for axes, regime in zip(row, REGIMES, strict=True):
            _regime(axes, r, mixture, regime)
        row[0].set_ylabel(f"{name}: class error")
    for axes, regime in zip(panels[0], REGIMES, strict=True):
        axes.set_title(f"{REGIMES[regime]}\npaper: {CLAIMS[regime]}")
    for axes in panels[1]:
        axes.set_xlabel(r"noise $\sigma$")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _regime(axes: Axes, r: Evidence, mixture: str, regime: str) -> None:
    trained = r[f"{mixture}_trained_{regime}"]
    features = r[f"{mixture}_features_{regime}"]
    for ratio, style in zip(features.ratio.values, ("-", "--"), strict=True):
        here = features.sel(ratio=ratio)
        mean, label = here.class_error.mean("projection"), f"random features, $F={ratio:g}D$"
        axes.plot(here.sigma, mean, style, color=FEATURES, label=label)
        axes.plot(here.closed_sigma, here.simulated_class_error.mean("projection"), "x", color=FEATURES, markersize=3)
    if regime == "low":
        _fixed_points(axes, r, mixture, trained.sigma)
    for run in trained.class_error.transpose("seed", "sigma"):
        axes.plot(trained.sigma, run, ".", color=NETWORK, markersize=2.5, alpha=0.5)
    axes.plot([], [], ".", color=NETWORK, alpha=0.5, label=f"network, $K=8$, each of {trained.sizes['seed']} runs")
    median = trained.class_error.median("seed")
    axes.plot(trained.sigma, median, "o", markersize=3.5, color=NETWORK, label="network, $K=8$, median")
    axes.plot(features.sigma, features.oracle, ":", color=ORACLE, label="Bayes oracle")
    axes.axhline(0.5, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xscale="log", ylim=(-0.02, 0.55))


def _fixed_points(axes: Axes, r: Evidence, mixture: str, sigma: xr.DataArray) -> None:
    run, _ = FIXED_POINTS[mixture]
    fixed = r[run]
    fixed = fixed.isel(sigma=np.flatnonzero((fixed.sigma >= sigma[0] / 1.01) & (fixed.sigma <= sigma[-1] * 1.01)))
    units = " and ".join(label for _, label in FIXED_POINTS.values())
    axes.plot(fixed.sigma, fixed.class_error, color=NETWORK, linewidth=0.8, label=f"network, {units}, fixed points")


def checks(r: Evidence) -> Iterator[Verdict]:
    """Random features and networks on both mixtures, and who succeeds in which regime."""
    for mixture, regime in product(MIXTURES, REGIMES):
        name = f"random features, {MIXTURES[mixture]}, {REGIMES[regime]}"
        yield from closed_form_checks(r[f"{mixture}_features_{regime}"], name)
    yield from fixed_point_checks(r["three_network"], "network with biases, three clusters")
    yield from _feature_checks(r)
    for mixture, regime in product(MIXTURES, REGIMES):
        yield from _network_checks(r[f"{mixture}_trained_{regime}"], f"{MIXTURES[mixture]}, {REGIMES[regime]}")
    yield from _order_checks(r)


def _feature_checks(r: Evidence) -> Iterator[Verdict]:
    yield at_most(
        0.5,
        r["xor_features_low"].class_error.sel(sigma=slice(1.2, 3)),
        "random features at chance, XOR, low SNR",
        tolerance=0.05,
        source="the paper's claim",
        compared=PUBLISHED,
    )
    yield at_most(
        r["xor_features_high"].class_error.sel(sigma=slice(1, 2), ratio=4),
        0,
        "random features succeed, XOR, high SNR",
        tolerance=0.02,
        source="the paper's claim",
        compared=PUBLISHED,
    )


def _network_checks(trained: xr.Dataset, name: str) -> Iterator[Verdict]:
    yield at_most(
        trained.best_class_error,
        trained.oracle,
        f"network near the oracle, {name}",
        tolerance=0.04,
        source="the paper's claim; best of the runs, of which weight decay and learning rate cost up to 0.03",
        compared=PUBLISHED,
    )
    yield at_most(
        trained.oracle,
        trained.best_class_error,
        f"nothing beats the oracle, {name}",
        tolerance=0.005,
        source="optimal decision; the tolerance is the error of the quadrature and of order 1/N",
        compared=THEORY,
    )


def _order_checks(r: Evidence) -> Iterator[Verdict]:
    for mixture, regime in product(MIXTURES, REGIMES):
        best = r[f"{mixture}_trained_{regime}"].best_class_error
        yield at_most(
            best,
            _features_at(r[f"{mixture}_features_{regime}"], best.sigma),
            f"network not behind random features, {MIXTURES[mixture]}, {REGIMES[regime]}",
            tolerance=0.01,
            source="the paper's claim; best of the runs, mean over projections",
            compared=PUBLISHED,
        )


def _features_at(features: xr.Dataset, sigma: xr.DataArray) -> xr.DataArray:
    """Mean class error of the larger number of features, at some of its noise levels."""
    mean = features.class_error.isel(ratio=-1).mean("projection")
    return mean.sel(sigma=sigma, method="nearest", tolerance=1e-9).assign_coords(sigma=sigma)
