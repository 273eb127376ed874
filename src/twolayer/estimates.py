"""The two sides of a check: variables of results, with what is known about their errors, at the points to compare."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError


@dataclass(frozen=True)
class Estimate:
    """A variable with its errors.

    Attributes:
        error: standard error. freedom: degrees of freedom of that.
        reading: error with which the value was read off a picture.
    """

    value: xr.DataArray
    error: xr.DataArray
    freedom: float
    reading: xr.DataArray | float = 0.0


def estimate(side: str, results: Mapping[str, xr.Dataset], check: Mapping) -> Estimate:
    """The variable `run.variable`, or the number, on one side of a check, where the check selects.

    Args:
        side: `measured` or `target`. results: name of a run -> its result. check: see `config/figures.yaml`.

    Raises:
        ConfigError: the check names a variable that is not there.
    """
    name = check[side]
    if not isinstance(name, str):
        return Estimate(xr.DataArray(float(name)), xr.DataArray(0.0), np.inf)
    run, _, variable = name.rpartition(".")
    if run not in results or variable not in results[run]:
        known = ", ".join(f"{known}.{v}" for known, result in results.items() for v in result.data_vars)
        raise ConfigError(f"config/figures.yaml: check {check['title']!r} names {name!r}: the figure reads {known}")
    result = _selected(results[run], check).sel(check.get(f"{side}_at", {}), drop=True)
    return _with_errors(result, variable)


def meet(one: Estimate, other: Estimate) -> tuple[Estimate, Estimate]:
    """Both where they can be compared: along a coordinate of which one has a single value, the other at that value."""
    return _at_values_of(other, one), _at_values_of(one, other)


def neighbours(whole: Estimate, coordinate: str) -> tuple[Estimate, Estimate]:
    """An estimate from the second point along a coordinate on, and at the point before each."""
    later = whole.value.isel({coordinate: slice(1, None)})
    earlier = whole.value.isel({coordinate: slice(None, -1)}).assign_coords({coordinate: later[coordinate]})
    return tuple(Estimate(value, xr.zeros_like(value), np.inf) for value in (later, earlier))


def _selected(result, check):
    """The result in the ranges `select` and at the values `at` of its coordinates."""
    for coordinate, (low, high) in check.get("select", {}).items():
        if coordinate in result.coords:
            inside = (result[coordinate] >= low) & (result[coordinate] <= high)
            result = result.isel({coordinate: np.flatnonzero(inside)})
    for coordinate, values in check.get("at", {}).items():
        if coordinate in result.coords:
            result = result.isel({coordinate: np.flatnonzero(result[coordinate].isin(values))})
    return result


def _with_errors(result, variable):
    value = result[variable]
    if "seed" in value.dims:
        seeds, mean = value.sizes["seed"], value.mean("seed")
        spread = value.std("seed", ddof=1) if seeds > 1 else xr.full_like(mean, np.nan)
        return Estimate(mean, spread / np.sqrt(seeds), seeds - 1)
    error, reading = (result.get(f"{variable}_{kind}", xr.zeros_like(value)) for kind in ("sem", "reading"))
    return Estimate(value, error, np.inf, reading)


def _at_values_of(other, one):
    """`one` at those values of its coordinates of which the other has a single one."""
    for name in one.value.dims:
        if name in other.value.coords and other.value[name].ndim == 0:
            here = np.flatnonzero(one.value[name] == other.value[name])
            place = {name: here[0] if here.size else 0}
            value, error = (part.isel(place).drop_vars(name) for part in (one.value, one.error))
            reading = one.reading.isel(place).drop_vars(name) if isinstance(one.reading, xr.DataArray) else one.reading
            value = value if here.size else xr.full_like(value, np.nan)  # no point in common
            one = Estimate(value, error, one.freedom, reading)
    return one
