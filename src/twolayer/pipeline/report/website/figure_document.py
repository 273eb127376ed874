"""The page of one figure in Markdown: claim, finding, pictures, checks, method, parameters and downloads.

The site and the local report render the same document.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

import jupytext
import nbformat

from twolayer.escaping import markdown
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.project import project_file
from twolayer.pipeline.report.checks.check_results import FigureChecks, needed_runs
from twolayer.pipeline.report.checks.failures import failure_report
from twolayer.pipeline.report.checks.summary import Summary, sentence
from twolayer.pipeline.report.format import duration
from twolayer.pipeline.report.gallery_markdown import badge
from twolayer.pipeline.report.scoreboard import check_table
from twolayer.pipeline.report.website.papers import linked_source, paper
from twolayer.pipeline.report.website.parameters_list import parameters_list
from twolayer.pipeline.studies.figure_entries import FigureEntry

NOTEBOOKS = "workflow/notebooks"
CHECKS = "## Checks"
LONG = 120  # minutes of a run that the page of all figures lists


@dataclass(frozen=True)
class Shown:
    """A figure at one preset.

    Attributes:
        picture: address of the picture. downloads: label -> address.
        remark: one sentence on these results, or an empty text.
        animations: name -> address.
        brief: whether a generator behind the figure was trained for a shorter time than the authors' one; None if it
            follows from the settings of the catalogue.
    """

    preset: str
    figure_checks: FigureChecks
    picture: str
    downloads: Mapping[str, str]
    remark: str = ""
    animations: Mapping[str, str] = field(default_factory=dict)
    brief: bool | None = None

    @property
    def summary(self) -> Summary:
        """The summary of the check results."""
        return Summary.of(self.figure_checks.outcomes)


def document(catalogue: Catalogue, figure: FigureEntry, shown: list[Shown], downloads: Mapping[str, str]) -> str:
    """Return the page of a figure, in Markdown with formulas between dollars and the tables of checks in HTML.

    Args:
        shown: the presets for which the figure exists, the main one first. downloads: label -> address, for all
            presets.
    """
    parts = [
        *_head(catalogue, figure, shown),
        *(line for one in shown for line in _picture(figure, one)),
        "## Downloads",
        "",
        *(f"- {one.preset.capitalize()} preset: {_links(one.downloads)}" for one in shown),
        f"- All presets: {_links(downloads)}",
        "",
        "These commands compute the figure at the paper preset and at the quick preset:",
        "",
        "```console",
        *(f"snakemake {catalogue.folders.figures(preset)}/{figure.name}.pdf" for preset in PRESETS),
        "```",
        "",
        *_long_runs(catalogue, figure),
        *(line for one in shown for line in _checks(catalogue, figure, one)),
        "## Method",
        "",
        prose(read_notebook(catalogue.root, figure.name)),
        "",
        *_parameters(catalogue, figure, shown),
        *_citation(catalogue, figure),
    ]
    return "\n".join(parts)


def _long_runs(catalogue, figure):
    runs = catalogue.upstream(catalogue.figure_runs(figure.name, "paper"))
    named = [f"`{run.name}`" for run in runs if run.stands_in or run.minutes > LONG]
    if not named:
        return []
    return [
        f"At the paper preset, these runs take more than two hours of one CPU core, or replace such runs: "
        f"{', '.join(named)}. The page of all figures, `docs/reference/figures.md`, has their times and commands.",
        "",
    ]


def _links(addresses: Mapping[str, str]) -> str:
    return ", ".join(f"[{label}]({address})" for label, address in addresses.items())


def _head(catalogue, figure, shown):
    number = figure.name.removeprefix("fig")
    named = f"Figure {number}" if number.isdecimal() else figure.name  # readers search for "figure 22"
    called = f"`{figure.name}` in this project"
    lines = [f"# {markdown(named)}: {markdown(figure.title)}", ""]
    lines += [f"{called}; {linked_source(catalogue.root, figure)}.", ""]
    lines += [f"{badge(one.summary.status)} {one.preset} preset: {_counts(figure, one)}.\n" for one in shown]
    lines += [] if shown else ["No results of this figure are stored here.\n"]
    for one in shown:
        found = failure_report(catalogue, figure.name, one.preset, one.figure_checks.outcomes, brief=one.brief)
        lines += [f"At the {one.preset} preset:", "", *found.markdown()] if found else []
    lines += ["", f"**Claim of the paper:** {markdown(figure.claim)}\n"] if figure.claim else [""]
    lines += [f"**Result:** {markdown(figure.finding)}\n"] if figure.finding else []
    links = [f"[checks at the {one.preset} preset](#{_anchor(one)})" for one in shown]
    links = ["[downloads](#downloads)", *links, "[method](#method)", "[parameters](#parameters)"]
    return [*lines, f"On this page: {', '.join(links)}.", ""]


def _anchor(one: Shown) -> str:
    return f"checks-at-the-{one.preset}-preset"


def _counts(figure, one):
    """Return the summary of the checks without the name and the status, which the page shows before it."""
    return sentence(figure.name, one.figure_checks.outcomes).removeprefix(f"{figure.name}: ").partition(", ")[2]


def _picture(figure, one):
    made = one.figure_checks.made
    when = made.first if made.first == made.last else f"{made.first} to {made.last}"
    origin = (
        f"{made.runs} results, {duration(made.seconds)} of computing, on {', '.join(made.machines) or 'no machine'}; "
        f"{when} UTC; commit {', '.join(made.commits)}."
    )
    return [
        f"## Figure at the {one.preset} preset",
        "",
        f"![{markdown(figure.title)}, {one.preset} preset]({one.picture})",
        "",
        *(
            f"![{markdown(figure.title)}, animation {name}, {one.preset} preset]({address})\n"
            for name, address in one.animations.items()
        ),
        f"{markdown(origin)} {one.remark}".strip(),
        "",
    ]


def _checks(catalogue, figure, one):
    outcomes = one.figure_checks.outcomes
    rows = [line for line in check_table(outcomes).splitlines() if line.strip()]
    more = needed_runs(catalogue, figure.name, one.preset, outcomes)
    return [f"## Checks at the {one.preset} preset", "", '<div class="checks">', *rows, "</div>", "", more, ""]


def _parameters(catalogue, figure, shown):
    presets = [one.preset for one in shown] or ["paper"]
    lines = ["## Parameters", ""]
    for preset in presets:
        lines += [f"### {preset.capitalize()} preset", "", *parameters_list(catalogue, figure.name, preset), ""]
    return lines


def _citation(catalogue, figure):
    reproduced = paper(catalogue.root, figure)
    lines = ["## Citation", ""]
    lines += [f"Paper: [{markdown(reproduced.citation)}]({reproduced.address})", ""] if reproduced else []
    return [*lines, "Software: `CITATION.cff` in the repository.", ""]


def read_notebook(root: Path, name: str) -> nbformat.NotebookNode:
    """Read the notebook of a figure, without executing it."""
    return jupytext.read(root / project_file(root, f"{NOTEBOOKS}/{name}.py"))


def prose(notebook: nbformat.NotebookNode) -> str:
    """Return the text of a notebook without its title, up to the heading of its checks."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    text = "\n\n".join(takewhile(lambda source: not source.startswith(CHECKS), cells))
    lines = text.splitlines()[1:]
    return "\n".join(f"#{line}" if line.startswith("## ") else line for line in lines).strip()
