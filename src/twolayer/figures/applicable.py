"""Values for checks of configurable studies, or the reason why a configuration does not have them.

A check of an absent value does not apply, and its result states the reason.
"""

from typing import Any

import numpy as np
import xarray as xr

from twolayer.figures.evidence import Absent

Maybe = xr.DataArray | Absent


def selected(array: Maybe, **labels: Any) -> Maybe:
    """Select one label along each dimension. The result is absent if the array does not have it."""
    if isinstance(array, Absent):
        return array
    for name, value in labels.items():
        if value not in array[name].values:
            there = ", ".join(f"{one:g}" if one.dtype.kind in "if" else str(one) for one in array[name].values[:10])
            return Absent(f"the configuration has no {name} {value} ({there})")
    return array.sel(labels)


def variable(result: xr.Dataset, name: str, reason: str) -> Maybe:
    """Return a variable of a result. It is absent, with a reason, if the result does not have it."""
    return result[name] if name in result else Absent(reason)


def finite(array: Maybe, reason: str) -> Maybe:
    """Return an array. It is absent, with a reason, if it has no finite number."""
    if isinstance(array, Absent) or array.notnull().any():
        return array
    return Absent(reason)


def scattered(array: Maybe, name: str) -> Maybe:
    """Return an array over seeds. It is absent if it is equal for all seeds, so that it has no standard error.

    Args:
        name: name of the array, for the reason.
    """
    if isinstance(array, Absent):
        return array
    if array.sizes["seed"] < 2:
        return Absent(f"{name} has a single seed, and no standard error: set seeds to at least 2")
    if not (array.std("seed", ddof=1) > 0).any():
        return Absent(f"{name} is the same for all seeds, so that it has no standard error")
    return array


def common(one: Maybe, other: Maybe, runs: str) -> tuple[Maybe, Maybe]:
    """Return two arrays. Both are absent if they have no point in common along a dimension.

    Args:
        runs: names of the two runs, for the reason.
    """
    for array in (one, other):
        if isinstance(array, Absent):
            return array, array
    for name in set(one.coords) & set(other.coords) - {"seed"}:
        if name.endswith(("_sem", "_reading")):
            continue
        if not np.isin(np.ravel(one[name].values), np.ravel(other[name].values)).any():
            absent = Absent(f"{runs} have no {name} in common: give them the same values in the configuration")
            return absent, absent
    return one, other
