"""Figures for those who run nothing: pictures with their check results, and where both come from.

A figure of the gallery says by a digest which modules it and its results were made from, so that the page can say of
each whether it is of the program as it stands.
"""

import ast
import hashlib
import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from types import MappingProxyType

from twolayer import io
from twolayer.errors import ResultError, TwolayerError
from twolayer.escaping import markdown
from twolayer.experiments import TASKS
from twolayer.pipeline.catalogue import Catalogue, FigureEntry
from twolayer.pipeline.dependencies import PACKAGE, module_files
from twolayer.pipeline.report import check_results
from twolayer.pipeline.report.format import duration
from twolayer.pipeline.report.summary import sentence
from twolayer.storage.attributes import GIT_COMMIT
from twolayer.storage.checksums import json_of_checksummed, json_with_checksum

FOLDER = Path("docs", "gallery")
_DPI, _COLOURS = 110, 64  # all figures together are under 6 MB
_UNKNOWN = "unknown"  # commit of a program without its repository; digest of modules that are not to be had
_OF_WHAT = ("preset", "generators", "modules")  # it is made, see `GalleryEntry` and `Catalogue`
_REMEDY = "make it anew with `twolayer gallery`"


@dataclass(frozen=True)
class GalleryEntry:
    """A figure of the gallery.

    Attributes:
        scale: of its results. brief: whether a generator among them was trained for a short time.
        modules: digest of what it was made from.
        current: whether it would be made from the same today.
    """

    figure: FigureEntry
    figure_checks: check_results.FigureChecks
    preset: str
    brief: bool
    modules: str
    current: bool

    @property
    def size(self) -> str:
        """The scale, for readers."""
        return self.preset + (", reduced trainings" if self.brief else "")


def write(catalogue: Catalogue, preset: str, folder: Path) -> dict[str, str]:
    """Write picture and check results of each figure whose results of a preset exist, and the page of all of them.

    One that is there at the paper preset does not give way to its quick version.

    Returns: name of each figure that could not be shown anew -> why.
    """
    left_out = {}
    known = {one.figure.name: one.preset for one in entries(catalogue, folder)}
    for name in catalogue.figures:
        try:
            if (preset, known.get(name)) == ("quick", "paper"):
                raise ResultError("it is there at the paper preset")
            _show(catalogue, name, preset, folder)
        except TwolayerError as error:
            left_out[name] = str(error)
    io.write_text(page(entries(catalogue, folder)), folder / "README.md")
    return left_out


def _show(catalogue, name, preset, folder):
    from twolayer.pipeline.report.figure_page import Page  # which loads matplotlib

    evidence = check_results.open_evidence(catalogue, name, preset, strict=True)
    shown = Page(catalogue, catalogue.figure(name), evidence)
    io.write_bytes(_reduced(shown.picture(_DPI)), folder / f"{name}.png")
    modules = made_from(catalogue, name, preset, _commits(catalogue, name, preset))
    of_what = {"preset": preset, "generators": catalogue.generators, "modules": modules}
    body = json.dumps({**of_what, **asdict(shown.figure_checks)}, indent=1)
    io.write_text(json_with_checksum(body), folder / f"{name}.json")


def _reduced(picture):
    """A PNG with few colours."""
    written = BytesIO()
    picture.quantize(_COLOURS).save(written, format="png", optimize=True)
    return written.getvalue()


def entries(catalogue: Catalogue, folder: Path) -> list[GalleryEntry]:
    """The figures in a folder, as the catalogue orders them.

    Raises:
        ResultError: what is there is damaged.
    """
    found, catalogues = [], {catalogue.generators: catalogue}
    for name, figure in catalogue.figures.items():
        path = folder / f"{name}.json"
        if path.exists():
            about = json.loads(json_of_checksummed(io.read_bytes(path), f"gallery file {path}", _REMEDY))
            if not set(_OF_WHAT) <= set(about):
                raise ResultError(f"gallery file {path} does not say what it was made from: {_REMEDY}")
            preset, generators, modules = (about[key] for key in _OF_WHAT)
            if generators not in catalogues:
                catalogues[generators] = Catalogue.load(catalogue.root, {"generators": generators}, {})
            then = catalogues[generators]
            brief = any(run.unabridged for run in then.upstream(then.figure_runs(name, preset)))
            current = modules == made_from(then, name, preset)
            found.append(GalleryEntry(figure, check_results.read(path), preset, brief, modules, current))
    return found


def _commits(catalogue, name, preset):
    """Run -> commit of the program that made its result, of all results that a figure rests on and that are there."""
    runs = catalogue.upstream(catalogue.figure_runs(name, preset))
    paths = {run.name: catalogue.root / run.path for run in runs}
    return {name: io.read(path).attrs["git_commit"] for name, path in paths.items() if path.exists()}


def made_from(catalogue: Catalogue, name: str, preset: str, commits: Mapping[str, str] = MappingProxyType({})) -> str:
    """A digest of the modules that draw and check a figure and of those that make its results, without their comments.

    Args:
        commits: run -> commit of the program that made its result; where the modules of its task were others then, the
            digest is theirs.
    """
    figure, runs = catalogue.figure(name), catalogue.upstream(catalogue.figure_runs(name, preset))
    drawn = _digest(module_files(figure.module), current_text)
    made = _digest(module_files(*sorted({TASKS[run.task].module for run in runs})), current_text)
    for module, commit in sorted({(TASKS[run.task].module, commits[run.name]) for run in runs if run.name in commits}):
        files = module_files(module)
        then = _digest(files, lambda path, commit=commit: text_at(path, commit))
        if then == _UNKNOWN:
            return _UNKNOWN
        if then != _digest(files, current_text):
            made += then
    return hashlib.sha256(f"{drawn} {made}".encode()).hexdigest()[:16]


def _digest(files: list[Path], read: Callable[[Path], str | None]) -> str:
    digest = hashlib.sha256()
    for path in files:
        text = read(path)
        if text is None:
            return _UNKNOWN
        digest.update(f"{path.relative_to(PACKAGE)} {code_of(text)}\n".encode())
    return digest.hexdigest()


@cache  # figures share most of their modules
def code_of(text: str) -> str:
    """What a module does, without what it says of that."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        first = node.body[0] if isinstance(getattr(node, "body", None), list) and node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            first.value.value = ""
    return ast.dump(tree)


def current_text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def text_at(path: Path, commit: str) -> str | None:
    """A module at a commit, None where that is not to be had; where no repository was known, as it is."""
    if commit == _UNKNOWN:
        return current_text(path)
    if not GIT_COMMIT.fullmatch(commit):  # git would take another word for an option, or for another place
        return None
    name = f"{commit.removesuffix('-dirty')}:./{path.name}"
    done = subprocess.run(["git", "-C", path.parent, "show", "--end-of-options", name], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def page(shown: list[GalleryEntry]) -> str:
    """The page over the figures of a gallery, in Markdown."""
    intro = [
        "# Gallery",
        "",
        "Figures at the paper preset, or at the quick one where that has not been run, as they were made, with their",
        "check results (the JSON beside each), the time that their results took, one after the other, and the machine.",
        "`twolayer gallery` makes this page and what is on it from the results that are there. A figure that was",
        "**made before** the modules that it rests on were last changed says so. Short trainings are those of",
        "generators, where the published ones were not at hand (`generators: brief` in `config/config.yaml`).",
        "",
    ]
    if not shown:
        return "\n".join([*intro, "No figure has been put here yet.", ""])
    table = ["| figure | scale | of the current program | results | machine | made |", "|---|---|---|---|---|---|"]
    table += [
        f"| [{one.figure.name}](#{one.figure.name}) | {one.size} | {'yes' if one.current else 'no'} | {_spent(one)} "
        f"| {markdown(', '.join(one.figure_checks.made.machines))} | {markdown(one.figure_checks.made.last)} |"
        for one in shown
    ]
    parts = [part for one in shown for part in ("", *_part(one))]
    return "\n".join([*intro, *table, *parts, ""])


def _spent(one: GalleryEntry) -> str:
    made = one.figure_checks.made
    return f"{made.runs} in {duration(made.seconds)}"


def _part(one: GalleryEntry) -> list[str]:
    name, made = one.figure.name, one.figure_checks.made
    paper_figure, title = markdown(one.figure.paper_figure), markdown(one.figure.title)
    lines = [f"## {name}", "", f"{paper_figure} of `{one.figure.study}`: {title}.", ""]
    if not one.current:
        when, commits = markdown(made.last), markdown(", ".join(made.commits))
        lines += [f"**made before** its modules were last changed, on {when} by {commits}.", ""]
    return [*lines, sentence(name, one.figure_checks.outcomes) + ".", "", f"![{name}]({name}.png)"]
