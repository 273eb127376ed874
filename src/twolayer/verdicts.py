"""A figure's checks: measured value, target, tolerance, and whether they agree.

A check compares two variables of results, `run.variable` each, point by point where their coordinates agree. Its kind
says how:

    z_score   |measured - target| in standard errors; the tolerance is what chance exceeds with probability `CHANCE`,
              by Student's distribution for few seeds and with Bonferroni's correction for many points
    relative  largest |measured - target| / |target| is at most the tolerance
    at_most   largest measured - target is at most the tolerance
    reading   largest |measured - target| is at most the tolerance in units of the error with which the target was read

A variable with a dimension `seed` counts as its mean, with the standard error over seeds; one with a companion
`<name>_sem` has that standard error. One with a companion `<name>_reading` was read off a picture with that error, for
which a z_score makes allowance. `target_draws` says that the target is the mean of so many draws of the same law as the
measured seeds, so that these tell its standard error. `select` restricts both sides to a range of a coordinate, or to
one name on it; `measured_at` and `target_at` take one side at one place, for comparison with all places of the other.
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
    reading: xr.DataArray | float = 0.0


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
    measured, target = (_estimate(side, results, check) for side in ("measured", "target"))
    deviation, tolerance = _KINDS[kind](measured, target, check)
    sides = {"measured": measured.value, "target": target.value, "deviation": deviation}
    points = xr.Dataset(dict(zip(sides, xr.broadcast(*xr.align(*sides.values(), join="inner")), strict=True)))
    points = points.stack(point=deviation.dims) if deviation.dims else points.expand_dims("point")
    points = points.dropna("point", subset=["deviation"])
    if not points.sizes["point"]:
        return Verdict(title, kind, FAIL, None, None, None, tolerance, source, "the two have no point in common")
    worst = points.isel(point=int(np.argmax(points.deviation.values)))
    status = PASS if float(worst.deviation) <= tolerance else FAIL
    values = (float(worst[name]) for name in sides)
    return Verdict(title, kind, status, *values, tolerance, source, _describe(worst, points.sizes["point"]))


def _estimate(side: str, results: Mapping[str, xr.Dataset], check: Mapping) -> _Estimate:
    """The variable `run.variable`, or a number, of one side of the check, inside the selected range."""
    name = check[side]
    if not isinstance(name, str):
        return _Estimate(xr.DataArray(float(name)), xr.DataArray(0.0), np.inf)
    run, _, variable = name.rpartition(".")
    if run not in results or variable not in results[run]:
        known = ", ".join(f"{known}.{v}" for known, result in results.items() for v in result.data_vars)
        raise ConfigError(f"config/figures.yaml: check {check['title']!r} names {name!r}: the figure reads {known}")
    result = results[run]
    for coordinate, wanted in check.get("select", {}).items():
        if coordinate in result.coords:
            result = result.isel({coordinate: np.flatnonzero(_inside(result[coordinate], wanted))})
    result = result.sel(check.get(f"{side}_at", {}), drop=True)
    return _with_error(result, variable)


def _inside(coordinate, wanted):
    """Which places on a coordinate lie in the range, or have the name."""
    if isinstance(wanted, str):
        return coordinate.values == wanted
    low, high = wanted
    return (coordinate.values >= low) & (coordinate.values <= high)


def _with_error(result, variable):
    value = result[variable]
    if "seed" in value.dims:
        seeds = value.sizes["seed"]
        return _Estimate(value.mean("seed"), value.std("seed", ddof=1) / np.sqrt(seeds), seeds - 1)
    error, reading = (result.get(f"{variable}_{kind}", xr.zeros_like(value)) for kind in ("sem", "reading"))
    return _Estimate(value, error, np.inf, reading)


def _z_score(measured, target, check):
    error = np.hypot(measured.error, target.error)
    if "target_draws" in check:
        error = measured.error * np.sqrt(1 + (measured.freedom + 1) / check["target_draws"])
    distance = abs(measured.value - target.value) - target.reading
    scores = distance.clip(min=0) / error.where(error > 0)  # a point without any error tests nothing
    freedom = min(measured.freedom, target.freedom)
    return scores, float(student_t.isf(CHANCE / (2 * max(int(scores.count()), 1)), freedom))


def _relative(measured, target, check):
    return abs(measured.value - target.value) / abs(target.value), check["tolerance"]


def _at_most(measured, target, check):
    return measured.value - target.value, check["tolerance"]


def _reading(measured, target, check):
    return abs(measured.value - target.value) / target.reading, check["tolerance"]


_KINDS = {"z_score": _z_score, "relative": _relative, "at_most": _at_most, "reading": _reading}


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
