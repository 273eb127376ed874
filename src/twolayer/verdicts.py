"""A figure's checks: measured value, target, tolerance, and whether they agree.

A check compares two variables of results, `run.variable` each, point by point where their coordinates agree. Its kind
says how:

    z_score   |measured - target| in standard errors; the tolerance is what chance exceeds with probability `CHANCE`,
              by Student's distribution for few seeds and with Bonferroni's correction for many points
    relative  largest |measured - target| / |target| is at most the tolerance
    at_most   largest measured - target is at most the tolerance
    falling   from one point to the next along the coordinate named by `target`, measured rises by at most the tolerance

A variable with a dimension `seed` counts as its mean, with the standard error over seeds; one with a companion
`<name>_sem` has that standard error. Where one side has a single value of a coordinate along which the other extends,
they are compared there.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import xarray as xr
from scipy.stats import t as student_t

from twolayer.errors import ConfigError

CHANCE = 1e-3  # probability that a right result fails a z_score check
PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "not applicable"


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check.

    Attributes:
        measured, target: the two values at the worst point.
        deviation: how far they are apart, in the words of `kind`; the check passes while it is at most `tolerance`.
        source: what the target rests on. note: where the worst point lies, and how many were compared.
    """

    title: str
    kind: str
    status: str
    measured: float | None
    target: float | None
    deviation: float | None
    tolerance: float | None
    source: str
    note: str


@dataclass(frozen=True)
class _Estimate:
    """A variable with its standard error and the degrees of freedom of that."""

    value: xr.DataArray
    error: xr.DataArray
    freedom: float


def judge(check: Mapping, results: Mapping[str, xr.Dataset], scale: str) -> Verdict:
    """The verdict of one check of `config/figures.yaml`.

    Args:
        results: name of a run -> its result.

    Raises:
        ConfigError: the check names a variable that is not there.
    """
    title, kind, source = check["title"], check["kind"], check["source"]
    if scale not in check.get("scales", (scale,)):
        note = f"for the {' and '.join(check['scales'])} scale only"
        return Verdict(title, kind, NOT_APPLICABLE, None, None, None, None, source, note)
    measured = _estimate(check["measured"], results, check)
    if kind == "falling":
        measured, target = _neighbours(measured, check["target"])
    else:
        target = _estimate(check["target"], results, check)
        measured, target = _at_points_of(target, measured), _at_points_of(measured, target)
    deviation, tolerance = _KINDS[kind](measured, target, check)
    bare = [side.value.reset_coords(drop=True) for side in (measured, target)]  # their single values may differ
    sides = dict(zip(("measured", "target", "deviation"), (*bare, deviation), strict=True))
    points = xr.Dataset(dict(zip(sides, xr.broadcast(*xr.align(*sides.values(), join="inner")), strict=True)))
    points = points.stack(point=deviation.dims) if deviation.dims else points.expand_dims("point")
    points = points.dropna("point", subset=["deviation"])
    if not points.sizes["point"]:
        return Verdict(title, kind, FAIL, None, None, None, tolerance, source, "the two have no point in common")
    worst = points.isel(point=int(np.argmax(points.deviation.values)))
    status = PASS if float(worst.deviation) <= tolerance else FAIL
    values = (float(worst[name]) for name in sides)
    return Verdict(title, kind, status, *values, tolerance, source, _describe(worst, points.sizes["point"]))


def _estimate(name: str | float, results: Mapping[str, xr.Dataset], check: Mapping) -> _Estimate:
    """The variable `run.variable`, or a number, in the ranges and at the values selected."""
    if not isinstance(name, str):
        return _Estimate(xr.DataArray(float(name)), xr.DataArray(0.0), np.inf)
    run, _, variable = name.rpartition(".")
    if run not in results or variable not in results[run]:
        known = ", ".join(f"{known}.{v}" for known, result in results.items() for v in result.data_vars)
        raise ConfigError(f"config/figures.yaml: check {check['title']!r} names {name!r}: the figure reads {known}")
    result = results[run]
    for coordinate, (low, high) in check.get("select", {}).items():
        if coordinate in result.coords:
            inside = (result[coordinate] >= low) & (result[coordinate] <= high)
            result = result.isel({coordinate: np.flatnonzero(inside)})
    for coordinate, values in check.get("at", {}).items():
        if coordinate in result.coords:
            result = result.isel({coordinate: np.flatnonzero(result[coordinate].isin(values))})
    return _with_error(result, variable)


def _with_error(result, variable):
    value = result[variable]
    if "seed" in value.dims:
        seeds = value.sizes["seed"]
        mean = value.mean("seed")
        spread = value.std("seed", ddof=1) if seeds > 1 else xr.full_like(mean, np.nan)
        return _Estimate(mean, spread / np.sqrt(seeds), seeds - 1)
    return _Estimate(value, result.get(f"{variable}_sem", xr.zeros_like(value)), np.inf)


def _at_points_of(other, estimate):
    """The estimate at those of its points where coordinates agree with the single values that the other has of them."""
    value, error = estimate.value, estimate.error
    for name in value.dims:
        if name in other.value.coords and other.value[name].ndim == 0:
            here = np.flatnonzero(value[name] == other.value[name])
            value, error = (part.isel({name: here[0] if here.size else 0}).drop_vars(name) for part in (value, error))
            value = value if here.size else xr.full_like(value, np.nan)  # no point in common
    return _Estimate(value, error, estimate.freedom)


def _neighbours(estimate, coordinate):
    """The estimate from the second point along a coordinate on, and at the point before each."""
    later = estimate.value.isel({coordinate: slice(1, None)})
    earlier = estimate.value.isel({coordinate: slice(None, -1)}).assign_coords({coordinate: later[coordinate]})
    return _Estimate(later, xr.zeros_like(later), np.inf), _Estimate(earlier, xr.zeros_like(earlier), np.inf)


def _z_score(measured, target, check):
    error = np.hypot(measured.error, target.error)
    scores = abs(measured.value - target.value) / error.where(error > 0)  # a point without any error tests nothing
    freedom = min(measured.freedom, target.freedom)
    return scores, float(student_t.isf(CHANCE / (2 * max(int(scores.count()), 1)), freedom))


def _relative(measured, target, check):
    return abs(measured.value - target.value) / abs(target.value), check["tolerance"]


def _at_most(measured, target, check):
    return measured.value - target.value, check["tolerance"]


_KINDS = {"z_score": _z_score, "relative": _relative, "at_most": _at_most, "falling": _at_most}


def _describe(worst, count):
    place = ", ".join(
        f"{name} {float(value):.3g}" if np.issubdtype(value.dtype, np.number) else f"{name} {value.item()}"
        for name, value in worst.coords.items()
        if name != "point" and value.ndim == 0
    )
    return f"worst of {count} points" + (f": {place}" if place else "") if count > 1 else place


def dump(verdicts: list[Verdict]) -> str:
    """Verdicts in JSON."""
    return json.dumps([asdict(verdict) for verdict in verdicts], indent=1) + "\n"


def load(text: str) -> list[Verdict]:
    """Verdicts from JSON."""
    return [Verdict(**entry) for entry in json.loads(text)]


def describe(verdict: Verdict) -> str:
    """A verdict in one line."""
    if verdict.deviation is None:
        return f"{verdict.status:15} {verdict.title} ({verdict.note})"
    numbers = f"{verdict.measured:.4g} for {verdict.target:.4g}"
    judged = f"{verdict.kind} {verdict.deviation:.3g}, tolerance {verdict.tolerance:.3g}"
    return f"{verdict.status:15} {verdict.title}: {numbers}, {judged} ({verdict.note or 'one point'})"
