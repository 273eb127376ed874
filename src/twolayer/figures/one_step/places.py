"""Places in the sweeps of figures of networks after one gradient step, and comparison of parameters with the
paper's."""

from typing import Any

import numpy as np
import xarray as xr

from twolayer.figures.evidence import Absent, Evidence

_PAPER = {
    "data__alpha": 0.5,
    "data__beta": 0.74,
    "data__labels": "regression",
    "data__label_noise": 0,
    "data__random_spikes": False,
    "data__teacher": "random",
    "data__alignments": [0],
    "data__ranks": [1, 1],
    "data__ratios": [0.5, 0.5],
    "ridge": 1e-4,
    "width": 1,
}
_SIZE = {"data__input_dimension": 1000, "data__samples": 1000}


def of_paper(r: Evidence | Absent, run: str, *, size: bool = True, **different: Any) -> Evidence | Absent:
    """Return the evidence if a run has the parameters of the paper's sweeps.

    Args:
        size: whether the numbers of inputs and samples must also be the paper's.
        different: parameters in which the paper's run differs from its other runs.
    """
    return r.as_published(run, **_PAPER | (_SIZE if size else {}) | different)


def at(result: xr.Dataset | xr.DataArray | Absent, **place: float) -> xr.Dataset | xr.DataArray | Absent:
    """Return a sweep at given values of its coordinates, or an absent value if it has none of them."""
    if isinstance(result, Absent):
        return result
    for name, value in place.items():
        if value not in result[name].values:
            return Absent(f"no point of the sweep has {name} {value:g}")
    return result.sel(place)


def shown(result: xr.Dataset | Absent) -> xr.Dataset | None:
    """Return a result that a panel can show, or None if it is absent."""
    return None if isinstance(result, Absent) else result


def nearest(result: xr.Dataset | xr.DataArray, **place: float) -> dict[str, float]:
    """Return the points of the sweep closest to given values of its coordinates."""
    return {name: float(result[name][int(abs(result[name] - value).values.argmin())]) for name, value in place.items()}


def fraction(value: float) -> str:
    """Return a number for titles, as a fraction if it is a half."""
    return "1/2" if value == 0.5 else f"{value:g}"


def units(width: float) -> str:
    """Return the number of hidden units k in units of the number of samples m."""
    return "k = m" if np.isclose(width, 1) else f"k = {width:g}m"
