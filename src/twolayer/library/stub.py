"""The type stub of `twolayer`, for functions that Python creates at their first use.

python -m twolayer.library.stub > src/twolayer/__init__.pyi
"""

import inspect
import sys

import twolayer
from twolayer.experiments import TASKS
from twolayer.library.describe import signature, variants

_HEADER = """\
# Written by `python -m twolayer.library.stub`.
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, overload

import xarray as xr
from numpy.typing import ArrayLike
"""


def stub() -> str:
    """Return the text of `__init__.pyi`."""
    functions = [name for name in twolayer.__all__ if name in TASKS]
    homes = sorted((twolayer.HOMES[name], name) for name in twolayer.__all__ if name not in TASKS)
    imports = [f"from {home} import {name} as {name}" for home, name in homes]
    parts = [_HEADER, *imports, "", "__version__: str", "__all__: list[str]", ""]
    return "\n".join([*parts, *(declaration(name) for name in functions)])


def declaration(name: str) -> str:
    """Return the declaration of a function for type checkers: signature and first line, one for each of its tasks."""
    tasks = [TASKS[name], *variants(name)]
    return "\n".join("@overload\n" * (len(tasks) > 1) + _declaration(name, task) for task in tasks)


def _declaration(name, task):
    arguments = [_argument(one) for one in signature(task).parameters.values()]
    kinds = [one.kind for one in signature(task).parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        arguments.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    lines = "".join(f"    {argument},\n" for argument in arguments)
    summary = inspect.cleandoc(task.parameters.__doc__).splitlines()[0]
    return f'def {name}(\n{lines}) -> xr.Dataset:\n    """{summary}"""\n'


def _argument(parameter):
    declared = f"{parameter.name}: {parameter.annotation}"
    if parameter.default is not inspect.Parameter.empty:
        simple = isinstance(parameter.default, int | float | str | None)
        declared += f" = {parameter.default!r}" if simple else " = ..."
    return declared.replace("'", '"')


if __name__ == "__main__":
    sys.stdout.write(stub())
