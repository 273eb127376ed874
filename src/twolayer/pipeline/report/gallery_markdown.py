"""The page of the gallery: for each figure of a paper a picture, the claim, our result, the checks and the files."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from twolayer.escaping import markdown
from twolayer.figures.outcomes import FAIL, UNDECIDED
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.folders import Folders
from twolayer.pipeline.report.checks.check_table import line
from twolayer.pipeline.report.checks.summary import Summary, failures_first, overview, sentence
from twolayer.pipeline.report.format import duration, markdown_table
from twolayer.pipeline.report.gallery import GalleryEntry, entries
from twolayer.pipeline.report.website.papers import linked_source, reproduced, source
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.storage.files import write_text

_BEYOND = "Beyond the papers"
_FILES = {"PDF": "pdf", "SVG": "svg.zip", "curves as CSV": "curves.zip", "checks as JSON": "json"}
_TYPES = "type of check | pass | fail | undecided | not applicable"


def write(catalogue: Catalogue, folder: Path) -> None:
    """Write the page of a gallery to its folder."""
    write_text(page(catalogue.root, entries(catalogue, folder)), folder / "README.md")


def page(root: Path, shown: list[GalleryEntry]) -> str:
    """Return the page of the figures of a gallery, in Markdown, grouped by paper."""
    intro = ["# Gallery", ""]
    if not shown:
        return "\n".join([*intro, "The gallery has no figures yet.", ""])
    groups = _by_paper(root, shown)
    intro += [
        overview({one.figure.name: one.summary for one in shown}, lambda name: f"[{name}](#{name})"),
        "",
        "Each picture shows the figure at the paper preset, or at the quick preset where the paper preset has not been",
        "run. It links to the PDF. A figure passes if at least one check passes and no check fails. `twolayer gallery`",
        "writes this page. Reduced trainings are shorter trainings of generators (`generators: brief` in",
        "`config/config.yaml`), which were used where neither published weights nor complete trainings were available.",
        _machines(shown),
        "",
        f"On this page: {', '.join(f'[{title}](#{_anchor(title)})' for title in groups)}.",
    ]
    return "\n".join([*intro, *(part for title, group in groups.items() for part in _group(root, title, group)), ""])


def badge(status: str) -> str:
    """Return a status as text with a style."""
    return f'<span class="status {status.split()[0]}">{status}</span>'


def titled(root: Path, figure: FigureEntry) -> str:
    """Return the title of a figure with the paper's figure, in Markdown."""
    return f"{markdown(figure.title)} ({markdown(source(root, figure))})"


def _machines(shown):
    machines = sorted({machine for one in shown for machine in one.figure_checks.made.machines})
    return f"The results were computed on {markdown('; '.join(machines))}."


def _by_paper(root: Path, shown: Iterable[GalleryEntry]) -> dict[str, list[GalleryEntry]]:
    """Return title -> figures, for each paper and last for the figures beyond the papers."""
    groups = {}
    for one in shown:
        of_figure = reproduced(root, one.figure)
        groups.setdefault(of_figure.short if of_figure else _BEYOND, []).append(one)
    return dict(sorted(groups.items(), key=lambda group: group[0] == _BEYOND))


def _anchor(title: str) -> str:
    """Return the anchor of a heading, in the repository and on the site."""
    return "".join(letter for letter in title.lower().replace(" ", "-") if letter.isalnum() or letter == "-")


def _group(root: Path, title: str, group: list[GalleryEntry]) -> Iterator[str]:
    yield from ("", f"## {markdown(title)}", "")
    if of_group := reproduced(root, group[0].figure):
        yield from (f"[{markdown(of_group.citation)}]({of_group.address})", "")
    rows = (
        [f"[{one.figure.name}](#{one.figure.name})", badge(one.summary.status), titled(root, one.figure), one.size]
        for one in group
    )
    yield from markdown_table("figure | status | title and paper figure | preset", rows)
    for one in group:
        yield from _section(root, one)


def _section(root: Path, one: GalleryEntry) -> Iterator[str]:
    figure = one.figure
    yield from ("", f"### {figure.name}", "")
    yield from (f"{markdown(figure.title)} ({linked_source(root, figure)}).", "")
    for picture in _pictures(one):
        yield from (picture, "")
    yield f"{badge(one.summary.status)} {sentence(figure.name, one.figure_checks.outcomes).partition(', ')[2]}."
    yield from ("", f"**Claim of the paper:** {markdown(figure.claim)}") if figure.claim else ()
    yield from ("", f"**Result:** {markdown(figure.finding)}") if figure.finding else ()
    yield from _checks(one)
    yield from ("", _origin(one))


def _pictures(one: GalleryEntry) -> Iterator[str]:
    title = markdown(one.figure.title)
    yield f"[![{title}, {one.preset} preset]({one.path('png')})]({one.path('pdf')})"
    for path in one.animations:
        preset = "quick" if path.parent.name == "quick" else one.preset
        yield f"![{title}, animation {path.stem}, {preset} preset]({path})"


def _checks(one: GalleryEntry) -> Iterator[str]:
    """Yield the numbers of checks by type, and the checks that fail or are undecided."""
    outcomes = one.figure_checks.outcomes
    rows = [
        [compared, count.passed, count.failed, count.undecided, count.absent]
        for compared, count in Summary.of(outcomes).sorts.items()
        if count.applicable or count.absent
    ]
    yield from ("", *markdown_table(_TYPES, rows)) if rows else ()
    doubtful = [outcome for outcome in failures_first(outcomes) if outcome.status in (FAIL, UNDECIDED)]
    yield from ("",) if doubtful else ()
    for outcome in doubtful:
        yield f"- {badge(outcome.status)} {markdown(line(outcome).removeprefix(f'{outcome.status}: '))}"


def _origin(one: GalleryEntry) -> str:
    """Return the command that makes the figure, its files, and the origin of its results."""
    made, setting = one.figure_checks.made, f"TWOLAYER_GENERATORS={one.generators} " if one.generators else ""
    files = ", ".join(f"[{label}]({one.path(ending)})" for label, ending in _FILES.items())
    results = "1 result" if made.runs == 1 else f"{made.runs} results"
    spent = f"{results}, {duration(made.seconds)} of computing, {markdown(made.last[:10])}"
    command = f"`{setting}snakemake {Folders().figures(one.preset)}/{one.figure.name}.pdf`"
    return f"{one.size.capitalize()} preset: {command} makes it ({spent}). Files: {files}."
