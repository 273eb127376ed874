"""Class error in three regimes of the signal-to-noise ratio."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import PUBLISHED, THEORY, Verdict, at_most
from twolayer.figures.evidence import Evidence
from twolayer.figures.gmm.closed_form import closed_form_checks
from twolayer.figures.gmm.notation import FEATURES, NETWORK, ORACLE, REGIMES

MIXTURES = {"xor": "XOR", "three": "three clusters"}


def draw(r: Evidence) -> Figure:
    """Class error against noise: a row a mixture, a column a regime of the signal-to-noise ratio."""
    figure, panels = plt.subplots(2, 3, figsize=(7.2, 4.6), sharey=True)
    for row, (mixture, name) in zip(panels, MIXTURES.items(), strict=True):
        for axes, regime in zip(row, REGIMES, strict=True):
            _regime(axes, r, mixture, regime)
        row[0].set_ylabel(f"{name}: class error")
    for axes, regime in zip(panels[0], REGIMES, strict=True):
        axes.set_title(REGIMES[regime])
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
    low, middle, high = trained.class_error.quantile([0.25, 0.5, 0.75], "seed")
    axes.errorbar(
        trained.sigma,
        middle,
        (middle - low, high - middle),
        fmt="o",
        markersize=3,
        color=NETWORK,
        label="network, $K=8$, median and quartiles",
    )
    if (mixture, regime) == ("xor", "low"):
        fixed = r["xor_network"]
        inside = (fixed.sigma >= trained.sigma[0]) & (fixed.sigma <= trained.sigma[-1])
        fixed = fixed.isel(sigma=np.flatnonzero(inside))
        axes.plot(fixed.sigma, fixed.class_error, color=NETWORK, label="network, $K=4$, fixed point")
    axes.plot(features.sigma, features.oracle, ":", color=ORACLE, label="Bayes oracle")
    axes.axhline(0.5, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xscale="log", ylim=(-0.02, 0.55))


def checks(r: Evidence) -> Iterator[Verdict]:
    """Random features and networks on both mixtures, and who succeeds on XOR in which regime."""
    for mixture, regime in product(MIXTURES, REGIMES):
        name = f"random features, {MIXTURES[mixture]}, {REGIMES[regime]}"
        yield from closed_form_checks(r[f"{mixture}_features_{regime}"], name)
    yield from _feature_checks(r)
    yield from _network_checks(r)


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


def _network_checks(r: Evidence) -> Iterator[Verdict]:
    low, high, mixed = (r[f"xor_trained_{regime}"] for regime in ("low", "high", "mixed"))
    best = "the paper's claim; best of the runs"
    for trained, title, source in (
        (
            low.sel(sigma=slice(0.1, 1)),
            "network on the oracle, XOR, low SNR",
            f"{best}, weight decay costs up to 0.012 (figure 1)",
        ),
        (high.sel(sigma=slice(1, 10)), "network succeeds, XOR, high SNR", best),
        (mixed, "network on the oracle, XOR, mixed SNR", best),
    ):
        yield at_most(
            trained.best_class_error, trained.oracle, title, tolerance=0.03, source=source, compared=PUBLISHED
        )
    yield at_most(
        mixed.oracle,
        mixed.best_class_error,
        "nothing beats the oracle, XOR, mixed SNR",
        tolerance=0.005,
        source="optimal decision for large N; the tolerance is the error of the quadrature and of order 1/N",
        compared=THEORY,
    )
