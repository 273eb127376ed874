"""What the papers say, figure by figure, beside what was found here and the check that says so.

The sentences are those of the configuration, the numbers those of the gallery's check results.
"""

from collections.abc import Iterable
from pathlib import Path

from twolayer.escaping import markdown
from twolayer.figures.checks import FAIL
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report.gallery import FOLDER, GalleryEntry, entries
from twolayer.pipeline.report.summary import Summary, brief, main_check

PATH = Path("docs", "findings.md")

_INTRO = """\
# Findings

This page lists what the papers claim and what we find, figure by figure. The main check of a figure carries its claim.
Its value, reference, deviation and detection limit belong to the point of the largest deviation. The detection limit
is the relative error of the value that would make the check fail. The name of a figure links to its picture and its
checks.
`twolayer findings` writes this page from `config/` and from the checks of the [gallery](gallery/README.md).
"""
_PAPERS = "| figure | the paper says | we find | main check | value, reference | outcome | checks | preset |"
_OURS = "| figure | we find | main check | value, reference | outcome | checks | preset |"


def page(catalogue: Catalogue) -> str:
    """The page, in Markdown."""
    shown = [one for one in entries(catalogue, catalogue.root / FOLDER) if one.figure.finding]
    of_papers, ours = ([one for one in shown if bool(one.figure.claim) is claimed] for claimed in (True, False))
    parts = [_INTRO, *_table(_PAPERS, of_papers), "", "## Beyond the papers", "", *_table(_OURS, ours)]
    failed = [f"- {_link(one)}: {markdown(outcome.title)}" for one in shown for outcome in _failed(one)]
    if failed:
        parts += ["", "## Checks that fail", "", *failed]
    return "\n".join([*parts, ""])


def _table(head: str, shown: Iterable[GalleryEntry]) -> list[str]:
    return [head, "|---" * (head.count("|") - 1) + "|", *(_row(one) for one in shown)]


def _row(one: GalleryEntry) -> str:
    said = [markdown(text) for text in ([one.figure.claim] if one.figure.claim else []) + [one.figure.finding]]
    return f"| {' | '.join([_link(one), *said, *_main(one), _count(one), one.size])} |"


def _link(one: GalleryEntry) -> str:
    return f"[{one.figure.name}]({FOLDER.name}/README.md#{one.figure.name})"


def _main(one: GalleryEntry) -> list[str]:
    main = main_check(one.figure_checks.outcomes)
    if main is None:
        return ["", "", ""]
    values = "" if None in (main.measured, main.target) else f"{main.measured:.4g}, {main.target:.4g}"
    return [markdown(f"{main.title} ({main.compared})"), values, markdown(brief(main))]


def _count(one: GalleryEntry) -> str:
    """Checks that pass, of those that apply, by type of reference."""
    summary = Summary.of(one.figure_checks.outcomes)
    applicable = {sort: count.passed + count.failed + count.undecided for sort, count in summary.sorts.items()}
    sorts = [f"{number} {sort}" for sort, number in applicable.items() if number]
    return f"{summary.all.passed} of {sum(applicable.values())} pass: {', '.join(sorts)}"


def _failed(one: GalleryEntry):
    return [outcome for outcome in one.figure_checks.outcomes if outcome.status == FAIL]
