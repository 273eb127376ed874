"""Summary of the checks of a figure: numbers of passed checks, by type, and the outcome of the main check."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from twolayer.figures.checks import COMPARED
from twolayer.figures.outcomes import FAIL, NOT_APPLICABLE, PASS, UNDECIDED, CheckResult
from twolayer.pipeline.report.format import duration, percent

GOALS = {"quick": 0.02, "paper": 0.01}  # relative error that each main check should detect, by preset
UNCHECKED = "no applicable check"
_IN_COUNTS = {UNCHECKED: "with no applicable check"}
_NAMED = {FAIL: "Failing", UNDECIDED: "Undecided", UNCHECKED: "With no applicable check"}


@dataclass(frozen=True)
class Count:
    """Numbers of checks that pass, fail, are undecided, and do not apply."""

    passed: int
    failed: int
    undecided: int
    absent: int

    @classmethod
    def of(cls, judged: Iterable[CheckResult]) -> "Count":
        """Count the checks by their status."""
        statuses = [outcome.status for outcome in judged]
        return cls(*(statuses.count(status) for status in (PASS, FAIL, UNDECIDED, NOT_APPLICABLE)))

    @property
    def applicable(self) -> int:
        """Number of checks that apply."""
        return self.passed + self.failed + self.undecided

    def not_passed(self) -> list[str]:
        """Return how many checks fail and how many are undecided, without zeros."""
        counts = {"fail": self.failed, "undecided": self.undecided}
        return [f"{number} {status}" for status, number in counts.items() if number]


@dataclass(frozen=True)
class Summary:
    """Summary of the checks of one figure, or of many.

    Attributes:
        all: counts over all types. sorts: type of reference -> counts for this type, for each of `COMPARED`.
    """

    all: Count
    sorts: dict[str, Count]

    @classmethod
    def of(cls, judged: list[CheckResult]) -> "Summary":
        """Summarize these checks."""
        sorts = {sort: Count.of(outcome for outcome in judged if outcome.compared == sort) for sort in COMPARED}
        return cls(Count.of(judged), sorts)

    @property
    def status(self) -> str:
        """The status of the figure.

        It is `fail` if a check fails, else `pass` if a check passes, `undecided` if all applicable checks are
        undecided, and `UNCHECKED` if no check applies.
        """
        if self.all.failed:
            return FAIL
        return PASS if self.all.passed else UNDECIDED if self.all.undecided else UNCHECKED


def statuses(tallies: Iterable[Summary]) -> dict[str, int]:
    """Return the number of figures with each status."""
    each = [summary.status for summary in tallies]
    return {status: each.count(status) for status in (PASS, FAIL, UNDECIDED, UNCHECKED)}


def overview(figures: Mapping[str, Summary], link: Callable[[str], str] = str) -> str:
    """Count the figures of each status, and name those that do not pass, in a sentence for each status.

    Args:
        figures: name -> summary of its checks. link: returns a link for a name.
    """
    counts = statuses(figures.values())
    parts = [f"{number} {_IN_COUNTS.get(status, status)}" for status, number in counts.items() if number]
    names = {
        status: ", ".join(link(name) for name, summary in figures.items() if summary.status == status)
        for status, number in counts.items()
        if number and status != PASS
    }
    named = [f"{_NAMED[status]}: {listed}." for status, listed in names.items()]
    plural = "" if len(figures) == 1 else "s"
    return " ".join([f"{len(figures)} figure{plural}: {', '.join(parts) or 'none'}.", *named])


def failures_first(judged: Iterable[CheckResult]) -> list[CheckResult]:
    """Order checks for readers: failed, undecided, passed, not applicable."""
    return sorted(judged, key=lambda outcome: (FAIL, UNDECIDED, PASS, NOT_APPLICABLE).index(outcome.status))


def main_check(judged: Iterable[CheckResult]) -> CheckResult | None:
    """Return the main check of a figure, or None."""
    return next((outcome for outcome in judged if outcome.main), None)


def used(outcome: CheckResult) -> float | None:
    """Return the used part of the limit of a check, above 1 if it failed; None if there is no such measure."""
    if outcome.deviation is None or outcome.tolerance is None:
        return None
    if outcome.tolerance < 0:  # an ordering, which passes with more margin the lower the deviation
        return outcome.tolerance / outcome.deviation if outcome.deviation < 0 else 2.0
    if outcome.tolerance == 0:
        return None if outcome.deviation <= 0 else 2.0
    return max(outcome.deviation / outcome.tolerance, 0.0)


def sentence(name: str, judged: list[CheckResult]) -> str:
    """Return the checks of a figure in one line."""
    summary = Summary.of(judged)
    if summary.status == UNCHECKED:
        return f"{name}: {UNCHECKED}, of {len(judged)}"
    count, main = summary.all, main_check(judged)
    parts = [f"{count.passed} of {count.applicable} checks pass", *count.not_passed()]
    parts += [f"{count.absent} not applicable"] if count.absent else []
    parts += [f"main check: {brief(main)}"] if main else []
    return f"{name}: {summary.status}, {', '.join(parts)}"


def short(judged: list[CheckResult]) -> str:
    """Return the checks of a figure in half a line of a terminal: status, counts, and the main check."""
    summary = Summary.of(judged)
    if summary.status == UNCHECKED:
        return f"{UNCHECKED}, of {len(judged)}"
    count, main = summary.all, main_check(judged)
    parts = [f"{summary.status} {count.passed}/{count.applicable}", *count.not_passed()]
    if main and main.difference is not None and main.detects is not None:
        parts.append(f"{percent(main.difference)} off, detects {percent(main.detects)}")
    return ", ".join(parts)


def brief(outcome: CheckResult) -> str:
    """Return the outcome of a check in a few words: deviation and detection limit at the point shown."""
    if outcome.status == NOT_APPLICABLE:
        return f"{outcome.status} ({outcome.note})"
    if outcome.difference is None or outcome.detects is None:
        return outcome.status
    return f"{outcome.status}, deviation {percent(outcome.difference)}, detection limit {percent(outcome.detects)}"


def needed(outcome: CheckResult, preset: str, minutes: float) -> str:
    """What a check needs to detect the goal of a preset, in a sentence; empty if it detects it.

    The random part of a detection limit falls with the square root of the number of runs or samples.

    Args:
        minutes: that the runs of the figure take now.
    """
    goal = GOALS[preset]
    if outcome.detects is None or outcome.fixed is None or outcome.detects <= goal:
        return ""
    stated = f"The main check detects {percent(outcome.detects)}."
    if outcome.fixed >= goal:
        known = percent(outcome.fixed)
        return f"{stated} A known error of {known} limits it. More runs do not make it detect {percent(goal)}."
    factor = ((outcome.detects - outcome.fixed) / (goal - outcome.fixed)) ** 2
    return (
        f"{stated} To detect {percent(goal)}, it needs about {factor:.2g} times as many runs or samples "
        f"(about {duration(60 * minutes * factor)})."
    )
