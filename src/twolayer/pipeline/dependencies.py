"""Which files of this package a module is made of: what must rerun when one of them is edited."""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
# A change in these cannot change a number: what runs there are, and with which parameters, reaches a rule through its
# inputs and params; a state is read as it was written; errors are only words.
_WITHOUT_EFFECT = {
    "twolayer",
    "twolayer.pipeline.catalogue",
    "twolayer.checkpoint",
    "twolayer.config",
    "twolayer.errors",
    "twolayer.tasks",
}


def module_files(*modules: str) -> list[Path]:
    """The files of these modules and of all modules of `twolayer` that they import, directly or not.

    Args:
        modules: dotted names, for instance "twolayer.experiments.mixtures.online_sgd".
    """
    found, waiting = {}, list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found and name not in _WITHOUT_EFFECT and not name.startswith("twolayer.config."):
            found[name] = _file(name)
            waiting.extend(_imports(found[name]))
    return sorted(found.values())


def _file(name: str) -> Path:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _imports(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names += [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
    return [name for name in names if name.split(".")[0] == "twolayer" and _file(name).exists()]
