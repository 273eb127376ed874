"""A figure's checks: measured value, target, tolerance, and whether they agree.

A check compares two variables of results, `run.variable` each, point by point where their coordinates agree. Its kind
says how:

    z_score   |measured - target| in standard errors; the tolerance is what chance exceeds with probability `CHANCE`,
              by Student's distribution for few seeds and with Bonferroni's correction for many points
    relative  largest |measured - target| / |target| is at most the tolerance
    at_most   largest measured - target is at most the tolerance
    reading   largest |measured - target| is at most the tolerance in units of the error with which the target was read
    mean_relative   the mean of |measured - target| / |target| over the points is at most the tolerance
    spread    the same mean is at most that of two standard deviations over seeds, in units of the target
    falling   from one point to the next along the coordinate named by `target`, measured rises by at most the tolerance

A variable with a dimension `seed` counts as its mean, with the standard error over seeds; one with a companion
`<name>_sem` has that standard error. One with a companion `<name>_reading` was read off a picture with that error, for
which a z_score makes allowance. `target_draws` says that the target is the mean of so many draws of the same law as the
measured seeds, so that these tell its standard error.

`select` restricts both sides to a range of a coordinate, `at` to some of its values; `measured_at` and `target_at` take
one side at one place, for comparison with all places of the other. Where one side has a single value of a coordinate
along which the other extends, they are compared there.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import xarray as xr
from scipy.stats import t as student_t

from twolayer.estimates import estimate, meet, neighbours

CHANCE = 1e-3  # probability that a right result fails a z_score check
PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "not applicable"


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check.

    Attributes:
        measured, target: the two values at the worst point.
        deviation: how far apart the two sides are, in the words of `kind`; the check passes while it is at most
            `tolerance`.
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
    measured = estimate("measured", results, check)
    if kind == "falling":
        measured, target = neighbours(measured, check["target"])
    else:
        measured, target = meet(measured, estimate("target", results, check))
    deviation, tolerance = _KINDS[kind](measured, target, check)
    bare = [side.value.reset_coords(drop=True) for side in (measured, target)]  # their single values may differ
    sides = dict(zip(("measured", "target", "deviation"), (*bare, deviation), strict=True))
    points = xr.Dataset(dict(zip(sides, xr.broadcast(*xr.align(*sides.values(), join="inner")), strict=True)))
    points = points.stack(point=deviation.dims) if deviation.dims else points.expand_dims("point")
    points = points.dropna("point", subset=["deviation"])
    if not points.sizes["point"]:
        return Verdict(title, kind, FAIL, None, None, None, tolerance, source, "the two have no point in common")
    worst = points.isel(point=int(np.argmax(points.deviation.values)))
    total = float(points.deviation.mean() if kind in _MEAN else worst.deviation)
    status = PASS if total <= tolerance else FAIL
    values = float(worst.measured), float(worst.target), total
    return Verdict(title, kind, status, *values, tolerance, source, _describe(worst, points.sizes["point"]))


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


def _spread(measured, target, check):
    deviation = measured.error * np.sqrt(measured.freedom + 1)
    return _relative(measured, target, check | {"tolerance": 2 * float((deviation / abs(target.value)).mean())})


def _at_most(measured, target, check):
    return measured.value - target.value, check["tolerance"]


def _reading(measured, target, check):
    return abs(measured.value - target.value) / target.reading, check["tolerance"]


_KINDS = {
    "z_score": _z_score,
    "relative": _relative,
    "mean_relative": _relative,
    "spread": _spread,
    "at_most": _at_most,
    "reading": _reading,
    "falling": _at_most,
}
_MEAN = ("mean_relative", "spread")  # judged by the mean over points, the others by the worst


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
