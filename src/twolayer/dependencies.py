"""Which files of this package a module is made of: what must rerun when one of them is edited."""

import ast
import hashlib
import os
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

_PACKAGE = Path(__file__).parent
# A change in these cannot change a number: what runs there are, and with which parameters, reaches a rule through its
# inputs and params; a state is read as it was written; errors are only words.
_WITHOUT_EFFECT = {
    "twolayer",
    "twolayer.catalogue",
    "twolayer.checkpoint",
    "twolayer.config",
    "twolayer.errors",
    "twolayer.tasks",
}


def module_files(*modules: str) -> list[Path]:
    """The files of these modules and of all modules of `twolayer` that they import, directly or not.

    Args:
        modules: dotted names, for instance "twolayer.experiments.online_sgd".
    """
    found, waiting = {}, list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found and name not in _WITHOUT_EFFECT and not name.startswith("twolayer.config."):
            found[name] = _file(name)
            waiting.extend(_imports(found[name]))
    return sorted(found.values())


def fingerprint(files: list[Path]) -> str:
    """A name for the contents of these files together."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_compiled_code() -> None:
    """Let numba keep what it compiles in a folder named after the contents of the modules that it compiles.

    numba looks only at the file that a compiled function stands in, not at what that function calls in other files:
    with one folder for ever, an edit of `activations` would go unnoticed. Has to be called before numba is imported.
    """
    folders = ("model", "theory", "simulation")
    name = fingerprint([path for folder in folders for path in sorted((_PACKAGE / folder).glob("*.py"))])
    os.environ["NUMBA_CACHE_DIR"] = str(user_cache_path("twolayer") / "numba" / name)


def _file(name: str) -> Path:
    path = _PACKAGE.parent.joinpath(*name.split("."))
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
