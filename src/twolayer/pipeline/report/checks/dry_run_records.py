"""Records of the dry runs of checks, so that a figure with unchanged files needs no further dry run."""

import contextlib
import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from twolayer.dependencies import PACKAGE, module_files
from twolayer.errors import ResultError
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.project import configuration_folder
from twolayer.pipeline.studies.figure_entries import FigureEntry
from twolayer.storage.files import write_text

_MANY = 20  # number of figures whose dry run takes several seconds


def dry_run_once(
    catalogue: Catalogue, names: Iterable[str] | None = None, meanwhile: Callable[[], object] = lambda: None
) -> None:
    """Run the dry run of the checks of figures, except those that passed it before with the same files.

    Args:
        names: of the figures; by default all.
        meanwhile: starts work that can run at the same time, if the dry run takes long.

    Raises:
        ConfigError: a check uses a run, a variable or a coordinate that will not exist.
    """
    note = catalogue.root / "results" / ".dry_run_records"
    known = set()
    with contextlib.suppress(OSError):  # there is no record yet, or it belongs to another user
        known = set(note.read_text(errors="replace").split()) if note.is_file() else known
    modules = [Path(__file__), Path(__file__).with_name("dry_run_of_checks.py")]
    common = _digest([*PACKAGE.glob("experiments/**/parameters.py"), *PACKAGE.glob("results/**/*.py"), *modules])
    figures = catalogue.figures if names is None else {name: catalogue.figures[name] for name in names}
    states = {name: _state(catalogue, figure, common) for name, figure in figures.items()}
    if unknown := [figure for name, figure in figures.items() if states[name] not in known]:
        if len(unknown) > _MANY:
            meanwhile()
        from twolayer.pipeline.report.checks.dry_run_of_checks import (
            dry_run,  # imports also all modules of checks, which takes a second
        )

        dry_run(catalogue, unknown)
    current = set(filter(None, states.values()))
    if len(figures) < len(catalogue.figures):
        current |= known
    if known != current:
        with contextlib.suppress(ResultError):  # in a folder of another user, they are computed again the next time
            write_text("\n".join(sorted(current)), note)


def _state(catalogue: Catalogue, figure: FigureEntry, common: str) -> str | None:
    """Return a digest of the sources of a figure's checks and of their placeholders; None if a module cannot be
    read."""
    configured = configuration_folder(catalogue.root)
    files = [configured / "config" / f"{name}.yaml" for name in ("config", figure.study)]
    files += [catalogue.root / reference["file"] for reference in figure.references.values()]
    try:
        return _digest([*files, *module_files(figure.module)], common + figure.name)
    except (OSError, SyntaxError):
        return None


def _digest(files: Iterable[Path], more: str = "") -> str:
    digest = hashlib.sha256(more.encode())
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()
