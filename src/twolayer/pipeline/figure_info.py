"""List of figures, and information on each: its files, its runs with their parameters, and the papers to cite."""

import dataclasses
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from twolayer.errors import ConfigError, DataError
from twolayer.experiments import TASKS
from twolayer.parameters import hints_of, to_json
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.project import CLONE
from twolayer.pipeline.report.format import duration
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.pipeline.studies.runs import Run

REFERENCES = Path("docs", "references.bib")
SOFTWARE = "twolayer"  # key of the entry of the project
_LONGEST = 60  # largest number of letters of a value


def catalogue_lines(catalogue: Catalogue, columns: int | None = None) -> Iterator[str]:
    """Yield the lines of the list of figures, by study, each figure with its times and its title.

    Args:
        columns: width of a line, to which long titles are folded; None keeps them in one line.
    """
    figures = catalogue.figures.values()
    name = max(len(figure.name) for figure in figures)

    def row(figure: str, times: Iterable[str], title: str) -> Iterator[str]:
        quick, paper, on_gpu = times
        about = f"{figure:{name}} {quick:>8} {paper:>8} {on_gpu:>8}  "
        first, *rest = textwrap.wrap(title, columns - len(about)) if columns and title else [title]
        yield f"{about}{first}".rstrip()
        yield from (" " * len(about) + part for part in rest)

    def times(of: Iterable[FigureEntry]) -> Iterator[str]:
        runs = {preset: [run for one in of for run in catalogue.figure_runs(one.name, preset)] for preset in PRESETS}
        for preset, on_gpu in (("quick", False), ("paper", False), ("paper", True)):
            yield duration(60 * catalogue.minutes(runs[preset], on_gpu))

    yield from row("figure", ("quick", "paper", "on a GPU"), "title")
    for study in catalogue.studies:
        yield from ("", study)
        for figure in figures:
            if figure.study == study:
                yield from row(figure.name, times([figure]), figure.title)
    yield ""
    yield from row("all", times(list(figures)), "")
    yield "times: at the quick preset, at the paper preset, at the paper preset on a GPU"


def lines(catalogue: Catalogue, name: str, preset: str) -> Iterator[str]:
    """Yield the lines that describe a figure at a preset.

    Raises:
        ConfigError: there is no such figure.
    """
    figure = catalogue.figure(name)
    yield f"{figure.name}: {figure.title}"
    yield ""
    for label, value in _files(catalogue, figure, preset):
        yield f"{label:14} {value}"
    read = catalogue.figure_runs(name, preset)
    for run in read:
        yield from _run_lines(run)
    for run in catalogue.upstream(read):
        if run not in read:
            yield from _run_lines(run, " (input of the runs above)")
    yield ""
    yield "All other parameters have their defaults. `twolayer run TASK --help` lists them."


def _files(catalogue, figure, preset):
    """Yield the files and links for a reader of the figure."""
    papers = ", ".join(figure.papers) or "none"
    yield "paper figure", f"{figure.paper_figure} ({papers})"
    yield "figure", f"{catalogue.folders.figures(preset)}/{figure.name}.pdf"
    yield "parameters", f"config/{figure.study}.yaml"
    yield "notebook", f"workflow/notebooks/{figure.name}.py"
    yield "module", f"{Path('src', *figure.module.split('.'))}.py"
    for name, reference in figure.references.items():
        yield "published", f"{reference['file']} ({name})"


def _run_lines(run: Run, note: str = "") -> Iterator[str]:
    yield ""
    yield f"run {run.name}{note}: task {run.task}, {run.path}"
    defaults = _defaults(TASKS[run.task].parameters)
    for name, value in leaves(json.loads(to_json(run.parameters))):
        if name not in defaults:
            yield f"    {name} = {_text(value)}"
        elif defaults[name] != value:
            yield f"    {name} = {_text(value)}  (default {_text(defaults[name])})"


def leaves(parameters: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield names and values of parameters, with dots if they are nested."""
    for name, value in parameters.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _defaults(parameters: type, prefix: str = "") -> dict[str, Any]:
    """Return the defaults of a class of parameters by the names of `leaves`."""
    found = {}
    for field in dataclasses.fields(parameters):
        hint = hints_of(parameters)[field.name]
        if field.default is not dataclasses.MISSING:
            found |= leaves({field.name: json.loads(to_json(field.default))}, prefix)
        elif dataclasses.is_dataclass(hint):
            found |= _defaults(hint, f"{prefix}{field.name}.")
    return found


def _text(value):
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 5]} ...]"


def entries(path: Path = CLONE / REFERENCES) -> Mapping[str, str]:
    """Return the entries of a BibTeX file by their keys.

    Raises:
        DataError: the file is missing.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): restore it from the repository") from None
    return {found[1]: found[0] for found in re.finditer(r"(?ms)^@\w+\{([^,\s]+),.*?^\}", text)}


def citation(papers: Iterable[str]) -> str:
    """Return the entry of the project and the entries of papers, as one text.

    Args:
        papers: keys in `docs/references.bib`.

    Raises:
        ConfigError: there is no entry with one of the keys.
        DataError: the file is missing.
    """
    known = entries()
    if missing := [key for key in papers if key not in known]:
        raise ConfigError(f"{REFERENCES} has no entry {missing[0]!r}: add one, or correct `papers` of the study")
    return "\n\n".join(known[key] for key in (SOFTWARE, *papers))
