"""The files of this package on which a module depends. An edit of one of them makes the module's results outdated."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent
# Changes in these modules do not change a number. They store and check states, define errors and meanings of variables,
# and separate compiled code by its sources.
_WITHOUT_EFFECT = {
    "twolayer",
    "twolayer.storage.checkpoint",
    "twolayer.compiled",
    "twolayer.errors",
    "twolayer.experiments",
    "twolayer.parameters",
    "twolayer.pipeline.catalogue",
    "twolayer.pipeline.studies.figure_entries",
    "twolayer.pipeline.studies.runs",
    "twolayer.progress",
    "twolayer.results.layout",
    "twolayer.results.vocabulary",
    "twolayer.storage.checksums",
    "twolayer.experiments.tasks",
}


def module_files(*modules: str) -> list[Path]:
    """Return the files of these modules and of all modules of `twolayer` that they import, directly or not.

    Modules of parameters are followed but left out: a rule gets their values by its params, and they import the modules
    that compute.

    Args:
        modules: dotted names, for instance "twolayer.experiments.mixtures.online_sgd".
    """
    found, waiting = {}, list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found and name not in _WITHOUT_EFFECT:
            found[name] = _file(name)
            waiting.extend(_imports(found[name]))
    return sorted(path for name, path in found.items() if not name.endswith(".parameters"))


@cache
def _file(name: str) -> Path:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _imports(path: Path) -> list[str]:
    names = []
    for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names += [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
    return [name for name in names if name.split(".")[0] == "twolayer" and _file(name).exists()]


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements of a module, at any depth, without the expressions, which cannot import."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for statement in getattr(node, block, ()):
            yield statement
            yield from _statements(statement)
