"""The XOR mixture, where random features fail and a two-layer network succeeds."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twolayer.figures.checks import INDEPENDENT, NUMERICS, PUBLISHED, Verdict, at_most, z_score
from twolayer.figures.curves import ERRORS, band, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.gmm.closed_form import closed_form_checks
from twolayer.figures.gmm.notation import CLASSES, FEATURES, NETWORK, ORACLE, label_classes


def draw(r: Evidence) -> Figure:
    """Left: a sample of the XOR mixture. Right: class error of network, random features and oracle against noise."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4), width_ratios=[1, 1.45])
    _mixture_sample(left, r["xor_sample"])
    _errors_against_noise(right, r["xor_network"], r["xor_random_features"])
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
    return figure


def _mixture_sample(axes: Axes, sample: xr.Dataset) -> None:
    for cluster in range(sample.sizes["cluster"]):
        label = int(sample.labels[cluster])
        axes.scatter(*sample.points[cluster].T, s=2, color=CLASSES[label], alpha=0.5, linewidth=0, rasterized=True)
        axes.annotate("", sample.means[cluster].values, (0, 0), arrowprops={"arrowstyle": "->", "color": "black"})
    sigma = float(sample.sigma)
    x, y = sample.means[0].values
    axes.annotate("", (x, y + 2 * sigma), (x, y), arrowprops={"arrowstyle": "->", "color": "black"})
    axes.text(x + 0.05, y + 1.1 * sigma, r"$2\sigma$", va="center")
    axes.text(0.5, -0.06, r"$\mu/\sqrt{N}$", ha="center", va="top")
    label_classes(axes)
    axes.legend(loc="upper right", handletextpad=0.1)
    axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", xlim=(-2, 2), ylim=(-2, 2))
    axes.set_title("XOR mixture")


def _errors_against_noise(axes: Axes, network: xr.Dataset, features: xr.Dataset) -> None:
    features = features.isel(ratio=0)
    D = int(features.input_dimension)
    F = round(D * float(features.ratio))
    axes.plot(network.sigma, network.class_error, color=NETWORK, label="two-layer network, $K=4$")
    axes.plot(
        features.sigma,
        features.class_error.mean("projection"),
        color=FEATURES,
        label=f"random features, closed form, $N={D}$, $F={F}$",
    )
    band(axes, features.class_error, "projection", FEATURES)
    points(axes, features.simulated_class_error, "projection", FEATURES, "random features on fresh samples")
    axes.plot(network.sigma, network.oracle, ":", color=ORACLE, label="Bayes oracle")
    axes.axhline(0.5, linestyle="--", color="0.5", label="chance")
    crossover = D**-0.25
    axes.axvline(crossover, color="0.85", linewidth=4, zorder=0)
    axes.text(crossover * 1.15, 0.02, r"$\sigma = N^{-1/4}$", color="0.45", ha="left")
    axes.set_xscale("log")
    axes.set(xlabel=r"noise $\sigma$ = 1/SNR", ylabel="class error", ylim=(-0.01, 0.58))
    axes.set_title("high SNR", loc="left")
    axes.set_title("low SNR", loc="right")


def checks(r: Evidence) -> Iterator[Verdict]:
    """Both curves are right, and lie where the paper has them: on the oracle, and at chance for strong noise."""
    yield from _fixed_point_checks(r["xor_network"], r["xor_network_reference"], r["fixed_points"])
    yield from closed_form_checks(r["xor_random_features"], "random features")
    yield from _published_checks(r["xor_network"], r["xor_random_features"])


def _fixed_point_checks(network: xr.Dataset, at_published: xr.Dataset, solver: xr.Dataset) -> Iterator[Verdict]:
    for error, word in ERRORS.items():
        yield z_score(
            at_published[error],
            solver[error],
            f"network, {word} of the fixed point against an independent solver",
            source="plain quasi-random sampling at variances 0.05 and 1",
            compared=INDEPENDENT,
        )
        yield z_score(
            network[f"simulated_{error}"],
            network[f"closed_{error}"],
            f"network, {word} of the fixed point against simulation",
            source="time average of simulations that start at the fixed point, by the chain of order parameters",
        )
    yield at_most(
        network.residual,
        0,
        "network, the fixed point is stationary",
        tolerance=1e-10,
        source="largest component of the drift of the order parameters",
        compared=NUMERICS,
    )
    yield at_most(
        network.leading_eigenvalue,
        0,
        "network, the fixed point is stable",
        tolerance=1e-12,
        source="leading eigenvalue of the linearised order-parameter equations",
        compared=NUMERICS,
    )
    yield at_most(
        network.oracle,
        network.class_error,
        "network, never better than the Bayes oracle",
        tolerance=1e-4,
        source="optimal decision; the tolerance is the error of the quadrature",
        compared=NUMERICS,
    )


def _published_checks(network: xr.Dataset, features: xr.Dataset) -> Iterator[Verdict]:
    yield at_most(
        network.class_error,
        network.oracle,
        "network, on top of the oracle",
        tolerance=0.02,
        source="the published figure, where one line covers the other; a line is about 0.02 wide",
        compared=PUBLISHED,
    )
    yield at_most(
        network.class_error.sel(sigma=slice(0.08, 3)),
        features.class_error,
        "network better than random features",
        tolerance=1e-4,
        source="the paper's claim, where either learns anything and errs at all",
        compared=PUBLISHED,
    )
    yield at_most(
        0.5,
        features.class_error.sel(sigma=slice(2, 10)),
        "random features at chance for low signal-to-noise",
        tolerance=0.01,
        source="the paper's claim",
        compared=PUBLISHED,
    )
