"""What must be true of a figure: kinds of checks, each a function of labelled arrays that gives a verdict.

A check compares two arrays point by point where their coordinates agree; where one has a single value of a coordinate
along which the other extends, they are compared there. Its kind says how:

    z_score        |measured - target| in standard errors; the tolerance is what chance exceeds with probability
                   `CHANCE`, by Student's distribution for few seeds and with Bonferroni's correction for many points
    relative       largest |measured - target| / |target| is at most the tolerance
    mean_relative  the mean of |measured - target| / |target| over the points is at most the tolerance
    spread         the same mean is at most that of two standard deviations over seeds, in units of the target
    pooled         every seed gives one number, its mean of (measured - target) / |target| over the points; the mean of
                   these numbers is at most what chance exceeds with probability `CHANCE`, by Student's distribution,
                   and what is stated
    reading        largest |measured - target| is at most the tolerance in units of the error of reading the target
    at_most        largest measured - target is at most the tolerance
    falling        from one point to the next along a coordinate, measured rises by at most the tolerance
    ordering       one curve lies above another, at every point or on average over the points, by more than the error of
                   their difference: over seeds, with the same `CHANCE`, and of what is stated or was read off a picture

An array with a dimension `seed` counts as its mean, with the standard error over seeds; one with a coordinate
`<name>_sem` has that standard error. One with a coordinate `<name>_reading` was read off a picture with that error, or
is known to within that for another reason, for which a z_score makes allowance.

In pooled and ordering checks the seeds of two sides are pairs where they have the same numbers.

Each verdict says what was compared, and how sharp the check is: the smallest relative error of the measured quantity,
the same at all points, that the check would have noticed.
"""

from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from scipy.stats import t as student_t

from twolayer.figures.evidence import Absent

CHANCE = 1e-3  # probability that a right result fails a z_score check
PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "not applicable"

# what was compared
PUBLISHED = "published numbers"
THEORY = "theory with simulation"
INDEPENDENT = "independent method"
NUMERICS = "numerics"
COMPARED = (PUBLISHED, THEORY, INDEPENDENT, NUMERICS)

Values = xr.DataArray | float | Absent


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check.

    Attributes:
        compared: one of `COMPARED`. source: what the target rests on, in words.
        measured, target: the two values at the worst point.
        deviation: how far apart the two sides are, in the words of `kind`; the check passes while it is at most
            `tolerance`.
        sharpness: smallest relative error of the measured quantity that would have been noticed; None where it is
            compared with zero.
        note: where the worst point lies, and how many were compared; or why the check does not apply.
    """

    title: str
    kind: str
    compared: str
    status: str
    measured: float | None
    target: float | None
    deviation: float | None
    tolerance: float | None
    sharpness: float | None
    source: str
    note: str


@dataclass(frozen=True)
class Estimate:
    """One side of a check.

    Attributes:
        error: standard error. freedom: degrees of freedom of that.
        reading: error with which the value was read off a picture, or another bound.
        draws: the value of each seed, where there are seeds.
    """

    value: xr.DataArray
    error: xr.DataArray
    freedom: float
    reading: xr.DataArray | float = 0.0
    draws: xr.DataArray | None = None


@dataclass(frozen=True)
class _Outcome:
    """What a kind makes of two sides: deviations at all points, and the deviations that it would let pass.

    Attributes:
        noticed: relative change of the measured quantity that it would notice, at each point.
        mean: whether the mean over the points is judged, else the worst.
    """

    deviation: xr.DataArray
    tolerance: float
    noticed: xr.DataArray
    mean: bool = False


def z_score(
    measured: Values,
    target: Values,
    title: str,
    *,
    source: str,
    compared: str = THEORY,
    target_draws: int | None = None,
    relative_to: Values | None = None,
) -> Verdict:
    """Agreement within standard errors.

    Args:
        target_draws: the target is the mean of so many draws of the same law as the measured seeds, so that these tell
            its standard error.
        relative_to: the scale in which the sharpness is stated, where that is not the target: a difference that should
            vanish, say, has that of the quantities it is made of.
    """

    def judge(one, other):
        scale = other if relative_to is None else _at_values_of(one, _estimate(relative_to))
        error = np.hypot(one.error, other.error)
        if target_draws is not None:
            error = one.error * np.sqrt(1 + (one.freedom + 1) / target_draws)
        error = error.where(error > 0)  # a point without any error tests nothing
        distance = abs(one.value - other.value) - other.reading
        scores = distance.clip(min=0) / error
        freedom = min(one.freedom, other.freedom)
        tolerance = float(student_t.isf(CHANCE / (2 * max(int(scores.count()), 1)), freedom))
        return _Outcome(scores, tolerance, (tolerance * error + other.reading) / abs(scale.value))

    return _verdict("z_score", judge, measured, target, title, source, compared)


def relative(
    measured: Values, target: Values, title: str, *, tolerance: float, source: str, compared: str = THEORY
) -> Verdict:
    """Agreement within a fraction of the target, at every point."""

    def judge(one, other):
        deviation = abs(one.value - other.value) / abs(other.value)
        return _Outcome(deviation, tolerance, xr.full_like(deviation, tolerance))

    return _verdict("relative", judge, measured, target, title, source, compared)


def mean_relative(
    measured: Values, target: Values, title: str, *, tolerance: float, source: str, compared: str = THEORY
) -> Verdict:
    """Agreement within a fraction of the target, on average over the points."""

    def judge(one, other):
        deviation = abs(one.value - other.value) / abs(other.value)
        return _Outcome(deviation, tolerance, xr.full_like(deviation, tolerance), mean=True)

    return _verdict("mean_relative", judge, measured, target, title, source, compared)


def spread(measured: Values, target: Values, title: str, *, source: str, compared: str = THEORY) -> Verdict:
    """Agreement, on average over the points, within two standard deviations over seeds."""

    def judge(one, other):
        deviation = abs(one.value - other.value) / abs(other.value)
        tolerance = 2 * float((one.error * np.sqrt(one.freedom + 1) / abs(other.value)).mean())
        return _Outcome(deviation, tolerance, xr.full_like(deviation, tolerance), mean=True)

    return _verdict("spread", judge, measured, target, title, source, compared)


def pooled(
    measured: Values, target: Values, title: str, *, source: str, compared: str = THEORY, stated: Values = 0.0
) -> Verdict:
    """Agreement on average over the points within the standard error of that average, which more seeds make smaller.

    A target without seeds counts with the mean of its errors, as if they were the same at all points.

    Args:
        stated: error of the target that is known from elsewhere, relative to it.
    """

    def judge(one, other):
        scale = _common_scale(one, other)
        gap = _difference(_averaged(one, scale), _averaged(other, scale))
        error = float(gap.error) or np.nan  # what has no error tests nothing
        tolerance = float(student_t.isf(CHANCE / 2, gap.freedom)) * error + float(gap.reading) + float(stated)
        deviation = np.sign(gap.value) * (one.value - other.value) / scale
        return _Outcome(deviation, tolerance, xr.full_like(deviation, tolerance), mean=True)

    return _verdict("pooled", judge, measured, target, title, source, compared)


def reading(
    measured: Values, target: Values, title: str, *, tolerance: float, source: str, compared: str = PUBLISHED
) -> Verdict:
    """Agreement within so many errors of reading the target off a picture."""

    def judge(one, other):
        deviation = abs(one.value - other.value) / other.reading
        return _Outcome(deviation, tolerance, tolerance * other.reading / abs(other.value))

    return _verdict("reading", judge, measured, target, title, source, compared)


def at_most(
    measured: Values, bound: Values, title: str, *, source: str, compared: str, tolerance: float = 0.0
) -> Verdict:
    """Measured is nowhere above a bound by more than the tolerance."""

    def judge(one, other):
        excess = one.value - other.value
        return _Outcome(excess, tolerance, _margin(one, other, tolerance))

    return _verdict("at_most", judge, measured, bound, title, source, compared)


def falling(
    measured: Values, along: str, title: str, *, source: str, compared: str = NUMERICS, tolerance: float = 0.0
) -> Verdict:
    """From one point to the next along a coordinate, measured rises by at most the tolerance."""
    if isinstance(measured, Absent):
        return _not_applicable("falling", title, compared, source, measured)
    later = measured.isel({along: slice(1, None)})
    earlier = measured.isel({along: slice(None, -1)}).assign_coords({along: later[along]})

    def judge(one, other):
        rise = one.value - other.value
        return _Outcome(
            rise, tolerance, xr.full_like(rise, np.nan)
        )  # an error common to all points leaves a fall a fall

    return _verdict("falling", judge, later, earlier, title, source, compared)


def ordering(
    above: Values,
    below: Values,
    title: str,
    *,
    source: str,
    compared: str = PUBLISHED,
    stated: float = 0.0,
    on_average: bool = False,
) -> Verdict:
    """One curve lies above another by more than the error of their difference.

    The deviation is `below - above` in units of that error, and passes at -1. One seed has no error: then what is
    stated, or was read off a picture, counts alone.

    Args:
        stated: error of the difference that is known from elsewhere, relative to `below`.
        on_average: judge the mean of the relative difference over the points, else every point.
    """

    def judge(one, other):
        scale = _common_scale(one, other)
        upper, lower = (_averaged(side, scale) for side in (one, other)) if on_average else (one, other)
        gap = _difference(upper, lower)
        chance = student_t.isf(CHANCE, gap.freedom) * gap.error if gap.freedom > 0 else 0.0
        needed = chance + gap.reading + stated * abs(lower.value)
        needed = needed.where(needed > 0)  # a point without any error tests nothing
        margin = (gap.value - needed) / abs(upper.value)
        if not on_average:
            return _Outcome(-gap.value / needed, -1.0, margin)
        deviation = (other.value - one.value) / scale / float(needed)
        return _Outcome(deviation, -1.0, xr.full_like(deviation, float(margin)), mean=True)

    return _verdict("ordering", judge, above, below, title, source, compared)


def among(array: xr.DataArray | Absent, **values: list) -> xr.DataArray | Absent:
    """An array at those of some values of its coordinates that it has."""
    if isinstance(array, Absent):
        return array
    return array.isel({name: np.flatnonzero(array[name].isin(list(wanted))) for name, wanted in values.items()})


def _verdict(kind, judge, measured, target, title, source, compared):
    for side in (measured, target):
        if isinstance(side, Absent):
            return _not_applicable(kind, title, compared, source, side)
    one, other = _meet(_estimate(measured), _estimate(target))
    # Both stand at the same points: to look for them again at every step takes most of the time.
    with xr.set_options(arithmetic_join="exact"):
        outcome = judge(one, other)
    columns = (outcome.deviation, one.value, other.value, outcome.noticed)
    shape = outcome.deviation.sizes
    deviations, values, targets, noticed = (column.variable.set_dims(shape).values.ravel() for column in columns)
    points = np.flatnonzero(~np.isnan(deviations))
    verdict = Verdict(
        title,
        kind,
        compared,
        FAIL,
        None,
        None,
        None,
        outcome.tolerance,
        None,
        source,
        "the two have no common point",
    )
    if not points.size:
        return verdict
    worst = points[np.argmax(deviations[points])]
    deviation = float(deviations[points].mean() if outcome.mean else deviations[worst])
    return replace(
        verdict,
        status=PASS if deviation <= outcome.tolerance else FAIL,
        measured=float(values[worst]),
        target=float(targets[worst]),
        deviation=deviation,
        sharpness=_sharpness(noticed[points]),
        note=_describe(outcome.deviation, worst, points.size),
    )


def _not_applicable(kind, title, compared, source, absent):
    return Verdict(title, kind, compared, NOT_APPLICABLE, None, None, None, None, None, source, absent.reason)


def _estimate(values):
    """An array with its errors; a number has none."""
    if not isinstance(values, xr.DataArray):
        return Estimate(xr.DataArray(float(values)), xr.DataArray(0.0), np.inf)
    if "seed" in values.dims:
        seeds, mean = values.sizes["seed"], values.mean("seed")
        deviation = values.std("seed", ddof=1) if seeds > 1 else xr.full_like(mean, np.nan)
        return Estimate(mean, deviation / np.sqrt(seeds), seeds - 1, _stated(mean, "reading"), values)
    return Estimate(values, _stated(values, "sem"), np.inf, _stated(values, "reading"))


def _stated(values, error):
    """An error that stands beside an array, as a coordinate; none is zero."""
    none = values.reset_coords(drop=True).copy(data=np.zeros(values.shape))
    stated = values.coords.get(f"{values.name}_{error}")
    return none if stated is None else (none + stated).reset_coords(drop=True)


def _meet(one, other):
    """Both where they can be compared: along a coordinate of which one has a single value, the other at that value, and
    else at the points that both have."""
    one, other = _at_values_of(other, one), _at_values_of(one, other)
    arrays = [
        {name: part for name, part in vars(side).items() if isinstance(part, xr.DataArray)} for side in (one, other)
    ]
    common = iter(xr.align(*arrays[0].values(), *arrays[1].values(), join="inner", exclude={"seed"}, copy=False))
    first, second = (dict(zip(parts, common, strict=False)) for parts in arrays)  # each takes as many as it has
    return replace(one, **first), replace(other, **second)


def _at_values_of(other, one):
    """`one` at those values of its coordinates of which the other has a single one."""
    for name in one.value.dims:
        if name in other.value.coords and other.value[name].ndim == 0:
            here = np.flatnonzero(one.value[name] == other.value[name])
            place = {name: here[0] if here.size else 0}
            value, error, reading, draws = (
                part.isel(place).drop_vars(name) if isinstance(part, xr.DataArray) else part
                for part in (one.value, one.error, one.reading, one.draws)
            )
            value = value if here.size else xr.full_like(value, np.nan)  # no point in common
            one = Estimate(value, error, one.freedom, reading, draws)
    return one


def _common_scale(one, other):
    """The size of the target at the points where both sides have a value."""
    return abs(other.value) + 0 * one.value


def _averaged(side, scale):
    """The mean over the points, in units of the scale; an error without seeds is common to all points."""
    if side.draws is not None:
        return _estimate((side.draws / scale).mean(scale.dims))
    value, error, reading = ((part / scale).mean(scale.dims) for part in (side.value, side.error, side.reading))
    return Estimate(value, error, side.freedom, reading)


def _difference(one, other):
    """One estimate minus another, seed by seed where both have the same seeds."""
    reading = one.reading + other.reading
    if one.draws is not None and other.draws is not None and _same_seeds(one.draws, other.draws):
        return replace(_estimate(one.draws - other.draws), reading=reading)
    error, freedom = np.hypot(one.error, other.error), min(one.freedom, other.freedom)
    return Estimate(one.value - other.value, error, freedom, reading)


def _same_seeds(one, other):
    return "seed" in one.coords and "seed" in other.coords and np.array_equal(one.seed, other.seed)


def _margin(one, other, tolerance):
    """How far the measured side is from breaking a bound, in units of itself, or of the bound where it is a number; of
    a bound at zero, nothing."""
    size = abs(one.value) if one.value.dims or not other.value.dims else abs(other.value)
    return ((other.value + tolerance - one.value) / size).where(other.value != 0)


def _sharpness(noticed):
    """The smallest error that is noticed at a point; a check that failed noticed one already."""
    finite = noticed[np.isfinite(noticed)]
    return max(float(finite.min()), 0.0) if finite.size else None


def _describe(deviations, worst, count):
    """Where the worst of the points lies, by its position in the flattened array."""
    at = dict(zip(deviations.dims, np.unravel_index(worst, deviations.shape), strict=True))
    point = deviations[at]
    values = {name: value.item() for name, value in point.coords.items() if name not in at and value.ndim == 0}
    values |= {name: point[name].item() if name in point.coords else place for name, place in at.items()}
    place = ", ".join(
        f"{name} {value}" if isinstance(value, str) else f"{name} {float(value):.3g}"
        for name, value in values.items()
        if not name.endswith(("_sem", "_reading"))
    )
    return f"worst of {count} points" + (f": {place}" if place else "") if count > 1 else place
