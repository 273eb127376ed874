"""Functions of the library: one function for each task, with the parameters, the defaults and the result of the task.

Inputs and classes (`mixture, student, schedule`) come in this order, and all other arguments by name. If the parameters
of a task include the geometry of a mixture, sigma and dimension, its function takes a mixture with all three. A
function may run several tasks; the type of its first argument selects the task.
"""

import inspect
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_origin

import xarray as xr

from twolayer.errors import ConfigError, shown
from twolayer.experiments import TASKS
from twolayer.experiments.digests import digests_of, origin_of
from twolayer.experiments.tasks import Task
from twolayer.extras import needing_extras
from twolayer.io import made_by
from twolayer.library.describe import description, signature, variants
from twolayer.library.function_inputs import (
    check_indices,
    read_folder,
    read_input,
    suits,
    unaltered,
)
from twolayer.library.mixture import mixture_parameters
from twolayer.parameters import hints_of, read_array, to_json
from twolayer.storage.checkpoint import Checkpoint, NoCheckpoint
from twolayer.storage.files import limited_to


def function_of(name: str) -> Callable[..., xr.Dataset]:
    """Return the function of a task."""
    task = TASKS[name]

    def call(*values, **named):
        start = time.perf_counter()
        with needing_extras(name), _named_in_errors(name):
            chosen = _chosen(task, values, named)
            given = _bound(chosen, values, named)
            parameters = _parameters(chosen, given)
            inputs = _inputs(chosen, given, parameters)
        with limited_to(given.get("largest_gb")):
            digests = digests_of(chosen, parameters, inputs)
            kept = _checkpoint(chosen, parameters, digests, given.get("checkpoint"))
            result = chosen.run(parameters, **inputs, **kept)
        for checkpoint in kept.values():
            checkpoint.remove()
        return made_by(result, chosen.name, to_json(parameters), time.perf_counter() - start, digests)

    call.__name__ = call.__qualname__ = name
    call.__module__ = "twolayer"
    call.__doc__ = description(task) if sys.flags.optimize < 2 else None  # `python -OO` has no docstrings
    call.__signature__ = signature(task)
    return call


def __getattr__(name: str) -> Callable[..., xr.Dataset]:
    if name not in TASKS:
        raise AttributeError(f"module 'twolayer' has no attribute {name!r}, and there is no task of that name")
    return function_of(name)


@contextmanager
def _named_in_errors(name):
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None


def _chosen(task, values, named):
    """Return the task that a function runs: its own task, or another task whose first input is given."""
    for other in variants(task.name):
        role = next(iter(other.inputs))
        if suits(other, role, values[0] if values else named.get(role)):
            return other
    return task


def _bound(task: Task, values: tuple, named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given arguments by their names.

    Raises:
        ConfigError: an argument is unknown, missing, or given twice.
    """
    arguments = signature(task).parameters
    order = [name for name, one in arguments.items() if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    if len(values) > len(order):
        raise ConfigError(f"{len(values)} arguments have no name: only {', '.join(order) or 'none'} may be positional")
    given = dict(zip(order, values, strict=False))
    if twice := sorted(given.keys() & named.keys()):
        raise ConfigError(f"{twice[0]} is given twice: give it once")
    given |= named
    if unknown := sorted(given.keys() - arguments.keys()):
        raise ConfigError(f"unknown argument {unknown[0]!r}: allowed are {', '.join(arguments)}")
    required = [name for name, one in arguments.items() if one.default is inspect.Parameter.empty]
    if missing := [name for name in required if name not in given]:
        raise ConfigError(f"the argument {missing[0]!r} is missing: required are {', '.join(required)}")
    return given


def _parameters(task, given):
    """Return the parameters of the task; the mixture defines parameters that are not given."""
    hints = hints_of(task.parameters)
    values = {name: value for name, value in given.items() if name in hints}
    if "geometry" not in hints:
        return task.parameters(**values)
    stated = mixture_parameters(given["mixture"], hints)
    if get_origin(hints.get("sigma")) is tuple:
        stated["sigma"] = (stated["sigma"],)
    return task.parameters(**stated | {name: value for name, value in values.items() if value is not None})


def _inputs(task, given, parameters):
    """Return the inputs of the task, without its parameters."""
    roles = [role.rstrip("?") for role in task.inputs if role in given or given.get(role.rstrip("?")) is not None]
    read = {role: read_input(task, role, given[role]) for role in roles}
    inputs = {role: unaltered(role, found) if found is given[role] else found for role, found in read.items()}
    check_indices({name: given.get(name) for name in (array.rstrip("?") for array in task.arrays)})
    for name in (array.rstrip("?") for array in task.arrays):
        if given.get(name) is not None or name in task.arrays:
            inputs[name] = read_array(given.get(name), name)
    if task.image_set(parameters):
        inputs["images"] = read_folder(given.get("images"))
    return inputs


def _checkpoint(task: Task, parameters: Any, digests: Mapping[str, str], given: Any) -> dict[str, Checkpoint]:
    """Return the input `checkpoint` of a task that resumes: a file for its state, or a replacement that stores nothing.

    Raises:
        ConfigError: it is not a path.
    """
    if not task.resumes:
        return {}
    if given is None:
        return {"checkpoint": NoCheckpoint()}
    if not isinstance(given, str | Path):
        raise ConfigError(f"{task.name}: checkpoint is {shown(given)}: give the path of a file, or None")
    return {"checkpoint": Checkpoint(Path(given), origin_of(task, parameters, digests))}
