"""The two sides of a check: values with their errors, at the points that both sides have."""

from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from twolayer.figures.evidence import Absent

Values = xr.DataArray | float | Absent


@dataclass(frozen=True)
class Estimate:
    """One side of a check.

    Attributes:
        error: standard error. freedom: degrees of freedom of the standard error.
        reading: error of reading the value off a picture, or another bound.
        draws: the value of each seed, if there are seeds.
    """

    value: xr.DataArray
    error: xr.DataArray
    freedom: float
    reading: xr.DataArray | float = 0.0
    draws: xr.DataArray | None = None


def estimate(values: Values) -> Estimate:
    """Return an array with its errors; a number has none."""
    if not isinstance(values, xr.DataArray):
        return Estimate(xr.DataArray(float(values)), xr.DataArray(0.0), np.inf)
    if "seed" in values.dims:
        seeds, mean = values.sizes["seed"], values.mean("seed")
        deviation = values.std("seed", ddof=1) if seeds > 1 else xr.full_like(mean, np.nan)
        return Estimate(mean, deviation / np.sqrt(seeds), seeds - 1, _stated(mean, "reading"), values)
    return Estimate(values, _stated(values, "sem"), np.inf, _stated(values, "reading"))


def _stated(values, error):
    """Return the error of an array in a coordinate, or zero without the coordinate."""
    none = values.reset_coords(drop=True).copy(data=np.zeros(values.shape))
    stated = values.coords.get(f"{values.name}_{error}")
    return none if stated is None else (none + stated).reset_coords(drop=True)


def meet(one: Estimate, other: Estimate) -> tuple[Estimate, Estimate]:
    """Return both arrays at the points where they can be compared.

    If one array has a single value of a coordinate, the other is taken at this value. Else the points are those that
    both arrays share.
    """
    one, other = at_values_of(other, one), at_values_of(one, other)
    arrays = [
        {name: part for name, part in vars(side).items() if isinstance(part, xr.DataArray)} for side in (one, other)
    ]
    common = iter(xr.align(*arrays[0].values(), *arrays[1].values(), join="inner", exclude={"seed"}, copy=False))
    first, second = (dict(zip(parts, common, strict=False)) for parts in arrays)  # each takes as many as it has
    return replace(one, **first), replace(other, **second)


def at_values_of(other: Estimate, one: Estimate) -> Estimate:
    """Return `one` at the values of its coordinates at which the other has a single value."""
    for name in one.value.dims:
        if name in other.value.coords and other.value[name].ndim == 0:
            here = np.flatnonzero(one.value[name] == other.value[name])
            place = {name: here[0] if here.size else 0}
            value, error, reading, draws = (
                part.isel(place).drop_vars(name) if isinstance(part, xr.DataArray) else part
                for part in (one.value, one.error, one.reading, one.draws)
            )
            value = value if here.size else xr.full_like(value, np.nan)  # there is no common point
            one = Estimate(value, error, one.freedom, reading, draws)
    return one


def reference_size(one: Estimate, other: Estimate) -> xr.DataArray:
    """Return the size of the reference at the points where both sides have a value."""
    return abs(other.value) + 0 * one.value


def averaged(side: Estimate, size: xr.DataArray) -> Estimate:
    """Return the mean over the points, in units of `size`; an error without seeds is common to all points."""
    if side.draws is not None:
        return estimate((side.draws / size).mean(size.dims))
    value, error, reading = ((part / size).mean(size.dims) for part in (side.value, side.error, side.reading))
    return Estimate(value, error, side.freedom, reading)


def difference_of(one: Estimate, other: Estimate) -> Estimate:
    """Return one estimate minus another, seed by seed if both have the same seeds."""
    reading = one.reading + other.reading
    if one.draws is not None and other.draws is not None and _same_seeds(one.draws, other.draws):
        return replace(estimate(one.draws - other.draws), reading=reading)
    error, freedom = np.hypot(one.error, other.error), min(one.freedom, other.freedom)
    return Estimate(one.value - other.value, error, freedom, reading)


def _same_seeds(one, other):
    return "seed" in one.coords and "seed" in other.coords and np.array_equal(one.seed, other.seed)
