"""Pages of the site that are generated from the gallery, the notebooks and the configuration: one for each figure."""

from pathlib import Path

import nbformat

from twolayer import io
from twolayer.escaping import markdown
from twolayer.pipeline.catalogue import Catalogue, FigureEntry
from twolayer.pipeline.report import gallery
from twolayer.pipeline.report.checks.summary import overview
from twolayer.pipeline.report.gallery import GalleryEntry, badge
from twolayer.pipeline.report.notebooks import clean
from twolayer.pipeline.report.website import tutorial
from twolayer.pipeline.report.website.figure_document import Shown, document, read_notebook
from twolayer.pipeline.report.website.papers import source
from twolayer.pipeline.report.website.parameters_list import configuration

_GALLERY = "../gallery"  # from the folder of the pages


def write(catalogue: Catalogue, folder: Path) -> None:
    """Write the page of each figure, its downloads, a list of all pages, and a summary for the start page.

    Args:
        folder: the folder of the pages. The gallery is the folder `gallery` next to it.
    """
    entries = {name: gallery.at_presets(catalogue, folder.parent / "gallery", name) for name in catalogue.figures}
    for name, at_presets in entries.items():
        figure = catalogue.figure(name)
        _write(folder / f"{name}.ipynb", nbformat.writes(clean(read_notebook(catalogue.root, name))) + "\n")
        _write(folder / f"{name}.yaml.txt", configuration(catalogue, figure))
        shown = [_shown(one, folder) for one in at_presets]
        downloads = {"Notebook": f"{name}.ipynb", "Configuration of the runs (YAML)": f"{name}.yaml.txt"}
        _write(folder / f"{name}.md", document(catalogue, figure, shown, downloads))
    tutorial.write(catalogue.root, folder)
    _write(folder / "index.md", _index(catalogue, entries))
    best = {name: found[0].summary for name, found in entries.items() if found}
    _write(folder / "summary.md", overview(best, lambda name: f"[{name}](/figures/{name}.md)") + "\n")


def _write(path, text):
    """Write a file unless it has this text, so that Sphinx does not read the page again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        io.write_text(text, path)


def _shown(one: GalleryEntry, folder: Path) -> Shown:
    downloads = {
        "Curves": ("curves.zip", "CSV, zipped"),
        "Checks": ("json", "JSON"),
        "Picture": ("png", "PNG"),
    }
    addresses = {
        f"{label} at the {one.preset} preset ({form})": f"{_GALLERY}/{one.path(ending)}"
        for label, (ending, form) in downloads.items()
        if (folder.parent / "gallery" / one.path(ending)).exists()
    }
    remark = "" if one.current else "The modules behind this figure have changed since."
    if one.brief:
        remark = f"Generators of images were trained for a shorter time than the authors' ones. {remark}".strip()
    animations = {path.stem: f"{_GALLERY}/{path}" for path in one.animations}
    return Shown(
        one.preset, one.figure_checks, f"{_GALLERY}/{one.path('png')}", addresses, remark, animations, one.brief
    )


def _index(catalogue: Catalogue, entries: dict[str, list[GalleryEntry]]) -> str:
    """The list of all pages: a table, and the entries of the side bar."""
    best = {name: found[0].summary for name, found in entries.items() if found}
    lines = ["# Pages of the figures", "", overview(best, lambda name: f"[{name}]({name}.md)"), ""]
    lines += ["The [tutorial notebook](tutorial.md) uses the library without the workflow.", ""]
    lines += ["| figure | status | title and paper figure |", "|---|---|---|"]
    lines += [_row(catalogue, catalogue.figure(name), found) for name, found in entries.items()]
    toctree = ["```{toctree}", ":hidden:", ":maxdepth: 1", "", "Tutorial notebook <tutorial>"]
    toctree += [*(f"{name} <{name}>" for name in entries), "```", ""]
    return "\n".join([*lines, "", *toctree])


def _row(catalogue: Catalogue, figure: FigureEntry, found: list[GalleryEntry]) -> str:
    status = badge(found[0].summary.status) if found else "not stored"
    title = f"{markdown(figure.title)} ({markdown(source(catalogue.root, figure))})"
    return f"| [{figure.name}]({figure.name}.md) | {status} | {title} |"
