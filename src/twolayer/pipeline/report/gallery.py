"""The gallery of figures: pictures, curves and check results with their origin, for readers without results.

The files of the paper preset are in `docs/gallery/`, the files of the quick preset in `docs/gallery/quick/`. Each file
contains a digest of the modules of a figure. So a page can state whether the program has changed since.
"""

import ast
import hashlib
import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from twolayer import io
from twolayer.dependencies import PACKAGE, module_files
from twolayer.errors import ResultError, TwolayerError
from twolayer.experiments import TASKS
from twolayer.pipeline.catalogue import PRESETS, Catalogue
from twolayer.pipeline.report.checks import check_results
from twolayer.pipeline.report.checks.summary import Summary
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.storage.attributes import GIT_COMMIT
from twolayer.storage.checksums import json_of_checksummed, json_with_checksum
from twolayer.storage.files import write_bytes, write_text

FOLDER = Path("docs", "gallery")
_DPI, _COLOURS = 110, 64  # all figures of a preset together are under 3 MB
_DIGITS = 6  # digits of a number of a curve
_QUALITY = 60  # quality of animations, from 0 to 100
_UNKNOWN = "unknown"  # commit of a program without its repository; digest of modules that are not available
_OF_WHAT = ("preset", "generators", "modules")  # the origin of an entry, see `GalleryEntry` and `Catalogue`
_REMEDY = "make it again with `twolayer gallery`"


@dataclass(frozen=True)
class GalleryEntry:
    """A figure of the gallery at one preset.

    Attributes:
        preset: preset of its results. brief: whether a generator among them was trained for a short time.
        modules: digest of the modules of the figure.
        current: whether the modules still have this digest.
        animations: files of its animations, relative to the gallery.
        generators: the setting of its results, or an empty text if its runs are the runs of the setting in
            `config/config.yaml`.
    """

    figure: FigureEntry
    figure_checks: check_results.FigureChecks
    preset: str
    brief: bool
    modules: str
    current: bool
    animations: tuple[Path, ...] = ()
    generators: str = ""

    @property
    def size(self) -> str:
        """The preset, for readers."""
        return self.preset + (", reduced trainings" if self.brief else "")

    @cached_property
    def summary(self) -> Summary:
        """The summary of the check results."""
        return Summary.of(self.figure_checks.outcomes)

    def path(self, ending: str) -> Path:
        """Return a file of this figure, relative to the gallery.

        Args:
            ending: the end of its name: "png", "json", "pdf", "svg.zip" or "curves.zip".
        """
        return _place(self.figure.name, self.preset, ending)


def _place(name: str, preset: str, ending: str) -> Path:
    return Path("" if preset == "paper" else preset, f"{name}.{ending}")


def write(catalogue: Catalogue, preset: str, folder: Path) -> dict[str, str]:
    """Write picture, curves and check results of each figure whose results of a preset exist.

    Returns: name of each figure without a new entry -> reason.
    """
    left_out = {}
    for name in catalogue.figures:
        try:
            _show(catalogue, name, preset, folder)
        except TwolayerError as error:
            left_out[name] = str(error)
    return left_out


def _show(catalogue, name, preset, folder):
    from twolayer.pipeline.report.figure_data import as_csv  # loads matplotlib
    from twolayer.pipeline.report.figure_page import Page

    evidence = check_results.open_evidence(catalogue, name, preset, strict=True)
    shown = Page(catalogue, catalogue.figure(name), evidence)
    files = shown.files(_DPI)
    texts = {"curves.zip": (f"{name}-{preset}.csv", as_csv(files.curves, _DIGITS).encode())}
    texts["svg.zip"] = (f"{name}-{preset}.svg", files.svg)
    written = {"png": _reduced(files.picture), "pdf": files.pdf}
    written |= {ending: _zipped(*content) for ending, content in texts.items()}
    for ending, content in written.items():
        write_bytes(content, folder / _place(name, preset, ending))
    for animation in catalogue.figure(name).animations:
        made = catalogue.root / catalogue.folders.figures(preset) / f"{animation}.gif"
        if made.exists():
            write_bytes(_as_webp(made), folder / _place(animation, preset, "webp"))
    modules = made_from(catalogue, name, preset, _commits(catalogue, name, preset))
    of_what = {"preset": preset, "generators": catalogue.generators, "modules": modules}
    body = json.dumps({**of_what, **asdict(shown.figure_checks)}, indent=1)
    write_text(json_with_checksum(body), folder / _place(name, preset, "json"))


def _as_webp(gif):
    """Return an animation in a third of the bytes."""
    from PIL import Image

    written = BytesIO()
    with Image.open(gif, formats=["GIF"]) as animation:
        animation.save(written, format="WEBP", save_all=True, quality=_QUALITY)
    return written.getvalue()


def _zipped(name, content):
    """Return an archive of one file, with the same bytes for the same content."""
    written = BytesIO()
    with ZipFile(written, "w") as archive:
        archive.writestr(ZipInfo(name), content, ZIP_DEFLATED, 9)
    return written.getvalue()


def _reduced(picture):
    """Return a PNG with few colours."""
    written = BytesIO()
    picture.quantize(_COLOURS).save(written, format="png", optimize=True)
    return written.getvalue()


def entries(catalogue: Catalogue, folder: Path) -> list[GalleryEntry]:
    """Return the figures in a folder, in the order of the catalogue: at the paper preset, or else at the quick preset.

    Raises:
        ResultError: a file in the folder is damaged.
    """
    found = (next(iter(at_presets(catalogue, folder, name)), None) for name in catalogue.figures)
    return [one for one in found if one is not None]


def at_presets(catalogue: Catalogue, folder: Path, name: str) -> list[GalleryEntry]:
    """Return a figure at each preset for which the folder has it, the paper preset first.

    Raises:
        ResultError: a file in the folder is damaged.
    """
    paths = {preset: folder / _place(name, preset, "json") for preset in PRESETS}
    return [_entry(catalogue, name, preset, path) for preset, path in paths.items() if path.exists()]


def _entry(catalogue, name, preset, path):
    about = json.loads(json_of_checksummed(io.read_bytes(path), f"gallery file {path}", _REMEDY))
    if not set(_OF_WHAT) <= set(about) or about["preset"] != preset:
        raise ResultError(f"gallery file {path} lacks the digest of its modules: {_REMEDY}")
    then = _with_generators(catalogue, about["generators"])
    runs, default = (of.upstream(of.figure_runs(name, preset)) for of in (then, _loaded(catalogue.root)))
    brief = any(run.unabridged for run in runs)
    generators = "" if runs == default else about["generators"]
    current = about["modules"] == made_from(then, name, preset)
    made, figure = check_results.read(path), catalogue.figure(name)
    gallery = path.parent if preset == "paper" else path.parent.parent
    animations = tuple(filter(None, (_animation(gallery, animation, preset) for animation in figure.animations)))
    return GalleryEntry(figure, made, preset, brief, about["modules"], current, animations, generators)


def _animation(gallery, name, preset):
    """Return the file of an animation at a preset, or else at the quick preset, or None if there is none."""
    places = (_place(name, shown, "webp") for shown in (preset, "quick"))
    return next((place for place in places if (gallery / place).exists()), None)


def _with_generators(catalogue, generators):
    """Return the catalogue with the generators of a stored figure."""
    return catalogue if generators == catalogue.generators else _loaded(catalogue.root, generators)


@cache
def _loaded(root, generators=None):
    """Return the catalogue with a setting of generators, by default with the setting in `config/config.yaml`."""
    return Catalogue.load(root, {"generators": generators} if generators else {}, {})


def _commits(catalogue, name, preset):
    """Return run -> commit of the program that computed its result, for the existing results of a figure."""
    runs = catalogue.upstream(catalogue.figure_runs(name, preset))
    paths = {run.name: catalogue.root / run.path for run in runs}
    return {name: io.read(path).attrs["git_commit"] for name, path in paths.items() if path.exists()}


def made_from(catalogue: Catalogue, name: str, preset: str, commits: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a digest of the modules that draw and check a figure or compute its results, without their comments.

    Args:
        commits: run -> commit of the program that computed its result; if the modules of its task were different then,
            the digest is computed from the old modules.
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
    """Return the code of a module without docstrings and comments."""
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
    """Return the text of a module at a commit, or None if it is not available; without a known repository, the current
    text.
    """
    if commit == _UNKNOWN:
        return current_text(path)
    if not GIT_COMMIT.fullmatch(commit):  # git would read another text as an option, or as another place
        return None
    name = f"{commit.removesuffix('-dirty')}:./{path.name}"
    done = subprocess.run(["git", "-C", path.parent, "show", "--end-of-options", name], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None
