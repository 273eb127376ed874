"""The list of all notebooks with their titles, with which `make lab` opens JupyterLab.

python -m twolayer.pipeline.report.website.notebook_index results/notebooks.md
"""

import sys
from pathlib import Path

from twolayer import io
from twolayer.escaping import markdown
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.report.website.figure_document import NOTEBOOKS

_INTRO = """\
# Notebooks

A click on a name opens the notebook of a figure. Change a value in its first code cell, then choose *Run All Cells*.
The notebook draws the figure from the results of the workflow and computes one run with your values. It overwrites no
result and no figure. The column *executed* has the notebooks that the workflow executed.

[Tutorial of the library](../workflow/notebooks/library/tutorial.py)
"""


def index(catalogue: Catalogue) -> str:
    """The list, in Markdown. Its links start from the folder `results`."""
    parts = [_INTRO]
    for study in catalogue.studies:
        figures = [figure for figure in catalogue.figures.values() if figure.study == study]
        rows = [
            f"| [{one.name}](../{NOTEBOOKS}/{one.name}.py) | {markdown(one.title)} | {_executed(catalogue, one)} |"
            for one in figures
        ]
        parts += [f"## {study}\n", "| notebook | title | executed |", "|---|---|---|", *rows, ""] if rows else []
    return "\n".join(parts)


def _executed(catalogue, figure):
    folders = {preset: f"{catalogue.folders.results(preset)}/notebooks/{figure.name}.ipynb" for preset in PRESETS}
    links = [f"[{preset}](../{path})" for preset, path in folders.items() if (catalogue.root / path).exists()]
    return ", ".join(links)


if __name__ == "__main__":
    io.write_text(index(Catalogue.load(Catalogue.find_root())), Path(sys.argv[1]))
