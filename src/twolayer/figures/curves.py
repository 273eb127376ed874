"""How learning curves over several runs are drawn."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes


def band(axes: Axes, simulated: xr.DataArray, colour: str, label: str) -> None:
    """Mean and standard deviation over runs, as a band."""
    mean, spread = simulated.mean("seed"), simulated.std("seed", ddof=1)
    axes.fill_between(simulated.time, mean - spread, mean + spread, color=colour, alpha=0.3, linewidth=0, label=label)


def points(axes: Axes, simulated: xr.DataArray, colour: str, label: str | None = None) -> None:
    """Mean and standard deviation over runs, as points."""
    mean, spread = simulated.mean("seed"), simulated.std("seed", ddof=1)
    axes.errorbar(simulated.time, mean, spread, fmt="o", markersize=2.5, color=colour, elinewidth=0.8, label=label)


def after_start(curve: xr.DataArray) -> xr.DataArray:
    """Without t = 0, which a logarithmic axis cannot show."""
    return curve.isel(time=np.flatnonzero(curve.time > 0))
