"""The paper of a figure, from the list of references in `CITATION.cff`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from twolayer.escaping import markdown
from twolayer.pipeline.project import project_file
from twolayer.pipeline.studies.figure_entries import FigureEntry


@dataclass(frozen=True)
class Paper:
    """A paper on arXiv."""

    authors: tuple[str, ...]  # family names
    year: int
    title: str
    arxiv: str

    @property
    def short(self) -> str:
        """The first author and the year, for a caption."""
        others = " et al." if len(self.authors) > 2 else "".join(f" and {name}" for name in self.authors[1:])
        return f"{self.authors[0]}{others} {self.year}"

    @property
    def citation(self) -> str:
        """All authors, year, title and number."""
        return f"{', '.join(self.authors)} ({self.year}). {self.title}. arXiv:{self.arxiv}."

    @property
    def address(self) -> str:
        """The address of its page."""
        return f"https://arxiv.org/abs/{self.arxiv}"


def paper(root: Path, figure: FigureEntry) -> Paper | None:
    """Return the first paper of a figure, which it reproduces or extends, or None if `CITATION.cff` lacks it."""
    return _papers(root / project_file(root, "CITATION.cff")).get(next(iter(figure.papers), ""))


def reproduced(root: Path, figure: FigureEntry) -> Paper | None:
    """Return the paper that has the figure, or that the figure adds to, or None if the figure is beyond the papers."""
    return None if figure.paper_figure.startswith("beyond") else paper(root, figure)


@cache
def _papers(path: Path) -> dict[str, Paper]:
    """Return papers by their keys in `docs/references.bib`, with the first author and the year."""
    if not path.exists():  # true in a working folder of a package that was installed from a wheel
        return {}
    found = {}
    for entry in yaml.safe_load(path.read_text(encoding="utf-8"))["references"]:
        number = entry["identifiers"][0]["value"].removeprefix("arXiv:")
        authors = tuple(author["family-names"] for author in entry["authors"])
        found[f"{authors[0].lower()}{entry['year']}"] = Paper(authors, entry["year"], entry["title"], number)
    return found


def source(root: Path, figure: FigureEntry) -> str:
    """Return the paper figure and its paper: "Refinetti et al. 2021, Figure 1"."""
    return _source(figure.paper_figure, reproduced(root, figure), lambda one: one.short)


def linked_source(root: Path, figure: FigureEntry) -> str:
    """Return the paper figure and its paper in Markdown, with a link to the paper."""
    return _source(
        markdown(figure.paper_figure), reproduced(root, figure), lambda one: f"[{markdown(one.short)}]({one.address})"
    )


def _source(paper_figure: str, of_figure: Paper | None, named: Callable[[Paper], str]) -> str:
    if of_figure is None:
        return paper_figure
    if paper_figure.startswith("addition"):
        return f"{paper_figure} of {named(of_figure)}"
    return f"{named(of_figure)}, {paper_figure}"
