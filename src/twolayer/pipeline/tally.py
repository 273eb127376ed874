"""The verdicts of a figure in sum: is it right, by which sorts of checks, and how small an error would have shown."""

from collections.abc import Iterable
from dataclasses import dataclass

from twolayer.figures.checks import COMPARED, FAIL, NOT_APPLICABLE, PASS, PUBLISHED, THEORY, Verdict

UNCHECKED = "unchecked"  # none of its checks applied


@dataclass(frozen=True)
class Count:
    """How many checks passed, failed, and did not apply."""

    passed: int
    failed: int
    absent: int

    @classmethod
    def of(cls, judged: Iterable[Verdict]) -> "Count":
        """The numbers of these verdicts."""
        statuses = [verdict.status for verdict in judged]
        return cls(*(statuses.count(status) for status in (PASS, FAIL, NOT_APPLICABLE)))


@dataclass(frozen=True)
class Tally:
    """Sum of the verdicts of one figure, or of many.

    Attributes:
        all: of all sorts. sorts: what was compared -> of that sort, for each of `COMPARED`.
    """

    all: Count
    sorts: dict[str, Count]

    @classmethod
    def of(cls, judged: list[Verdict]) -> "Tally":
        """The sum of these verdicts."""
        sorts = {sort: Count.of(verdict for verdict in judged if verdict.compared == sort) for sort in COMPARED}
        return cls(Count.of(judged), sorts)

    @property
    def status(self) -> str:
        """`fail` where a check fails, `pass` where some passed and none failed, `unchecked` where none applied."""
        return FAIL if self.all.failed else PASS if self.all.passed else UNCHECKED


def statuses(tallies: Iterable[Tally]) -> dict[str, int]:
    """How many figures, of which these are the sums, pass, fail, and are unchecked."""
    each = [tally.status for tally in tallies]
    return {status: each.count(status) for status in (PASS, FAIL, UNCHECKED)}


def sharpest(judged: list[Verdict]) -> Verdict | None:
    """The check that would have noticed the smallest relative error of theory or simulation, of those that passed: one
    against published numbers, or of the two with each other; None where there is none."""
    sharp = [v for v in judged if v.status == PASS and v.sharpness is not None and v.compared in (PUBLISHED, THEORY)]
    return min(sharp, key=lambda verdict: verdict.sharpness, default=None)


def used(verdict: Verdict) -> float | None:
    """The part of its tolerance that a check used up, above 1 where it failed; None where there is no such measure."""
    if verdict.deviation is None or verdict.tolerance is None:
        return None
    if verdict.tolerance < 0:  # an ordering, which passes the better the further below
        return verdict.tolerance / verdict.deviation if verdict.deviation < 0 else 2.0
    if verdict.tolerance == 0:
        return None if verdict.deviation <= 0 else 2.0
    return max(verdict.deviation / verdict.tolerance, 0.0)


def sentence(name: str, judged: list[Verdict]) -> str:
    """What there is to say of a figure in a line."""
    tally = Tally.of(judged)
    if tally.status == UNCHECKED:
        return f"{name}: unchecked, none of its {len(judged)} checks applies at this scale"
    count, best = tally.all, sharpest(judged)
    parts = [f"{count.passed} of {count.passed + count.failed} checks pass"]
    parts += [f"{count.absent} do not apply at this scale"] if count.absent else []
    parts += [f"would notice {100 * best.sharpness:.2g} % ({best.compared})"] if best else []
    return f"{name}: {tally.status}, {', '.join(parts)}"
