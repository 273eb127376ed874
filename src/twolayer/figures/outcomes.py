"""Evaluation of a check: the outcome at every point of its two sides, and its result at the worst point."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr

from twolayer.figures.estimates import Estimate, Values, estimate, meet
from twolayer.figures.evidence import Absent
from twolayer.figures.significance import student_limit

# Probability that a right result fails a check: the main check of a figure, and any other check. A test sums them.
MAIN_CHANCE = 1.2e-4
CHANCE = 8e-6
PASS, FAIL, UNDECIDED, NOT_APPLICABLE = "pass", "fail", "undecided", "not applicable"


@dataclass(frozen=True)
class CheckResult:
    """The outcome of one check.

    Attributes:
        compared: one of `checks.COMPARED`. source: origin of the reference, in a phrase.
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
        main: whether it carries the claim of the figure, see `checks.main`.
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
class Outcome:
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
        main: whether the check carries the claim of its figure, see `checks.main`.
    """

    title: str
    kind: str
    compared: str
    source: str
    value: Values
    reference: Values
    judge: Callable[[Estimate, Estimate, float], Outcome]
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
        worst = _worst(points, outcome)
        deviation = points["deviation"].mean() if outcome.shown else points["deviation"][worst]
        at = {name: column[worst] for name, column in points.items()}
        status = str(_status(deviation, outcome.tolerance, at["undecided"]))
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


def _status(deviation, tolerance, undecided):
    """Return whether a deviation passes, is undecided or fails; for an array, at each point."""
    return np.select([deviation <= tolerance, deviation < tolerance + undecided], [PASS, UNDECIDED], FAIL)


def _worst(points, outcome):
    """Return the position of the point with the largest deviation, among the points that fail if there are any.

    A point can deviate more than another one that fails, but be undecided because its error is larger.
    """
    deviation = points["deviation"]
    fails = _status(deviation, outcome.tolerance, points["undecided"]) == FAIL
    return int(np.argmax(np.where(fails, deviation, -np.inf) if fails.any() else deviation))


def _runs_to_decide(outcome, deviation, at):
    """Return a phrase with the number of runs that would decide an undecided check."""
    if not np.isfinite(outcome.runs):
        return "undecided: the difference is smaller than the error of the reference"
    distance = abs(deviation - outcome.centre) - at["systematic"]
    if distance <= 0 or outcome.runs < 2:
        return f"undecided: the difference is smaller than a known error ({max(outcome.runs, 1):.0f} runs)"
    counts = np.unique(np.geomspace(2, 1e6, 1000).round())
    errors = at["errors"] * np.sqrt(outcome.runs / counts)
    enough = counts[student_limit(outcome.level, counts - 1) * errors <= distance]
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
