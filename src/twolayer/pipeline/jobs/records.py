"""Records of repetitions: the outcomes of the checks of each figure, in small files that git tracks.

A file has a line of JSON for each figure. So records from several machines and times can be merged.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from twolayer.errors import ResultError
from twolayer.figures.outcomes import CheckResult
from twolayer.pipeline.report.checks.summary import used
from twolayer.storage.files import write_text

FOLDER = Path("docs", "replicates")  # of the unchanged configuration


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check.

    Attributes:
        used: used part of its limit, see `summary.used`. probability: probability that chance gives this deviation or a
            larger one, for checks that compute it.
    """

    title: str
    kind: str
    status: str
    used: float | None
    probability: float | None

    @classmethod
    def of(cls, outcome: CheckResult) -> "Outcome":
        """Return the recorded part of a check result."""
        return cls(outcome.title, outcome.kind, outcome.status, _short(used(outcome)), _short(outcome.probability))


@dataclass(frozen=True)
class FigureRecord:
    """The checks of a figure in one repetition.

    Attributes:
        commit: commit of the program. processor: processor that computed the figure.
        differences: result -> difference from the result of the preset, relative to its largest value and in standard
            errors. Equal results are left out.
    """

    figure: str
    commit: str
    processor: str
    checks: tuple[Outcome, ...]
    differences: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)


def folder_of(variant: str | None) -> Path:
    """Return the folder of the records, relative to the project. A variant has its records next to its results."""
    return FOLDER if variant is None else Path("results", variant, "replicates")


Record = dict[str, FigureRecord]  # name of a figure -> its record


def read(path: Path) -> Record:
    """Return the record in a file; empty if there is no such file.

    Raises:
        ResultError: the file is damaged, or has another version.
    """
    if not path.exists():
        return {}
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return {line["figure"]: _figure_record(**line) for line in lines}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ResultError(f"record {path} is damaged, or has another version: restore or delete it") from None


def _figure_record(checks, differences, **about):
    outcomes = tuple(Outcome(**check) for check in checks)
    return FigureRecord(checks=outcomes, differences={name: tuple(pair) for name, pair in differences.items()}, **about)


def write(record: Record, path: Path) -> None:
    """Write a record to a file."""
    lines = [json.dumps(asdict(record[figure]), ensure_ascii=False) for figure in sorted(record)]
    write_text("\n".join([*lines, ""]), path)


def _short(value):
    """Round a number to the digits of a table."""
    return None if value is None else float(f"{value:.3g}")
