"""All verdicts of a scale on one self-contained page, and the same as CSV."""

import base64
import csv
import io as text_io
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from jinja2 import Environment, PackageLoader, select_autoescape

from twolayer import io
from twolayer.figures.checks import FAIL, Verdict
from twolayer.pipeline import verdicts
from twolayer.pipeline.catalogue import Catalogue, FigureEntry
from twolayer.seals import unsealed

_TEMPLATES = Environment(
    loader=PackageLoader("twolayer.pipeline"),
    autoescape=select_autoescape(["j2"]),
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True)
class Entry:
    """A figure on the scoreboard. `thumbnail` is a PNG in base64."""

    figure: FigureEntry
    verdicts: list[Verdict]
    thumbnail: str


def verdict_table(judged: list[Verdict]) -> str:
    """Verdicts as an HTML table."""
    return _TEMPLATES.get_template("verdicts.html.j2").render(verdicts=judged)


def write(catalogue: Catalogue, scale: str, folder: Path) -> None:
    """Write scoreboard.html and scoreboard.csv into `folder`.

    Raises:
        ResultError: a figure of that scale has not been made yet.
    """
    entries = [_entry(catalogue, figure, scale) for figure in catalogue.figures.values()]
    page = _TEMPLATES.get_template("scoreboard.html.j2").render(entries=entries, scale=scale, fail=FAIL)
    io.write_text(page, folder / "scoreboard.html")
    io.write_text(_csv(entries), folder / "scoreboard.csv")


def thumbnail(path: Path) -> bytes:
    """The small picture of a figure, a PNG.

    Raises:
        ResultError: it is missing or damaged.
    """
    return unsealed(io.read_bytes(path, "thumbnail"), f"thumbnail {path}", "delete it, and make the figure anew")


def failures(catalogue: Catalogue, scale: str) -> list[str]:
    """One line for each check that failed."""
    judged = [(name, verdict) for name in catalogue.figures for verdict in _verdicts(catalogue, name, scale)]
    return [f"{name}: {verdicts.describe(verdict)}" for name, verdict in judged if verdict.status == FAIL]


def _verdicts(catalogue, name, scale):
    return verdicts.read(verdicts.path_of(catalogue.root, name, scale))


def _entry(catalogue, figure, scale):
    picture = thumbnail(catalogue.root / "results" / scale / "thumbnails" / f"{figure.name}.png")
    return Entry(figure, _verdicts(catalogue, figure.name, scale), base64.b64encode(picture).decode("ascii"))


def _csv(entries):
    columns = [field.name for field in fields(Verdict)]
    table = text_io.StringIO()
    writer = csv.DictWriter(table, ["figure", *columns], lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        writer.writerows({"figure": entry.figure.name, **asdict(verdict)} for verdict in entry.verdicts)
    return table.getvalue()
