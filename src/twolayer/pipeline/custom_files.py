"""Files of the user that a job reads: samples, images, weights, and the modules of custom code."""

import ast
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from pathlib import Path

from twolayer.dependencies import PACKAGE, module_files
from twolayer.errors import DataError, shown
from twolayer.experiments import TASKS
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.studies.runs import Run

_INSTALLED = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
_LOADERS = ((ExtensionFileLoader, EXTENSION_SUFFIXES), (SourceFileLoader, SOURCE_SUFFIXES))


def custom_files(catalogue: Catalogue, run: Run) -> list[str]:
    """Return the files of the user that a run reads.

    A run that reads a custom generator also imports the generator's module.

    Raises:
        DataError: a file or a module is missing, or its name is not allowed in Snakemake.
    """
    sources = [catalogue.run(run.preset, run.study, name) for name in run.inputs.values()]
    files = _located(run, lambda: [_existing(path) for path in TASKS[run.task].custom_files(run.parameters)])
    for one in (run, *sources):
        files += _located(one, lambda one=one: _module_files(one))
    return list(dict.fromkeys(files))


def _located(run, find):
    """Return the paths that a function finds. Its errors name the entry of a run in the configuration."""
    place = f"config/{run.study}.yaml: {run.family}"
    try:
        files = find()
    except (DataError, OSError) as error:
        raise DataError(f"{place}: {error}") from None
    if braced := [path for path in files if set("{}") & set(path)]:
        raise DataError(
            f"{place}: the path {shown(braced[0])} has a brace, which Snakemake reads as a wildcard: rename the file "
            "or its folder"
        )
    return files


def _module_files(run):
    names = TASKS[run.task].custom_modules(run.parameters)
    return [str(path) for name in names for path in module_paths(name, Path.cwd())]


def _existing(path):
    if not Path(path).exists():
        raise DataError(f"the file {shown(path)} is missing: give an existing file")
    return path


def module_paths(name: str, folder: Path) -> list[Path]:
    """Return the files of a custom module and of the modules that it imports, without importing them.

    Modules that belong to the Python installation are left out, except the named one.

    Args:
        name: "package.module:function".
        folder: the working folder of the jobs, whose modules come first.

    Raises:
        DataError: there is no such module.
    """
    module = name.partition(":")[0]
    chain = _chain(module, folder)
    if len(chain) < len(module.split(".")):
        raise DataError(f"the module {shown(module)} is missing: give a module that can be imported from {folder}")
    found = {}
    for one in chain:
        _add(one, folder, found)
    return [path.relative_to(folder) if path.is_relative_to(folder) else path for path in sorted(found)]


@dataclass(frozen=True)
class _Module:
    """The location of a module.

    Attributes:
        name: its name, with the names of its packages.
        path: its file. A package without `__init__.py` has none.
        places: the folders of its modules, if it is a package.
    """

    name: str
    path: Path | None
    places: tuple[str, ...]

    @property
    def package(self) -> str:
        """The package in which its relative imports start."""
        return self.name if self.places else self.name.rpartition(".")[0]


def _add(module: _Module, folder: Path, found: dict[Path, None]) -> None:
    """Add the file of a module, and the files of all that it imports."""
    if module.path is None or module.path in found:
        return
    found[module.path] = None
    if module.path.suffix != ".py" or _is_installed(module.path):
        return
    for name in _imported(module.path, module.package):
        if name.partition(".")[0] == "twolayer":
            found.update(dict.fromkeys(_package_files(name)))
        else:
            for other in _chain(name, folder):
                if other.path is not None and not _is_installed(other.path):
                    _add(other, folder, found)


def _chain(name: str, folder: Path) -> list[_Module]:
    """Return the locations of a module and of its packages, as far as they exist."""
    chain: list[_Module] = []
    places = (str(folder), *sys.path)
    for part in name.split("."):
        module = _find(".".join([*(one.name for one in chain[-1:]), part]), places)
        if module is None:
            break
        chain.append(module)
        places = module.places
    return chain


def _find(name: str, places: Iterable[str]) -> _Module | None:
    """Find a module in some folders, as Python does, but without importing its package."""
    portions = []  # folders of a package without `__init__.py`, which may have several
    for place in places:
        spec = FileFinder(place, *_LOADERS).find_spec(name)
        if spec is not None and spec.loader is not None:
            return _Module(name, Path(spec.origin), tuple(spec.submodule_search_locations or ()))
        portions += spec.submodule_search_locations if spec is not None else []
    if portions or "." in name:
        return _Module(name, None, tuple(portions)) if portions else None
    # includes built-in modules, and editable installations
    specs = (finder.find_spec(name, None) for finder in sys.meta_path)
    if (spec := next(filter(None, specs), None)) is None:
        return None
    path = Path(spec.origin) if spec.has_location else None
    return _Module(name, path, tuple(spec.submodule_search_locations or ()))


def _is_installed(path: Path) -> bool:
    return any(path.is_relative_to(place) for place in _INSTALLED)


def _package_files(name: str) -> list[Path]:
    """Return the files of a module of this package, or none if no module has this name."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    return module_files(name) if path.is_dir() or path.with_suffix(".py").exists() else []


def _imported(path: Path, package: str) -> Iterator[str]:
    """Yield the names of all modules that a file may import."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # the job that imports the module reports the error
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: 1 - node.level or None] if node.level else []
            base = [*parents, *([node.module] if node.module else [])]
            yield from (".".join([*base, alias.name]) for alias in node.names)
