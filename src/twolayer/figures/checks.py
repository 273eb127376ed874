"""The checks of a figure: comparisons of labelled arrays, each with a status and a detection limit.

A check compares two arrays point by point where their coordinates agree. If one array has a single value of a
coordinate along which the other extends, they are compared at this value. The types are:

    z_score        |value - reference| in standard errors. Chance exceeds the limit with the probability of a
                   false alarm: by Student's distribution for few seeds, with Bonferroni's correction for many points.
    relative       The largest |value - reference| / |reference| is at most the tolerance.
    mean_relative  The mean of |value - reference| / |reference| over the points is at most the tolerance.
    pooled         Every seed gives one number, its mean of (value - reference) / |reference| over the points. The mean
                   of these numbers is at most the limit that chance exceeds with that probability, plus a stated error.
    reading        The largest |value - reference| is at most the tolerance in units of the reading error.
    at_most        The value is nowhere above a bound by more than the tolerance.
    falling        From one point to the next along a coordinate, the value rises by at most the tolerance.
    ordering       One curve exceeds another, at every point or on average over the points, by more than the error of
                   their difference: over seeds, at the level `EVIDENCE`, plus stated errors and errors of reading.

An array with a dimension `seed` counts as its mean, with the standard error over seeds. An array with a coordinate
`<name>_sem` has this standard error, which is treated as exact. So an error from few draws needs a dimension `seed`, or
must be small compared with the error of the other side, such as a quadrature error. An array with a coordinate
`<name>_reading` was read off a picture with that error, or has that uncertainty for another reason. A z_score allows
for this error.

In pooled and ordering checks, seeds with the same numbers on both sides form pairs.

A two-sided check (all but the last three types) has a detection limit: the relative error of the value that would make
the check fail. The check reports it at the point shown, and as the median over its points. A one-sided check has none.
It reports its margin in standard errors if there is an error. A one-sided check is undecided if the difference to its
limit is smaller than the error of that difference. A check with a stated tolerance is also undecided if the deviation
exceeds the tolerance by less than its error.

If everything is right, the statistical checks of a preset together fail with a probability of at most 1 %. By
Bonferroni's inequality, this is the sum of the probabilities of the single checks. The main checks of the figures have
half of it, so that they detect smaller errors than the others: see `MAIN_CHANCE` and `CHANCE`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from scipy.stats import t as student_t

from twolayer.errors import ConfigError
from twolayer.figures.estimates import (
    Estimate,
    Values,
    at_values_of,
    averaged,
    difference_of,
    estimate,
    meet,
    reference_size,
)
from twolayer.figures.evidence import Absent

# Probability that a right result fails a check: the main check of a figure, and any other check. A test sums them.
MAIN_CHANCE = 1.2e-4
CHANCE = 8e-6
EVIDENCE = 1e-3  # probability with which chance passes an ordering
PASS, FAIL, UNDECIDED, NOT_APPLICABLE = "pass", "fail", "undecided", "not applicable"

# types of reference
PUBLISHED = "published values"
ORDERINGS = "published orderings"  # type of one-sided checks that compare with published values
THEORY = "theory and simulation"
INDEPENDENT = "independent method"
NUMERICS = "numerical accuracy"
COMPARED = (PUBLISHED, ORDERINGS, THEORY, INDEPENDENT, NUMERICS)
ONE_SIDED = ("at_most", "falling", "ordering")


@dataclass(frozen=True)
class CheckResult:
    """The outcome of one check.

    Attributes:
        compared: one of `COMPARED`. source: origin of the reference, in a phrase.
        value, reference: values at the point of the largest deviation; if the mean over the points is judged, their
            means in units of the reference.
        deviation, tolerance: distance of the two sides, in the unit of the check's type; the check passes if the
            deviation is at most the tolerance.
        difference: |value - reference| relative to the reference, at the point shown; None for a one-sided check, or if
            the reference is zero. detects: the detection limit at the same point, in the same unit.
        detects_median: median of the detection limit over the points.
        fixed: part of `detects` that does not shrink with more runs: a stated tolerance or a reading error.
        margin: distance of the value from its limit in standard errors, for a one-sided check; None without an error.
        probability: probability that chance gives this deviation or a larger one, for a z_score or pooled check.
        note: place of the point shown, and number of points; or the reason why the check does not apply.
        main: whether it carries the claim of the figure, see `main`.
    """

    title: str
    kind: str
    compared: str
    status: str
    value: float | None = None
    reference: float | None = None
    deviation: float | None = None
    tolerance: float | None = None
    difference: float | None = None
    detects: float | None = None
    detects_median: float | None = None
    fixed: float | None = None
    margin: float | None = None
    probability: float | None = None
    source: str = ""
    note: str = ""
    main: bool = False


@dataclass(frozen=True)
class _Outcome:
    """The result of comparing two sides, at all points.

    Attributes:
        deviation: deviation at all points, in the unit of the type. tolerance: largest deviation that passes.
        detects: detection limit at all points, for a two-sided type. fixed: the part of it that does not depend on the
            number of runs. scale: the unit of both.
        undecided: amount by which the deviation may exceed the tolerance before the check fails instead of being
            undecided.
        errors: standard error of the deviation. systematic: part of the error of the difference that does not shrink
            with more runs. centre: the deviation at which the difference is zero.
        level: probability of chance at which more runs would decide.
        shown: the two means, for a type that judges the mean over the points; else the worst point is judged.
        runs: number of runs behind the errors, if they come from runs.
        probability: probability that chance gives the largest deviation or a larger one.
    """

    deviation: xr.DataArray
    tolerance: float
    detects: xr.DataArray | None = None
    fixed: xr.DataArray | float = np.nan
    scale: xr.DataArray | None = None
    undecided: xr.DataArray | float = 0.0
    errors: xr.DataArray | float = np.nan
    systematic: xr.DataArray | float = 0.0
    centre: float = 0.0
    level: float = np.nan
    shown: tuple[float, float] | None = None
    runs: float = np.inf
    probability: float | None = None


@dataclass(frozen=True)
class Check:
    """A comparison of two sides, before it is evaluated.

    Attributes:
        judge: computes an outcome from two estimates and the probability of a false alarm.
        main: whether the check carries the claim of its figure, see `main`.
    """

    title: str
    kind: str
    compared: str
    source: str
    value: Values
    reference: Values
    judge: Callable[[Estimate, Estimate, float], _Outcome]
    main: bool = False

    def outcome(self) -> CheckResult:
        """Compare the two sides."""
        for side in (self.value, self.reference):
            if isinstance(side, Absent):
                return self._ended(NOT_APPLICABLE, note=side.reason)
        one, other = meet(estimate(self.value), estimate(self.reference))
        chance = MAIN_CHANCE if self.main else CHANCE
        # Both have the same points now. Aligning them again at each step would take most of the time.
        with xr.set_options(arithmetic_join="exact"):
            outcome = self.judge(one, other, chance)
        points = _points(outcome, one, other)
        if not points:
            return self._ended(FAIL, tolerance=outcome.tolerance, note="the two sides have no common point")
        worst = int(np.argmax(points["deviation"]))
        deviation = points["deviation"].mean() if outcome.shown else points["deviation"][worst]
        at = {name: column[worst] for name, column in points.items()}
        status = PASS if deviation <= outcome.tolerance else FAIL
        if status == FAIL and deviation < outcome.tolerance + at["undecided"]:
            status = UNDECIDED
        one_sided = outcome.detects is None
        value, reference = outcome.shown or (at["value"], at["reference"])
        with np.errstate(divide="ignore", invalid="ignore"):  # a reference of zero has no relative difference
            difference = deviation if outcome.shown else abs(value - reference) / at["scale"]
        more = _runs_to_decide(outcome, deviation, at) if status == UNDECIDED else ""
        note = _describe(outcome.deviation, at["place"], len(points["place"]), bool(outcome.shown))
        return self._ended(
            status,
            value=float(value),
            reference=float(reference),
            deviation=float(deviation),
            tolerance=outcome.tolerance,
            difference=None if one_sided else _finite(difference),
            detects=None if one_sided else _finite(at["detects"]),
            detects_median=None if one_sided else _median(points["detects"]),
            fixed=None if one_sided else _finite(at["fixed"]),
            margin=float((outcome.tolerance - deviation) / at["errors"]) if one_sided and at["errors"] > 0 else None,
            probability=None if outcome.probability is None else _finite(outcome.probability),
            note="; ".join(filter(None, (note, more))),
        )

    def _ended(self, status, **about):
        return CheckResult(self.title, self.kind, self.compared, status, source=self.source, main=self.main, **about)


def main(check: Check) -> Check:
    """Mark the main check of a figure, which carries the figure's claim."""
    return replace(check, main=True)


def z_score(
    value: Values,
    reference: Values,
    title: str,
    *,
    source: str,
    compared: str = THEORY,
    target_draws: int | None = None,
    relative_to: Values | None = None,
    stated: Values = 0.0,
) -> Check:
    """Check agreement within standard errors.

    Args:
        target_draws: number of draws whose mean is the reference, from the same distribution as the seeds of the value.
            The standard error of the reference follows from these seeds.
        relative_to: scale of the detection limit, if it is not the reference. For a difference that should vanish, this
            is the scale of the two quantities.
        stated: error of the reference from another source, in units of that scale.
    """

    def judge(one, other, chance):
        scale = other if relative_to is None else at_values_of(one, estimate(relative_to))
        known = other.reading + stated * abs(scale.value)
        error = np.hypot(one.error, other.error)
        if target_draws is not None:
            error = one.error * np.sqrt(1 + (one.freedom + 1) / target_draws)
        error = error.where(error > 0)  # a point without an error tests nothing
        distance = abs(one.value - other.value) - known
        scores = distance.clip(min=0) / error
        freedom = min(one.freedom, other.freedom)
        tests = 2 * _count(scores)
        tolerance = float(student_t.isf(chance / tests, freedom))
        detects = (tolerance * error + known) / abs(scale.value)
        largest = scores.max() if scores.size else np.nan
        probability = min(tests * float(student_t.sf(largest, freedom)), 1.0)
        fixed = known / abs(scale.value)
        return _Outcome(scores, tolerance, detects, fixed, abs(scale.value), probability=probability)

    return _check("z_score", judge, value, reference, title, source, compared)


def relative(
    value: Values, reference: Values, title: str, *, tolerance: float, source: str, compared: str = THEORY
) -> Check:
    """Check agreement within a fraction of the reference, at every point."""

    def judge(one, other, chance):
        scale = abs(other.value)
        gap = difference_of(one, other)
        deviation = abs(gap.value) / scale
        return _within(deviation, tolerance, gap, scale, chance / _count(deviation))

    return _check("relative", judge, value, reference, title, source, compared)


def mean_relative(
    value: Values, reference: Values, title: str, *, tolerance: float, source: str, compared: str = THEORY
) -> Check:
    """Check agreement within a fraction of the reference, on average over the points."""

    def judge(one, other, chance):
        scale = reference_size(one, other)
        deviation = abs(one.value - other.value) / scale
        both = ~np.isnan(deviation)
        shown = tuple(float((side.value / scale).where(both).mean()) for side in (one, other))
        gap = difference_of(averaged(one, scale), averaged(other, scale))
        return replace(_within(deviation, tolerance, gap, 1.0, chance), scale=scale, shown=shown)

    return _check("mean_relative", judge, value, reference, title, source, compared)


def pooled(
    value: Values, reference: Values, title: str, *, source: str, compared: str = THEORY, stated: Values = 0.0
) -> Check:
    """Check agreement on average over the points within the standard error of that average, which falls with more
    seeds.

    A reference without seeds counts with the mean of its errors, as if they were equal at all points.

    Args:
        stated: error of the reference from another source, relative to the reference.
    """

    def judge(one, other, chance):
        scale = reference_size(one, other)
        means = averaged(one, scale), averaged(other, scale)
        gap = difference_of(*means)
        error = float(gap.error) or np.nan  # a side without an error tests nothing
        known = float(gap.reading) + float(stated)
        tolerance = float(student_t.isf(chance / 2, gap.freedom)) * error + known
        score = max(abs(float(gap.value)) - known, 0.0) / error
        deviation = np.sign(gap.value) * (one.value - other.value) / scale
        shown = tuple(float(mean.value) for mean in means)
        probability = 2 * float(student_t.sf(score, gap.freedom))
        detects = xr.full_like(deviation, tolerance)
        return _Outcome(deviation, tolerance, detects, known, scale, shown=shown, probability=probability)

    return _check("pooled", judge, value, reference, title, source, compared)


def reading(
    value: Values, reference: Values, title: str, *, tolerance: float, source: str, compared: str = PUBLISHED
) -> Check:
    """Check agreement within a multiple of the error of reading the reference off a picture."""

    def judge(one, other, chance):
        deviation = abs(one.value - other.value) / other.reading
        detects = tolerance * other.reading / abs(other.value)
        return _Outcome(deviation, tolerance, detects, detects, abs(other.value))

    return _check("reading", judge, value, reference, title, source, compared)


def at_most(value: Values, bound: Values, title: str, *, source: str, compared: str, tolerance: float = 0.0) -> Check:
    """Check that the value nowhere exceeds a bound by more than the tolerance.

    The check is undecided if chance explains an excess.
    """

    def judge(one, other, chance):
        return _one_sided(difference_of(one, other), tolerance, chance)

    return _check("at_most", judge, value, bound, title, source, compared)


def falling(
    value: Values, along: str, title: str, *, source: str, compared: str = NUMERICS, tolerance: float = 0.0
) -> Check:
    """Check that the value rises by at most the tolerance from one point to the next along a coordinate.

    The check is undecided if chance explains a rise.
    """
    if isinstance(value, Absent):
        return _check("falling", None, value, value, title, source, compared)
    later = value.isel({along: slice(1, None)})
    earlier = value.isel({along: slice(None, -1)}).assign_coords({along: later[along]})

    def judge(one, other, chance):
        return _one_sided(difference_of(one, other), tolerance, chance)

    return _check("falling", judge, later, earlier, title, source, compared)


def ordering(
    above: Values,
    below: Values,
    title: str,
    *,
    source: str,
    compared: str = PUBLISHED,
    stated: float = 0.0,
    on_average: bool = False,
) -> Check:
    """Check that one curve exceeds another by more than the error of their difference.

    The deviation is `below - above` in units of that error. The check passes at -1, where chance gives such an order
    with a probability of at most `EVIDENCE`. It fails if the opposite order is beyond the probability of a false alarm.
    In between it is undecided. With one seed there is no standard error: then only stated errors, or errors of reading
    off a picture, count.

    Args:
        stated: error of the difference from another source, relative to `below`.
        on_average: whether to judge the mean of the relative difference over the points, else every point.
    """

    def judge(one, other, chance):
        scale = reference_size(one, other)
        upper, lower = (averaged(side, scale) for side in (one, other)) if on_average else (one, other)
        gap = difference_of(upper, lower)
        systematic = gap.reading + stated * abs(lower.value)
        needed = _beyond_chance(gap, EVIDENCE) + systematic
        needed = needed.where(needed > 0)  # a point without an error tests nothing
        opposite = _beyond_chance(gap, chance / _count(needed)) + systematic
        known = {
            "undecided": 1 + opposite / needed,
            "errors": gap.error / needed,
            "systematic": systematic / needed,
            "runs": gap.freedom + 1,
            "level": EVIDENCE,
        }
        if not on_average:
            return _Outcome(-gap.value / needed, -1.0, **known)
        deviation = (other.value - one.value) / scale / float(needed)
        return _Outcome(deviation, -1.0, **known, shown=(float(upper.value), float(lower.value)))

    return _check("ordering", judge, above, below, title, source, compared)


def among(array: xr.DataArray | Absent, **values: list) -> xr.DataArray | Absent:
    """Select, from given values of coordinates, the values that an array has."""
    if isinstance(array, Absent):
        return array
    return array.isel({name: np.flatnonzero(array[name].isin(list(wanted))) for name, wanted in values.items()})


def _within(deviation, tolerance, gap, scale, chance):
    """Return the outcome for a stated tolerance, which a deviation may exceed by its error before the check fails."""
    by_chance = _beyond_chance(gap, chance) / scale
    known = {
        "undecided": by_chance,
        "errors": gap.error / scale,
        "centre": tolerance,
        "runs": gap.freedom + 1,
        "level": chance,
    }
    detects = tolerance + by_chance + 0 * deviation
    return _Outcome(deviation, tolerance, detects, tolerance, scale + 0 * deviation, **known)


def _one_sided(gap, tolerance, chance):
    """Return the outcome for a bound on a difference."""
    known = gap.error.where(gap.error > 0)
    level = chance / _count(gap.value)
    random = _beyond_chance(gap, level)
    about = {"undecided": random, "errors": known, "centre": tolerance, "runs": gap.freedom + 1, "level": level}
    return _Outcome(gap.value, tolerance, **about)


def _beyond_chance(gap, probability):
    """Return the bound that a difference by chance exceeds with this probability, on one side."""
    return student_t.isf(probability, gap.freedom) * gap.error.fillna(0.0) if gap.freedom > 0 else 0.0 * gap.value


def _count(values):
    """Return the number of points that are judged."""
    return max(int(values.count()), 1)


def _check(kind, judge, value, reference, title, source, compared):
    compared = ORDERINGS if compared == PUBLISHED and kind in ONE_SIDED else compared
    numbers = [side for side in (value, reference) if not isinstance(side, xr.DataArray | Absent)]
    if infinite := [number for number in numbers if not np.isfinite(number)]:
        raise ConfigError(f"the check {title!r} compares with {infinite[0]}, so it cannot fail: name a finite number")
    if len(numbers) == 2:
        raise ConfigError(
            f"the check {title!r} compares two numbers, {value} and {reference}, so its outcome is fixed: give a "
            "variable of a result"
        )
    return Check(title, kind, compared, source, value, reference, judge)


def _points(outcome, one, other):
    """Return all columns of an outcome at the points that can be judged, as flat arrays; empty if there are none."""
    deviation = outcome.deviation.where(np.isfinite(other.value))
    columns = {"deviation": deviation, "value": one.value, "reference": other.value}
    for name in ("detects", "fixed", "scale", "undecided", "errors", "systematic"):
        part = getattr(outcome, name)
        columns[name] = xr.DataArray(np.nan if part is None else part)
    flat = {name: column.variable.set_dims(deviation.sizes).values.ravel() for name, column in columns.items()}
    place = np.flatnonzero(~np.isnan(flat["deviation"]))
    return {name: column[place] for name, column in flat.items()} | {"place": place} if place.size else {}


def _runs_to_decide(outcome, deviation, at):
    """Return a phrase with the number of runs that would decide an undecided check."""
    if not np.isfinite(outcome.runs):
        return "undecided: the difference is smaller than the error of the reference"
    distance = abs(deviation - outcome.centre) - at["systematic"]
    if distance <= 0 or outcome.runs < 2:
        return f"undecided: the difference is smaller than a known error ({max(outcome.runs, 1):.0f} runs)"
    counts = np.unique(np.geomspace(2, 1e6, 1000).round())
    errors = at["errors"] * np.sqrt(outcome.runs / counts)
    enough = counts[student_t.isf(outcome.level, counts - 1) * errors <= distance]
    needed = f"about {enough[0]:,.0f}" if enough.size else f"more than {counts[-1]:,.0f}"
    return f"undecided: {needed} runs would decide it ({outcome.runs:.0f} now)"


def _finite(number):
    return float(number) if np.isfinite(number) else None


def _median(numbers):
    finite = numbers[np.isfinite(numbers)]
    return float(np.median(finite)) if finite.size else None


def _describe(deviations, worst, count, of_mean):
    """Return the place of the point shown, from its position in the flattened array, or the number of points of a
    mean."""
    if of_mean and count > 1:
        return f"mean of {count} points, in units of the reference"
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
