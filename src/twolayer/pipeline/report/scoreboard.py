"""All verdicts of a scale on one self-contained page, and the same as CSV."""

import base64
import csv
import io as text_io
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path

from jinja2 import Environment, PackageLoader, select_autoescape

from twolayer import io
from twolayer.figures.checks import COMPARED, FAIL, PASS, Verdict
from twolayer.pipeline.catalogue import SCALES, Catalogue, FigureEntry
from twolayer.pipeline.report import check_results
from twolayer.pipeline.report.check_table import columns, line
from twolayer.pipeline.report.format import duration
from twolayer.pipeline.report.provenance import Provenance
from twolayer.pipeline.report.summary import UNCHECKED, Tally, brief, main_check, sentence, statuses, used
from twolayer.storage.checksums import unsealed

_TEMPLATES = Environment(
    loader=PackageLoader("twolayer.pipeline"),
    autoescape=select_autoescape(["j2"]),
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= {
    "used": used,
    "columns": columns,
    "brief": brief,
    "css": lambda status: status.split()[0].replace("no", "none"),  # the class of a status
    "duration": duration,
}


@dataclass(frozen=True)
class Entry:
    """A figure on the scoreboard.

    Attributes:
        thumbnail: a PNG in base64.
        other: the figure's status at the other preset, and the scale; None where it has not been made there.
    """

    figure: FigureEntry
    verdicts: list[Verdict]
    made: Provenance
    thumbnail: str
    other: tuple[str, str] | None

    @cached_property
    def tally(self) -> Tally:
        """Sum of the verdicts."""
        return Tally.of(self.verdicts)

    @cached_property
    def main(self) -> Verdict | None:
        """The main check."""
        return main_check(self.verdicts)


def verdict_table(judged: list[Verdict]) -> str:
    """Verdicts as an HTML table."""
    return _TEMPLATES.get_template("verdicts.html.j2").render(verdicts=judged)


def write(catalogue: Catalogue, scale: str, folder: Path) -> None:
    """Write scoreboard.html and scoreboard.csv into `folder`.

    Raises:
        ResultError: a figure of that scale has not been made yet.
    """
    entries = [_entry(catalogue, figure, scale) for figure in catalogue.figures.values()]
    total = Tally.of([verdict for entry in entries for verdict in entry.verdicts])
    page = _TEMPLATES.get_template("scoreboard.html.j2").render(
        entries=entries,
        scale=scale,
        sorts=COMPARED,
        studies=[study for study in catalogue.studies if any(entry.figure.study == study for entry in entries)],
        sums=[*total.sorts.items(), ("all", total.all)],
        figures=statuses(entry.tally for entry in entries),
        up="/".join(".." for _ in Path(catalogue.folders.figures(scale)).parts),
    )
    io.write_text(page, folder / "scoreboard.html")
    io.write_text(_csv(entries), folder / "scoreboard.csv")


def thumbnail(path: Path) -> bytes:
    """The small picture of a figure, a PNG.

    Raises:
        ResultError: it is missing or damaged.
    """
    return unsealed(io.read_bytes(path, "thumbnail"), f"thumbnail {path}", "delete it, and make the figure anew")


def judged(catalogue: Catalogue, scale: str) -> dict[str, list[Verdict]]:
    """The verdicts of all figures of a scale.

    Raises:
        ResultError: a figure of that scale has not been made yet.
    """
    return {
        name: check_results.read(check_results.path_of(catalogue, name, scale)).verdicts for name in catalogue.figures
    }


def faults(figures: dict[str, list[Verdict]]) -> list[str]:
    """One line for each check that failed, and for each figure none of whose checks applied."""
    lines = []
    for name, checks in figures.items():
        lines += [f"failed: {name}: {line(verdict)}" for verdict in checks if verdict.status == FAIL]
        lines += [sentence(name, checks)] if Tally.of(checks).status == UNCHECKED else []
    return lines


def summary(catalogue: Catalogue, figures: dict[str, list[Verdict]], scale: str) -> str:
    """All figures of a scale in a line a sort of checks, and where to see them."""
    counts = statuses(Tally.of(checks) for checks in figures.values())
    total = Tally.of([verdict for checks in figures.values() for verdict in checks])
    return "\n".join(
        [
            f"{len(figures)} figures at the {scale} preset: "
            + ", ".join(f"{number} {status}" for status, number in counts.items() if number or status == PASS),
            *(
                f"{sort}: {count.passed} checks pass, {count.failed} fail, {count.undecided} undecided, "
                f"{count.absent} not applicable"
                for sort, count in total.sorts.items()
            ),
            f"see {catalogue.folders.figures(scale)}/scoreboard.html",
        ]
    )


def _entry(catalogue, figure, scale):
    picture = thumbnail(catalogue.root / catalogue.folders.results(scale) / "thumbnails" / f"{figure.name}.png")
    judgement = check_results.read(check_results.path_of(catalogue, figure.name, scale))
    encoded = base64.b64encode(picture).decode("ascii")
    return Entry(figure, judgement.verdicts, judgement.made, encoded, _other(catalogue, figure, scale))


def _other(catalogue, figure, scale):
    (other,) = set(SCALES) - {scale}
    path = check_results.path_of(catalogue, figure.name, other)
    return (other, Tally.of(check_results.read(path).verdicts).status) if path.exists() else None


def _csv(entries):
    names = [field.name for field in fields(Verdict)]
    table = text_io.StringIO()
    writer = csv.DictWriter(table, ["figure", "figure_status", *names], lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        about = {"figure": entry.figure.name, "figure_status": entry.tally.status}
        writer.writerows(about | asdict(verdict) for verdict in entry.verdicts)
    return table.getvalue()
