"""Claims of the papers, our results, and the main check, figure by figure.

The sentences come from the configuration, the numbers from the check results of the gallery.
"""

from collections.abc import Iterator
from pathlib import Path

from twolayer.escaping import markdown
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report.checks.failures import failure_report
from twolayer.pipeline.report.checks.summary import Summary, brief, main_check, overview
from twolayer.pipeline.report.gallery import FOLDER, GalleryEntry, entries
from twolayer.pipeline.report.gallery_markdown import badge
from twolayer.pipeline.report.website.papers import linked_source

PATH = Path("docs", "findings.md")

_INTRO = """\
This page lists the claims of the papers and our results, figure by figure. The main check of a figure carries its
claim. Its value, reference, deviation and detection limit belong to the point of the largest deviation. The detection
limit is the relative error of the value that would make the check fail. The name of a figure links to its picture and
its checks. `twolayer findings` writes this page from `config/` and from the checks of the
[gallery](gallery/README.md). The gallery also has the figures for custom mixtures and custom generators.
"""


def page(catalogue: Catalogue) -> str:
    """Return the page in Markdown."""
    shown = [one for one in entries(catalogue, catalogue.root / FOLDER) if one.figure.finding]
    parts = ["# Findings", "", overview({one.figure.name: one.summary for one in shown}, _link), "", _INTRO]
    failed = [line for one in shown for line in _failures(catalogue, one)]
    if failed:
        parts += ["## Checks that fail", "", *failed]
    for title, claimed in (("The four papers", True), ("Beyond the papers", False)):
        cards = [line for one in shown if bool(one.figure.claim) is claimed for line in _card(catalogue, one)]
        parts += [f"## {title}", "", *cards]
    return "\n".join(parts)


def _card(catalogue: Catalogue, one: GalleryEntry) -> Iterator[str]:
    yield f"### {_link(one.figure.name)}: {markdown(one.figure.title)}\n"
    about = f"{linked_source(catalogue.root, one.figure)}; {one.size} preset; {_count(one)}"
    yield f"{badge(one.summary.status)} {about}.\n"
    if one.figure.claim:
        yield f"**Claim of the paper:** {markdown(one.figure.claim)}\n"
    yield f"**Result:** {markdown(one.figure.finding)}\n"
    if main := main_check(one.figure_checks.outcomes):
        title = markdown(f"{main.title} ({main.compared})")
        yield f"**Main check:** {title}: {_values(main)}{markdown(brief(main))}.\n"


def _link(name: str) -> str:
    return f"[{name}]({FOLDER.name}/README.md#{name})"


def _values(main) -> str:
    if None in (main.value, main.reference):
        return ""
    return f"value {main.value:.4g}, reference {main.reference:.4g}; "


def _count(one: GalleryEntry) -> str:
    """Return the number of checks that pass, of those that apply, by type of reference."""
    summary = Summary.of(one.figure_checks.outcomes)
    applicable = {sort: count.applicable for sort, count in summary.sorts.items()}
    sorts = [f"{number} {sort}" for sort, number in applicable.items() if number]
    return f"{summary.all.passed} of {sum(applicable.values())} checks pass ({', '.join(sorts)})"


def _failures(catalogue: Catalogue, one: GalleryEntry) -> list[str]:
    """Return failed checks, their possible causes, and the next commands."""
    found = failure_report(catalogue, one.figure.name, one.preset, one.figure_checks.outcomes, brief=one.brief)
    return [f"### Failing checks of {_link(one.figure.name)}", "", *found.markdown()] if found else []
