"""A trained network as the teacher of a static feature map, and the concentration of training and test losses."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from twolayer.escaping import mathtext
from twolayer.figures.averages import spread_exponent
from twolayer.figures.checks import THEORY, Check, relative, z_score
from twolayer.figures.curves import legend_below
from twolayer.figures.evidence import Evidence
from twolayer.figures.gaussian_equivalence import sample_ratios
from twolayer.figures.style import PAGE

SIZES = tuple(f"concentration_{place}" for place in range(1, 5))  # runs in the order of their size
LOSSES = {"training_loss": ("training loss", "o"), "test_loss": ("test loss", "s")}
RATE = -0.5  # exponent of the fluctuations: a bound exp(-c n eps^2) allows a deviation eps of order n^-1/2
SPREAD = 0.2  # relative deviation of a fitted exponent, from corrections of higher order at the smallest sizes
DRIFT = 3.0  # largest relative distance of a mean loss from its limit, times the number of features


def draw(r: Evidence) -> Figure:
    """Draw losses for the labels of a trained network, and fluctuations of losses against the number of features."""
    figure, panels = plt.subplots(1, 3, figsize=(PAGE, 3.1))
    theory = r["image_network_replica"].sel(loss="square").squeeze("ridge")
    for axes, quantity in zip(panels, ("test_loss", "training_loss"), strict=False):
        sample_ratios.draw_curves(axes, *(r[f"image_network_{side}"][quantity] for side in ("replica", "learning")))
        label = "replica with draws from a finite set"
        axes.plot(
            theory.sample_ratio, theory[f"set_{quantity}"], ":", color=sample_ratios.COLOURS["square"], label=label
        )
    panels[0].set_ylabel("test loss")
    sample_ratios.label_training(panels[1], "log")
    panels[0].set_title("labels of a trained network")
    _spreads(panels[2], r)
    figure.suptitle(mathtext(r["image_network"].attrs["distribution"]))
    legend_below(figure, panels[:2].flat, 4)
    return figure


def _spreads(axes, r):
    """Draw the standard deviation of the losses against the number of features."""
    sizes = _sizes(r)
    for quantity, (name, marker) in LOSSES.items():
        relative_losses = _relative(r, quantity)
        for loss in relative_losses[0].loss.values:
            spreads = [float(one.sel(loss=loss).std("seed", ddof=1)) for one in relative_losses]
            bars = [s / np.sqrt(2 * one.sizes["seed"] - 2) for s, one in zip(spreads, relative_losses, strict=True)]
            style = {"color": sample_ratios.COLOURS[loss], "markersize": 3, "linewidth": 0.8}
            axes.errorbar(sizes, spreads, bars, fmt=f"{marker}-", label=f"{name}, {loss}", **style)
    axes.plot(sizes, 0.7 * sizes**RATE, ":", color="black", label="$d^{-1/2}$")
    axes.set(xscale="log", yscale="log", xlabel="features $d$", title="standard deviation over mean loss")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(bottom=axes.get_ylim()[0] / 4)  # leaves room for the legend
    axes.legend(loc="lower left")


def _sizes(r):
    return np.array([float(r.parameter(run, "dimension")) for run in SIZES])


def _relative(r: Evidence, quantity: str) -> list[xr.DataArray]:
    """Return losses over their limits, at each size."""
    return [
        (r[f"{run}_learning"][quantity] / r[f"{run}_replica"][quantity]).squeeze(["ridge", "sample_ratio"], drop=True)
        for run in SIZES
    ]


def checks(r: Evidence) -> Iterator[Check]:
    """Check the theory for labels of a trained network, and limits and fluctuations of the losses."""
    learning, theory = r["image_network_learning"], r["image_network_replica"]
    yield from sample_ratios.finite_set_checks(learning, theory, "labels of a trained network")
    for quantity, (name, _) in LOSSES.items():
        losses, sizes = _relative(r, quantity), _sizes(r)
        yield relative(
            -spread_exponent(sizes, losses),
            -RATE,
            f"{name}, exponent of the standard deviation over draws of the samples",
            tolerance=SPREAD,
            source="losses concentrate with probability 1 - exp(-c n eps^2) (Loureiro et al. 2021, Theorem 1)",
            compared=THEORY,
        )
        for size, values in zip(sizes, losses, strict=True):
            yield z_score(
                values.rename("ratio"),
                xr.DataArray(1.0, name="limit", coords={"limit_reading": DRIFT / size}),
                f"d = {size:g}, {name} against its limit",
                source="replica equations, within chance and a correction of order 1/d",
                compared=THEORY,
            )
