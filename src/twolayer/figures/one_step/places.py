"""Where figures of networks after one gradient step look in a sweep, and whether its parameters are the paper's."""

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
        size: whether it needs the paper's numbers of inputs and samples, too.
        different: parameters in which the paper's run differs from its other ones.
    """
    return r.as_published(run, **_PAPER | (_SIZE if size else {}) | different)


def at(result: xr.Dataset | xr.DataArray | Absent, **place: float) -> xr.Dataset | xr.DataArray | Absent:
    """A sweep at some values of its coordinates, or nothing if it has none of them."""
    if isinstance(result, Absent):
        return result
    for name, value in place.items():
        if value not in result[name].values:
            return Absent(f"no point of the sweep has {name} {value:g}")
    return result.sel(place)


def shown(result: xr.Dataset | Absent) -> xr.Dataset | None:
    """What a panel shows of a result that may not be there."""
    return None if isinstance(result, Absent) else result


def nearest(result: xr.Dataset | xr.DataArray, **place: float) -> dict[str, float]:
    """The points of a sweep next to some values of its coordinates."""
    return {name: float(result[name][int(abs(result[name] - value).values.argmin())]) for name, value in place.items()}


def fraction(value: float) -> str:
    """A number as a fraction where it is a half, in the words of titles."""
    return "1/2" if value == 0.5 else f"{value:g}"


def units(width: float) -> str:
    """The number of hidden units k in units of the number of samples m."""
    return "k = m" if np.isclose(width, 1) else f"k = {width:g}m"
