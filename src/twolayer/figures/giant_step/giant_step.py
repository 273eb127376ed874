"""One giant gradient step on isotropic inputs: networks, theory of their drawn first layers, and its limit."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from twolayer.figures.checks import THEORY, Check, main, ordering, pooled
from twolayer.figures.curves import SIMULATION, points
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import GREEN, PAGE

FAMILIES = ("few", "many")
EQUIVALENCE = 2.5  # error of the theory of drawn layers times n, relative to the errors
LIMIT = 5.0  # deviation of their mean from the limit times n
SMALL = 0.5  # smaller steps count as small at these dimensions


def draw(r: Evidence) -> Figure:
    """Draw the error of a fitted second layer against the size of the step, for few and for many samples."""
    figure, panels = plt.subplots(1, 2, figsize=(PAGE, 2.9), sharey=True)
    for axes, family in zip(panels, FAMILIES, strict=True):
        limit, theory, networks = (_error(r, family, side) for side in ("limit", "theory", "networks"))
        after = limit.where(limit.step_per_unit > 0, drop=True)
        axes.plot(after.step_per_unit, after, color="black", linewidth=0.8, label="limit of large dimension")
        without = limit.where(limit.step_per_unit == 0, drop=True)
        axes.plot(without.step_per_unit, without, "*", color="black", label="limit without a step")
        points(axes, networks, "seed", SIMULATION, f"networks, {networks.sizes['seed']} runs")
        mean = theory.mean("seed")
        axes.plot(mean.step_per_unit, mean, "x", color=GREEN, label="theory of their first layers")
        axes.set(xlabel=r"step $\eta / k$", title=rf"$\alpha_0 = {_sample_ratio(r, family):g}$")
    panels[0].set(ylabel="mean squared error")
    panels[0].legend()
    return figure


def _error(r, family, side):
    """Return the mean squared error of networks, of the theory of their first layers, or of the limit."""
    name = "network" if side == "networks" else "theory"
    return 2 * r[f"{family}_{side}"][name].isel(activation=0, drop=True)


def _sample_ratio(r, family):
    """Return alpha0, samples of the step over dimensions."""
    run = f"{family}_theory"
    return r.parameter(run, "data.step_samples") / r.parameter(run, "data.input_dimension")


def checks(r: Evidence) -> Iterator[Check]:
    """Compare networks with the theory of their first layers, and its mean with the limit; the step lowers errors."""
    for family in FAMILIES:
        limit, theory, networks = (_error(r, family, side) for side in ("limit", "theory", "networks"))
        n, title = r.parameter(f"{family}_theory", "data.input_dimension"), f"sample ratio {_sample_ratio(r, family):g}"
        agreement = pooled(
            networks,
            theory,
            f"{title}, networks against the theory of their first layers",
            source="features that are Gaussian given the component of the inputs along the step",
            compared=THEORY,
            stated=EQUIVALENCE / n,
        )
        yield main(agreement) if family == FAMILIES[-1] else agreement
        yield pooled(
            _large(theory),
            _large(limit),
            f"{title}, drawn first layers against the limit",
            source="limit of large dimension",
            compared=THEORY,
            stated=LIMIT / n,
        )
    yield _gain(_error(r, FAMILIES[-1], "networks"), f"sample ratio {_sample_ratio(r, FAMILIES[-1]):g}")


def _gain(networks, title):
    """Check that networks have a larger error at the first step size than at the second."""
    smaller, larger = (networks.isel(step_per_unit=[place]).drop_vars("step_per_unit") for place in (0, 1))
    sizes = networks.step_per_unit.values[:2]
    return ordering(
        smaller,
        larger,
        f"{title}, a step of {sizes[0]:g} against a step of {sizes[1]:g}",
        source="limit of large dimension",
        compared=THEORY,
    )


def _large(error: xr.DataArray) -> xr.DataArray:
    """Return errors at steps that are not small."""
    return error.isel(step_per_unit=np.flatnonzero(error.step_per_unit > SMALL))
