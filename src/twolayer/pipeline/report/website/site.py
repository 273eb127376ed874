"""Pages of the site that are generated from the gallery, the notebooks and the configuration: one page for each
figure."""

from pathlib import Path
from zipfile import ZipFile

import nbformat

from twolayer.escaping import markdown
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.figure_info import citation
from twolayer.pipeline.report import gallery
from twolayer.pipeline.report.checks.summary import overview
from twolayer.pipeline.report.format import markdown_table
from twolayer.pipeline.report.gallery import GalleryEntry
from twolayer.pipeline.report.gallery_markdown import badge, titled
from twolayer.pipeline.report.notebooks import clean
from twolayer.pipeline.report.website import tutorial
from twolayer.pipeline.report.website.figure_document import Shown, document, read_notebook
from twolayer.pipeline.report.website.parameters_list import configuration
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.storage.files import write_text

_GALLERY = "../gallery"  # relative to the folder of the pages
_ON_START_PAGE = ("fig1", "fig11", "fig25", "fig22", "fig33", "fig40")


def write(catalogue: Catalogue, folder: Path) -> None:
    """Write the page of each figure, its downloads, a list of all pages, and a summary and pictures for the start page.

    Args:
        folder: the folder of the pages. The gallery is the folder `gallery` next to it.
    """
    entries = {name: gallery.at_presets(catalogue, folder.parent / "gallery", name) for name in catalogue.figures}
    for name, at_presets in entries.items():
        figure = catalogue.figure(name)
        _write(folder / f"{name}.ipynb", nbformat.writes(clean(read_notebook(catalogue.root, name))) + "\n")
        _write(folder / f"{name}.yaml.txt", configuration(catalogue, figure))
        shown = [_shown(one, folder) for one in at_presets]
        _write(folder / f"{name}.bib", citation(figure.papers) + "\n")
        downloads = {
            "notebook": f"{name}.ipynb",
            "configuration of the runs (YAML)": f"{name}.yaml.txt",
            "citation (BibTeX)": f"{name}.bib",
        }
        _write(folder / f"{name}.md", document(catalogue, figure, shown, downloads))
    tutorial.write(catalogue.root, folder)
    _write(folder / "index.md", _index(catalogue, entries))
    best = {name: found[0].summary for name, found in entries.items() if found}
    summary = overview(best, lambda name: f"[{name}](/figures/{name}.md)")
    _write(folder / "summary.md", summary + "\n")
    _write(folder / "pictures.md", "\n".join(_pictures(entries)))


def _pictures(entries: dict[str, list[GalleryEntry]]) -> list[str]:
    """Pictures for the start page, each a link to the page of its figure."""
    lines = ["```{container} figures-strip"]
    for name in _ON_START_PAGE:
        for one in entries.get(name, [])[:1]:
            title = markdown(one.figure.title)
            picture = f"![{title}, {one.preset} preset](/gallery/{one.path('png')})"
            lines += [f"[{picture} {title}](/figures/{name}.md)", ""]
    return [*lines, "```", ""]


def _write(path, text):
    """Write a file unless it has this text, so that Sphinx does not read the page again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_text(text, path)


def _shown(one: GalleryEntry, folder: Path) -> Shown:
    gallery_folder = folder.parent / "gallery"
    stored = {"PDF": "pdf", "PNG": "png"}
    packed = {"SVG": "svg.zip", "curves as CSV": "curves.zip"}
    addresses = {form: f"{_GALLERY}/{one.path(ending)}" for form, ending in stored.items()}
    addresses |= {form: _unpacked(gallery_folder / one.path(ending), folder) for form, ending in packed.items()}
    addresses["checks as JSON"] = f"{_GALLERY}/{one.path('json')}"
    addresses = {form: address for form, address in addresses.items() if (folder / address).is_file()}
    remark = "" if one.current else "The modules of this figure have changed since."
    if one.brief:
        remark = f"Generators of images were trained for a shorter time than the authors' generators. {remark}".strip()
    animations = {path.stem: f"{_GALLERY}/{path}" for path in one.animations}
    return Shown(
        one.preset, one.figure_checks, f"{_GALLERY}/{one.path('png')}", addresses, remark, animations, one.brief
    )


def _unpacked(archive: Path, folder: Path) -> str:
    """Write the file of an archive of the gallery to the folder of the pages; return its name, "" without archive."""
    if not archive.exists():
        return ""
    with ZipFile(archive) as opened:
        (name,) = opened.namelist()
        _write(folder / name, opened.read(name).decode())
    return name


def _index(catalogue: Catalogue, entries: dict[str, list[GalleryEntry]]) -> str:
    """Return the list of all pages: a table, and the entries of the side bar."""
    best = {name: found[0].summary for name, found in entries.items() if found}
    lines = ["# Pages of the figures", "", overview(best, lambda name: f"[{name}]({name}.md)"), ""]
    lines += ["The [tutorial notebook](tutorial.md) uses the library without the workflow.", ""]
    rows = (_row(catalogue, catalogue.figure(name), found) for name, found in entries.items())
    lines += markdown_table("figure | status | title and paper figure", rows)
    toctree = ["```{toctree}", ":hidden:", ":maxdepth: 1", "", "Tutorial notebook <tutorial>"]
    toctree += [*(f"{name} <{name}>" for name in entries), "```", ""]
    return "\n".join([*lines, "", *toctree])


def _row(catalogue: Catalogue, figure: FigureEntry, found: list[GalleryEntry]) -> tuple[str, str, str]:
    status = badge(found[0].summary.status) if found else "not stored"
    return f"[{figure.name}]({figure.name}.md)", status, titled(catalogue.root, figure)
