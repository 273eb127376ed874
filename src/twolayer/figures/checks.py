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
half of it, so that they detect smaller errors than the others: see `MAIN_CHANCE` and `CHANCE` in `outcomes`.
"""

from dataclasses import replace

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.figures.estimates import Values, at_values_of, averaged, difference_of, estimate, reference_size
from twolayer.figures.evidence import Absent
from twolayer.figures.outcomes import Check, Outcome
from twolayer.figures.significance import student_limit, student_tail

EVIDENCE = 1e-3  # probability with which chance passes an ordering

# types of reference
PUBLISHED = "published values"
ORDERINGS = "published orderings"  # type of one-sided checks that compare with published values
THEORY = "theory and simulation"
INDEPENDENT = "independent method"
NUMERICS = "numerical accuracy"
COMPARED = (PUBLISHED, ORDERINGS, THEORY, INDEPENDENT, NUMERICS)
ONE_SIDED = ("at_most", "falling", "ordering")


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
        tolerance = float(student_limit(chance / tests, freedom))
        detects = (tolerance * error + known) / abs(scale.value)
        largest = scores.max() if scores.size else np.nan
        probability = min(tests * float(student_tail(largest, freedom)), 1.0)
        fixed = known / abs(scale.value)
        return Outcome(scores, tolerance, detects, fixed, abs(scale.value), probability=probability)

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
        tolerance = float(student_limit(chance / 2, gap.freedom)) * error + known
        score = max(abs(float(gap.value)) - known, 0.0) / error
        deviation = np.sign(gap.value) * (one.value - other.value) / scale
        shown = tuple(float(mean.value) for mean in means)
        probability = 2 * float(student_tail(score, gap.freedom))
        detects = xr.full_like(deviation, tolerance)
        return Outcome(deviation, tolerance, detects, known, scale, shown=shown, probability=probability)

    return _check("pooled", judge, value, reference, title, source, compared)


def reading(
    value: Values, reference: Values, title: str, *, tolerance: float, source: str, compared: str = PUBLISHED
) -> Check:
    """Check agreement within a multiple of the error of reading the reference off a picture."""

    def judge(one, other, chance):
        deviation = abs(one.value - other.value) / other.reading
        detects = tolerance * other.reading / abs(other.value)
        return Outcome(deviation, tolerance, detects, detects, abs(other.value))

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
            return Outcome(-gap.value / needed, -1.0, **known)
        deviation = (other.value - one.value) / scale / float(needed)
        return Outcome(deviation, -1.0, **known, shown=(float(upper.value), float(lower.value)))

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
    return Outcome(deviation, tolerance, detects, tolerance, scale + 0 * deviation, **known)


def _one_sided(gap, tolerance, chance):
    """Return the outcome for a bound on a difference."""
    known = gap.error.where(gap.error > 0)
    level = chance / _count(gap.value)
    random = _beyond_chance(gap, level)
    about = {"undecided": random, "errors": known, "centre": tolerance, "runs": gap.freedom + 1, "level": level}
    return Outcome(gap.value, tolerance, **about)


def _beyond_chance(gap, probability):
    """Return the bound that a difference by chance exceeds with this probability, on one side."""
    return student_limit(probability, gap.freedom) * gap.error.fillna(0.0) if gap.freedom > 0 else 0.0 * gap.value


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
