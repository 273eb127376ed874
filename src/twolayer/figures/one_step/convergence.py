"""Convergence of networks after one gradient step to the proportional limit, as n, m and k grow together."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from twolayer.figures.averages import mean_and_error, spread_exponent
from twolayer.figures.checks import THEORY, Check, main, ordering, z_score
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import BLUE, GREEN, PAGE, PURPLE, RED, YELLOW

RUNS = tuple(f"convergence_{place}" for place in range(1, 6))  # runs in the order of their size
COLOURS = (BLUE, GREEN, RED)
DRIFT = 0.5  # largest relative correction of the mean error times n, 0.5 % at n = 100
RATE = -0.5  # exponent of fluctuations over data and weights, by the central limit theorem
STRUCTURE = 3  # directions of the structure: a spike of each component, and the step
BULK = 0.5  # largest relative correction, times n, of the bulk from the step outside of its leading direction
KURTOSIS = 10.0  # largest excess kurtosis of the output for given structure, times n


def draw(r: Evidence) -> Figure:
    """Draw scaled errors, fluctuations, distances of the mean from theory, and the shape of outputs, against the
    size.
    """
    figure, (panels, shapes) = plt.subplots(2, 3, figsize=(PAGE, 5.4))
    error, theory = scaled(r, "network"), scaled(r, "theory")
    for activation, marker in zip(error[0].activation.values, "os^", strict=False):
        for beta, colour in zip(error[0].beta.values, COLOURS, strict=False):
            here = {"activation": activation, "beta": beta}
            _errors(panels[0], error, here, marker, colour)
            _spreads(panels[1], error, here, marker, colour)
            _distances(panels[2], [one - two for one, two in zip(error, theory, strict=True)], here, marker, colour)
            panels[0].plot(_sizes(theory), _means(theory, here), "--", color=colour, linewidth=0.8)
        panels[0].plot([], [], marker, color="0.3", markersize=3, label=activation)
    for beta, colour in zip(error[0].beta.values, COLOURS, strict=False):
        panels[0].plot([], [], color=colour, label=rf"$\beta={beta:g}$")
    panels[0].plot([], [], "--", color="0.3", linewidth=0.8, label="theory")
    sizes = _sizes(error)
    for axes, power in ((panels[1], -0.5), (panels[2], -1.0)):
        start = axes.get_ylim()[1] * 0.7
        label = r"$n^{-1/2}$" if power == RATE else r"$n^{-1}$"
        axes.plot(sizes, start * (sizes / sizes[0]) ** power, ":", color="black", label=label)
        axes.legend()
    titles = ("error over strength of labels", "standard deviation", "|network $-$ theory|, mean")
    for axes, title in zip(panels, titles, strict=True):
        axes.set(xscale="log", xlabel="$n=m=k$", title=title)
        axes.xaxis.set_minor_formatter(NullFormatter())
    for axes in panels[1:]:
        axes.set(yscale="log")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    _shapes(shapes, r["conditional_outputs"])
    strength, split = (r.parameter("conditional_outputs", name) for name in ("beta", "alpha"))
    shapes[0].set_ylim(top=8 * shapes[0].get_ylim()[1])  # leaves room for the legend
    shapes[0].legend(loc="upper right", title=rf"$\beta={strength:g}$, $\alpha={split:g}$")
    return figure


def _shapes(panels, result):
    """Draw correlations of pre-activations, and skewness and kurtosis of the output, with and without the structure."""
    sizes = result["dimension"].values
    quantities = (
        ("correlation of pre-activations", "field_correlation", "bulk_correlation"),
        ("skewness of the output", "output_skewness", "conditional_skewness"),
        ("excess kurtosis of the output", "output_kurtosis", "conditional_kurtosis"),
    )
    for axes, (title, whole, given) in zip(panels, quantities, strict=True):
        for activation, marker in zip(result.activation.values, "os^", strict=False):
            for name, colour, label in ((whole, PURPLE, "all inputs"), (given, YELLOW, "given structure")):
                means, bars = mean_and_error(result[name].sel(activation=activation))
                label = label if marker == "o" else None
                axes.errorbar(
                    sizes, means, bars, fmt=marker + "-", color=colour, markersize=3, linewidth=0.8, label=label
                )
        axes.set(xscale="log", xlabel="$n=m=k$", title=title)
        axes.xaxis.set_minor_formatter(NullFormatter())
    panels[0].plot(sizes, (sizes - STRUCTURE) ** -0.5, ":", color="black", label="$(n-3)^{-1/2}$")
    panels[0].set(yscale="log")
    panels[0].yaxis.set_minor_formatter(NullFormatter())
    for axes in panels[1:]:
        axes.axhline(0, linestyle=":", color="black")


def scaled(r: Evidence, variable: str) -> list[xr.DataArray]:
    """Return the errors of each size times |Sigma|, which have a limit: the teacher's norm is one over the root of
    |Sigma|.
    """
    prefix = "theory_" if variable == "theory" else ""
    return [_scaled(r, f"{prefix}{run}", variable) for run in RUNS]


def _scaled(r, run, variable):
    error, size = r[run][variable], r.parameter(run, "data.input_dimension")
    power = error.beta * (1 - r.parameter(run, "data.alpha"))
    return (error * (1 + 0.5 * size**power)).assign_coords(n=size)


def _sizes(errors):
    return np.array([float(one.n) for one in errors])


def _means(errors, here):
    return [float(one.sel(here).mean("seed")) for one in errors]


def _errors(axes, errors, here, marker, colour):
    stats = [mean_and_error(one.sel(here)) for one in errors]
    means, bars = ([float(part[side]) for part in stats] for side in (0, 1))
    axes.errorbar(_sizes(errors), means, bars, fmt=marker, color=colour, markersize=3, elinewidth=0.8)


def _spreads(axes, errors, here, marker, colour):
    spread = [float(one.sel(here).std("seed", ddof=1)) for one in errors]
    bars = [value / np.sqrt(2 * one.sizes["seed"] - 2) for value, one in zip(spread, errors, strict=True)]
    axes.errorbar(_sizes(errors), spread, bars, fmt=marker, color=colour, markersize=3, elinewidth=0.8)


def _distances(axes, errors, here, marker, colour):
    stats = [mean_and_error(one.sel(here)) for one in errors]
    means, bars = ([abs(float(part[side])) for part in stats] for side in (0, 1))
    axes.errorbar(_sizes(errors), means, bars, fmt=marker, color=colour, markersize=3, elinewidth=0.8)


def _over_largest(errors):
    """Return errors relative to the largest size, averaged over activations and beta, with standard errors."""
    unit = errors[-1].mean("seed").drop_vars("n")
    stats = [mean_and_error((one / unit).mean(["beta", "activation"])) for one in errors]
    means, deviations = ([float(part[side]) for part in stats] for side in (0, 1))
    sizes = _sizes(errors)
    coordinates = {"average_sem": deviations, "average_reading": DRIFT / sizes}
    coordinates = {name: ("n", np.asarray(values)) for name, values in coordinates.items()}
    return xr.DataArray(means, {"n": sizes, **coordinates}, dims="n", name="average")


def fluctuation_check(sizes: np.ndarray, errors: list[xr.DataArray], name: str) -> Check:
    """Check that the standard deviation of errors over data and weights falls like one over the root of the size.

    All activations and beta count as one set of runs, because they may share data.

    Args:
        errors: errors at each of the sizes, along `seed`, `activation` and `beta`. name: end of the title.
    """
    return z_score(
        -spread_exponent(sizes, errors).mean(["activation", "beta"]),
        -RATE,
        f"exponent of the standard deviation over data and weights, mean over activations and beta, {name}",
        source="central limit theorem, within the error of standard deviations over so many runs",
    )


def checks(r: Evidence) -> Iterator[Check]:
    """Check that scaled errors have a limit, that networks follow theory, that fluctuations fall like one over root n,
    and that outputs are Gaussian for given structure.
    """
    errors, theory = scaled(r, "network"), scaled(r, "theory")
    averages = _over_largest(errors)
    yield main(
        z_score(
            averages.isel(n=-1, drop=True),
            averages.isel(n=slice(None, -1)),
            "network, error over the strength of the labels, the largest size against smaller ones",
            source="the proportional limit, within chance and the correction of the mean, which is of order 1/n",
        )
    )
    for one, two, run in zip(errors, theory, RUNS, strict=True):
        size = r.parameter(run, "data.input_dimension")
        yield z_score(
            (one - two).rename("network_minus_theory"),
            0,
            f"n = {size}, network minus theory of the same draw",
            source="theory of each drawn first layer",
            relative_to=two.mean("seed"),
        )
    for values, name in (
        (errors, "network"),
        ([one - two for one, two in zip(errors, theory, strict=True)], "network minus theory"),
    ):
        yield fluctuation_check(_sizes(values), values, name)
    yield from _structure(r["conditional_outputs"])


def _structure(result):
    """Check Lemma 2, the bulk of pre-activations, and Lemma 5, Gaussian outputs for given structure."""
    n = result["dimension"]
    correction = ("dimension", BULK / n.values)
    yield z_score(
        result.bulk_correlation * np.sqrt(n - STRUCTURE),
        xr.DataArray(1.0 + 0 * n, name="one").assign_coords(one_reading=correction),
        "given spikes and step, correlation of two pre-activations times the root of n - 3",
        source="Lemma 2, structure and bulk: weights of different units are independent outside of the structure",
    )
    yield z_score(
        result.bulk_variance,
        ((n - STRUCTURE) / n).rename("share").assign_coords(share_reading=correction),
        "given spikes and step, variance of pre-activations over b^2",
        source="Lemma 2, structure and bulk: the variance of the initial weights in n - 3 directions",
    )
    yield z_score(
        result.conditional_kurtosis,
        xr.DataArray(0 * n, name="none").assign_coords(none_reading=("dimension", KURTOSIS / n.values)),
        "given spikes and step, excess kurtosis of the output",
        source="Lemma 5, conditional central limit theorem, within chance and a correction of order 1/n",
        relative_to=abs(result.output_kurtosis.mean("seed")),
    )
    largest = result.isel(dimension=-1, drop=True)
    yield ordering(
        abs(largest.output_kurtosis),
        abs(largest.conditional_kurtosis),
        "the largest size, excess kurtosis of the output is smaller for given spikes and step",
        source="Lemma 5, conditional central limit theorem",
        compared=THEORY,
    )
