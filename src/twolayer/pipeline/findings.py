"""What the papers say, figure by figure, beside what was found here and the check that says so.

The sentences are those of the configuration, the numbers those of the gallery's verdicts.
"""

from collections.abc import Iterable
from pathlib import Path

from twolayer.escaping import markdown
from twolayer.figures.checks import FAIL
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.gallery import FOLDER, Exhibit, exhibits
from twolayer.pipeline.tally import Tally, sharpest

PATH = Path("docs", "findings.md")

_INTRO = """\
# Findings

What the papers say, and what was found: the sharpest check of each figure against published numbers, or of theory with
simulation, with the value measured where the two are farthest apart, the one that it is held against, and the
smallest error that it would have noticed. Behind each figure's name stand its picture, its verdicts, and where they
come from.
`twolayer findings` writes this page, from `config/` and from the verdicts of the [gallery](gallery/README.md).
"""
_PAPERS = (
    "| figure | the paper says | we find | sharpest check | measured, held against | would notice | checks | scale |"
)
_OURS = "| figure | we find | sharpest check | measured, held against | would notice | checks | scale |"


def page(catalogue: Catalogue) -> str:
    """The page, in Markdown."""
    shown = [one for one in exhibits(catalogue, catalogue.root / FOLDER) if one.figure.finding]
    of_papers, ours = ([one for one in shown if bool(one.figure.claim) is claimed] for claimed in (True, False))
    parts = [_INTRO, *_table(_PAPERS, of_papers), "", "## Beyond the papers", "", *_table(_OURS, ours)]
    failed = [f"- {_link(one)}: {markdown(verdict.title)}" for one in shown for verdict in _failed(one)]
    if failed:
        parts += ["", "## Checks that fail", "", *failed]
    return "\n".join([*parts, ""])


def _table(head: str, shown: Iterable[Exhibit]) -> list[str]:
    return [head, "|---" * (head.count("|") - 1) + "|", *(_row(one) for one in shown)]


def _row(one: Exhibit) -> str:
    said = [markdown(text) for text in ([one.figure.claim] if one.figure.claim else []) + [one.figure.finding]]
    return f"| {' | '.join([_link(one), *said, *_sharpest(one), _count(one), one.size])} |"


def _link(one: Exhibit) -> str:
    return f"[{one.figure.name}]({FOLDER.name}/README.md#{one.figure.name})"


def _sharpest(one: Exhibit) -> list[str]:
    best = sharpest(one.judgement.verdicts)
    if best is None:
        return ["", "", ""]
    values = "" if None in (best.measured, best.target) else f"{best.measured:.4g}, {best.target:.4g}"
    return [markdown(f"{best.title} ({best.compared})"), values, f"{100 * best.sharpness:.2g} %"]


def _count(one: Exhibit) -> str:
    """Passed of those that applied, by sort."""
    tally = Tally.of(one.judgement.verdicts)
    sorts = [
        f"{count.passed + count.failed} {sort}" for sort, count in tally.sorts.items() if count.passed + count.failed
    ]
    return f"{tally.all.passed} of {tally.all.passed + tally.all.failed} pass: {', '.join(sorts)}"


def _failed(one: Exhibit):
    return [verdict for verdict in one.judgement.verdicts if verdict.status == FAIL]
