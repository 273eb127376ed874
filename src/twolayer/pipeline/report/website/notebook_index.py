"""The list of all notebooks with their titles, which `make lab` opens in JupyterLab.

python -m twolayer.pipeline.report.website.notebook_index results/notebooks.md
"""

import sys
from pathlib import Path

from twolayer.escaping import markdown
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.report.website.figure_document import NOTEBOOKS
from twolayer.pipeline.report.website.papers import paper
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.storage.files import write_text

_INTRO = """\
# Notebooks

A click on a name opens the notebook of a figure. Change a value in its first code cell, then choose
*Run > Run All Cells*. The notebook draws the figure from the results of the workflow and computes one run with your
values. It overwrites no result and no figure. *Executed* leads to the notebook that the workflow executed.

The [tutorial of the library](../workflow/notebooks/library/tutorial.py) needs no results of the workflow.
"""


def index(catalogue: Catalogue) -> str:
    """Return the list, in Markdown. Its links start from the folder `results`."""
    parts = [_INTRO]
    for study in catalogue.studies:
        figures = [figure for figure in catalogue.figures.values() if figure.study == study]
        of_study = paper(catalogue.root, figures[0]) if figures else None
        about = f": {of_study.short}" if of_study else ""
        items = [f"- [{one.name}](../{NOTEBOOKS}/{one.name}.py): {_about(catalogue, one)}" for one in figures]
        parts += [f"## {markdown(study + about)}\n", *items, ""] if items else []
    return "\n".join(parts)


def _about(catalogue: Catalogue, figure: FigureEntry) -> str:
    folders = {preset: f"{catalogue.folders.results(preset)}/notebooks/{figure.name}.ipynb" for preset in PRESETS}
    links = [f"[executed, {preset}](../{path})" for preset, path in folders.items() if (catalogue.root / path).exists()]
    return " ".join([markdown(figure.title), *([f"({', '.join(links)})"] if links else [])])


if __name__ == "__main__":
    write_text(index(Catalogue.load(Catalogue.find_root())), Path(sys.argv[1]))
