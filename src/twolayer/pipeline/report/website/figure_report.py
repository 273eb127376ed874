"""The page of a figure next to its PDF: a single file that a browser shows without a network."""

from pathlib import Path

import nbformat
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.scoreboard import TEMPLATES
from twolayer.pipeline.report.website.figure_document import Shown, document
from twolayer.storage.files import write_text


def write(catalogue: Catalogue, name: str, preset: str, notebook: nbformat.NotebookNode) -> None:
    """Write the page of a figure from its check results and its executed notebook.

    Raises:
        ResultError: the figure has no check results.
    """
    figure = catalogue.figure(name)
    folder = Path(catalogue.folders.figures(preset))
    up = "/".join(".." for _ in folder.parts)
    checks = check_results.read(check_results.path_of(catalogue, name, preset))
    downloads = {
        "PDF": f"{name}.pdf",
        "SVG": f"{name}.svg",
        "curves as CSV": f"{name}.csv",
        **{f"animation {animation} as GIF": f"{animation}.gif" for animation in figure.animations},
        "checks as JSON": f"{up}/{catalogue.folders.results(preset)}/checks/{name}.json",
        "executed notebook": f"{up}/{catalogue.folders.results(preset)}/notebooks/{name}.ipynb",
        "configuration": f"{up}/config/{figure.study}.yaml",
    }
    shown = Shown(preset, checks, f"data:image/png;base64,{_picture(notebook)}", downloads)
    body = html(document(catalogue, figure, [shown], {"scoreboard": f"scoreboard.html#{name}"}))
    report = TEMPLATES.get_template("figure.html.j2").render(title=f"{name}: {figure.title}", body=body)
    write_text(report, catalogue.root / folder / f"{name}.html")


def html(text: str) -> str:
    """Render Markdown with formulas between dollars; the formulas become MathML."""
    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    renderer.use(dollarmath_plugin, double_inline=True, renderer=_formula).use(anchors_plugin, max_level=2)
    return renderer.render(text)


def _formula(text: str, options: dict) -> str:
    return convert(text, display="block" if options["display_mode"] else "inline")


def _picture(notebook: nbformat.NotebookNode) -> str:
    """Return the picture of an executed notebook, a PNG in base64."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    pictures = (output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {}))
    return next(pictures).replace("\n", "")
