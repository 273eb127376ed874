"""The scoreboard: all check results of a preset on one self-contained page, and as CSV."""

import base64
import csv
import io as text_io
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path

from jinja2 import Environment, PackageLoader, select_autoescape

from twolayer import io
from twolayer.figures.checks import COMPARED
from twolayer.figures.outcomes import PASS, CheckResult
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.folders import config_option
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.checks.check_table import columns
from twolayer.pipeline.report.checks.failures import FailureReport, failure_report
from twolayer.pipeline.report.checks.summary import Summary, failures_first, main_check, overview, statuses, used
from twolayer.pipeline.report.format import duration, percent
from twolayer.pipeline.report.provenance import Provenance
from twolayer.pipeline.report.website.papers import source
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.storage.checksums import without_checksum
from twolayer.storage.files import write_text

TEMPLATES = Environment(
    loader=PackageLoader("twolayer.pipeline"),
    autoescape=select_autoescape(["j2"]),
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters |= {
    "used": used,
    "columns": columns,
    "css": lambda status: status.split()[0].replace("no", "none"),  # the class of a status
    "duration": duration,
    "percent": percent,
}


@dataclass(frozen=True)
class Entry:
    """A figure on the scoreboard.

    Attributes:
        source: the paper and its figure. thumbnail: a PNG in base64.
        other: the figure's status at the other preset, and the preset; None if there are no results for it.
        failure: failed checks and their possible causes; None if the figure passes or is undecided.
    """

    figure: FigureEntry
    source: str
    outcomes: list[CheckResult]
    made: Provenance
    thumbnail: str
    other: tuple[str, str] | None
    failure: FailureReport | None

    @cached_property
    def summary(self) -> Summary:
        """The summary of the check results."""
        return Summary.of(self.outcomes)

    @cached_property
    def main(self) -> CheckResult | None:
        """The main check."""
        return main_check(self.outcomes)


def check_table(judged: list[CheckResult]) -> str:
    """Return check results as an HTML table, failures first."""
    return TEMPLATES.get_template("outcomes.html.j2").render(outcomes=failures_first(judged))


def write(catalogue: Catalogue, preset: str, folder: Path) -> None:
    """Write scoreboard.html and scoreboard.csv to `folder`.

    Raises:
        ResultError: a figure of that preset does not exist yet.
    """
    entries = [_entry(catalogue, figure, preset) for figure in catalogue.figures.values()]
    total = Summary.of([outcome for entry in entries for outcome in entry.outcomes])
    page = TEMPLATES.get_template("scoreboard.html.j2").render(
        entries=entries,
        preset=preset,
        sorts=COMPARED,
        studies=[study for study in catalogue.studies if any(entry.figure.study == study for entry in entries)],
        sums=[*total.sorts.items(), ("all", total.all)],
        counts=overview({entry.figure.name: entry.summary for entry in entries}, _link),  # names are safe in HTML
        made=Provenance.together(entry.made for entry in entries),
        up="/".join(".." for _ in Path(catalogue.folders.figures(preset)).parts),
    )
    write_text(page, folder / "scoreboard.html")
    write_text(_csv(entries), folder / "scoreboard.csv")


def _link(name):
    return f'<a href="#{name}">{name}</a>'


def renew(catalogue: Catalogue, preset: str) -> str:
    """Write the scoreboard of a preset again if it exists and a figure is newer.

    Returns: a sentence on the result; it is empty if the scoreboard is up to date or does not exist.
    """
    folder = catalogue.folders.figures(preset)
    board = catalogue.root / folder / "scoreboard.html"
    if not board.exists():
        return ""
    checks = {name: check_results.path_of(catalogue, name, preset) for name in catalogue.figures}
    there = {name: path.stat().st_mtime for name, path in checks.items() if path.exists()}
    if max(there.values(), default=0) <= board.stat().st_mtime:
        return ""
    if missing := [name for name in checks if name not in there]:
        command = "snakemake scoreboard" + ("" if preset == "quick" else f"_{preset}") + config_option()
        return (
            f"{folder}/scoreboard.html is older than its figures, and {missing[0]} is missing: renew it by `{command}`"
        )
    write(catalogue, preset, catalogue.root / folder)
    return f"{folder}/scoreboard.html is renewed"


def thumbnail(path: Path) -> bytes:
    """Return the small picture of a figure, a PNG.

    Raises:
        ResultError: the picture is missing or damaged.
    """
    return without_checksum(
        io.read_bytes(path, "thumbnail"), f"thumbnail {path}", "delete it, and make the figure again"
    )


def judged(catalogue: Catalogue, preset: str) -> dict[str, list[CheckResult]]:
    """Return the check results of all figures of a preset.

    Raises:
        ResultError: a figure of that preset does not exist yet.
    """
    return {
        name: check_results.read(check_results.path_of(catalogue, name, preset)).outcomes for name in catalogue.figures
    }


def failure_reports(catalogue: Catalogue, figures: dict[str, list[CheckResult]], preset: str) -> list[FailureReport]:
    """Return a report for each figure with a check that fails, or with no applicable check."""
    found = (failure_report(catalogue, name, preset, outcomes) for name, outcomes in figures.items())
    return [one for one in found if one is not None]


def summary(figures: dict[str, list[CheckResult]], preset: str) -> str:
    """Return one line on all figures of a preset, and one line for each type of reference."""
    counts = statuses(Summary.of(checks) for checks in figures.values())
    total = Summary.of([outcome for checks in figures.values() for outcome in checks])
    return "\n".join(
        [
            f"{len(figures)} figures at the {preset} preset: "
            + ", ".join(f"{number} {status}" for status, number in counts.items() if number or status == PASS),
            *(
                f"{sort}: {count.passed} checks pass, {count.failed} fail, {count.undecided} undecided, "
                f"{count.absent} not applicable"
                for sort, count in total.sorts.items()
            ),
        ]
    )


def _entry(catalogue, figure, preset):
    picture = thumbnail(catalogue.root / catalogue.folders.results(preset) / "thumbnails" / f"{figure.name}.png")
    figure_checks = check_results.read(check_results.path_of(catalogue, figure.name, preset))
    encoded = base64.b64encode(picture).decode("ascii")
    other, of_paper = _other(catalogue, figure, preset), source(catalogue.root, figure)
    failing = failure_report(catalogue, figure.name, preset, figure_checks.outcomes)
    return Entry(figure, of_paper, figure_checks.outcomes, figure_checks.made, encoded, other, failing)


def _other(catalogue, figure, preset):
    (other,) = set(PRESETS) - {preset}
    path = check_results.path_of(catalogue, figure.name, other)
    return (other, Summary.of(check_results.read(path).outcomes).status) if path.exists() else None


def _csv(entries):
    names = [field.name for field in fields(CheckResult)]
    table = text_io.StringIO()
    writer = csv.DictWriter(table, ["figure", "figure_status", *names], lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        about = {"figure": entry.figure.name, "figure_status": entry.summary.status}
        writer.writerows(about | asdict(outcome) for outcome in entry.outcomes)
    return table.getvalue()
