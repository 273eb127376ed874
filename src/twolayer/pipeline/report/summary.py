"""Sum of the checks of a figure: how many pass, of which types, and the outcome of the main check."""

from collections.abc import Iterable
from dataclasses import dataclass

from twolayer.figures.checks import COMPARED, FAIL, NOT_APPLICABLE, PASS, UNDECIDED, Verdict
from twolayer.pipeline.report.format import percent

UNCHECKED = "no applicable check"


@dataclass(frozen=True)
class Count:
    """How many checks pass, fail, are undecided, and do not apply."""

    passed: int
    failed: int
    undecided: int
    absent: int

    @classmethod
    def of(cls, judged: Iterable[Verdict]) -> "Count":
        """Count the checks by their status."""
        statuses = [verdict.status for verdict in judged]
        return cls(*(statuses.count(status) for status in (PASS, FAIL, UNDECIDED, NOT_APPLICABLE)))


@dataclass(frozen=True)
class Tally:
    """Sum of the checks of one figure, or of many.

    Attributes:
        all: of all types. sorts: type of reference -> of that type, for each of `COMPARED`.
    """

    all: Count
    sorts: dict[str, Count]

    @classmethod
    def of(cls, judged: list[Verdict]) -> "Tally":
        """Sum these checks."""
        sorts = {sort: Count.of(verdict for verdict in judged if verdict.compared == sort) for sort in COMPARED}
        return cls(Count.of(judged), sorts)

    @property
    def status(self) -> str:
        """`fail` if a check fails; else `pass` if one passes, `undecided` if all that apply are, or `UNCHECKED`."""
        if self.all.failed:
            return FAIL
        return PASS if self.all.passed else UNDECIDED if self.all.undecided else UNCHECKED


def statuses(tallies: Iterable[Tally]) -> dict[str, int]:
    """How many figures, of which these are the sums, have each status."""
    each = [tally.status for tally in tallies]
    return {status: each.count(status) for status in (PASS, FAIL, UNDECIDED, UNCHECKED)}


def main_check(judged: Iterable[Verdict]) -> Verdict | None:
    """The main check of a figure; None if there is none."""
    return next((verdict for verdict in judged if verdict.main), None)


def used(verdict: Verdict) -> float | None:
    """The part of its limit that a check used up, above 1 where it failed; None if there is no such measure."""
    if verdict.deviation is None or verdict.tolerance is None:
        return None
    if verdict.tolerance < 0:  # an ordering, which passes the better the further below
        return verdict.tolerance / verdict.deviation if verdict.deviation < 0 else 2.0
    if verdict.tolerance == 0:
        return None if verdict.deviation <= 0 else 2.0
    return max(verdict.deviation / verdict.tolerance, 0.0)


def sentence(name: str, judged: list[Verdict]) -> str:
    """The checks of a figure in a line."""
    tally = Tally.of(judged)
    if tally.status == UNCHECKED:
        return f"{name}: {UNCHECKED}, of {len(judged)}"
    count, main = tally.all, main_check(judged)
    parts = [f"{count.passed} of {count.passed + count.failed + count.undecided} checks pass"]
    parts += [f"{count.failed} fail"] if count.failed else []
    parts += [f"{count.undecided} undecided"] if count.undecided else []
    parts += [f"{count.absent} not applicable"] if count.absent else []
    parts += [f"main check: {brief(main)}"] if main else []
    return f"{name}: {tally.status}, {', '.join(parts)}"


def brief(verdict: Verdict) -> str:
    """The outcome of a check in a few words: deviation and detection limit at the point shown."""
    if verdict.status == NOT_APPLICABLE:
        return f"{verdict.status} ({verdict.note})"
    if verdict.difference is None or verdict.detects is None:
        return verdict.status
    return f"{verdict.status}, deviation {percent(verdict.difference)}, detection limit {percent(verdict.detects)}"
