"""The files of this package that a module depends on: an edit of one of them makes its results stale."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
# A change in these cannot change a number: a state is read as it was written, damage is refused, errors and the
# meanings of variables are only words, and compiled code is kept apart by what it was compiled from.
_WITHOUT_EFFECT = {
    "twolayer",
    "twolayer.storage.checkpoint",
    "twolayer.compiled",
    "twolayer.errors",
    "twolayer.experiments",
    "twolayer.parameters",
    "twolayer.pipeline.catalogue",
    "twolayer.progress",
    "twolayer.results.layout",
    "twolayer.results.vocabulary",
    "twolayer.storage.checksums",
    "twolayer.experiments.tasks",
}


def module_files(*modules: str) -> list[Path]:
    """The files of these modules and of all modules of `twolayer` that they import, directly or not.

    The parameters of tasks are passed through but left out: their values reach a rule by its params, and they import
    what they compute.

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
    """All statements of a module, at any depth, without the expressions, in which nothing is imported."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for statement in getattr(node, block, ()):
            yield statement
            yield from _statements(statement)
