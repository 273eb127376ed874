"""Digests of what a task computes with: two calls with different inputs, or different custom functions, differ in them.

A digest is the SHA-256 of names, types, shapes and contents. A custom function is represented by its values at fixed
points, and a custom generator by its weights and its outputs for fixed latents.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from twolayer.compiled import fingerprint
from twolayer.dependencies import module_files
from twolayer.errors import DataError
from twolayer.experiments.tasks import Task, default_state
from twolayer.parameters import to_json
from twolayer.storage.attributes import describes_run
from twolayer.storage.files import file_digest
from twolayer.storage.origin import library_versions

_POINTS = 1000  # number of fixed points of a function
_REACHES = (4.0, 64.0)  # sizes of the points: every custom function takes the first, and may fail at the second
_LATENTS = 3  # number of fixed latents of a generator


def digests_of(task: Task, parameters: Any, inputs: Mapping[str, Any]) -> dict[str, str]:
    """Return name -> digest of each input of a task, of each custom function in its parameters, and of its files."""
    with default_state(), np.errstate(all="ignore"):
        given = {name: _arrays_of(value) for name, value in inputs.items() if not isinstance(value, Path)}
        found = {name: _digest(arrays) for name, arrays in (given | dict(_functions(parameters))).items()}
    if "images" in inputs:
        found["images"] = _digest(_files(task.image_files(parameters, inputs["images"])))
    with suppress(OSError, DataError):  # the task itself raises the error of a folder that cannot be read
        if paths := task.custom_files(parameters):
            found["files"] = _digest(_files([Path(path) for path in paths]))
    return found


def origin_of(task: Task, parameters: Any, digests: Mapping[str, str]) -> str:
    """Return everything that determines the numbers of a task, for its checkpoint."""
    program = fingerprint(module_files(task.module))
    return json.dumps([task.name, to_json(parameters), dict(digests), program, library_versions()], sort_keys=True)


def _digest(arrays: Mapping[str, np.ndarray]) -> str:
    sha256 = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        # texts have other types in memory than in files
        values = np.ascontiguousarray(array if array.dtype.kind in "biufc" else np.array(array.tolist(), str))
        sha256.update(json.dumps([name, values.dtype.str, values.shape]).encode())
        sha256.update(values)
    return sha256.hexdigest()


def _arrays_of(given: Any) -> dict[str, np.ndarray]:
    """Return the arrays that define an input: an array, a result, or a generator."""
    if isinstance(given, np.ndarray):
        return {"": given}
    if isinstance(given, xr.Dataset):
        attributes = {name: value for name, value in given.attrs.items() if not describes_run(name)}
        texts = {name: _digest(_values(value)) if callable(value) else str(value) for name, value in attributes.items()}
        return {str(name): one.values for name, one in given.variables.items()} | {
            f"attribute {name}": np.array(text) for name, text in texts.items()
        }
    from twolayer.model.generators.latent_generators import sampled_batches  # needs torch
    from twolayer.simulation.training.devices import one_thread

    with one_thread():  # the number of threads changes outputs by rounding
        ((_, outputs),) = sampled_batches(given, _LATENTS, np.random.default_rng(0))
    weights = {name: one.numpy(force=True) for name, one in given.state_dict().items() if hasattr(one, "numpy")}
    return weights | {"": outputs}


def _files(paths: list[Path]) -> dict[str, np.ndarray]:
    """Return the digests of files, without the files that cannot be read: the task itself raises their errors."""
    found = {}
    for number, path in enumerate(paths):
        with suppress(OSError):
            found[f"{number:09} {path.name}"] = np.array(file_digest(path))
    return found


def _functions(parameters: Any, place: str = "") -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Yield the place of each custom function in parameters, "student.activation", and its values."""
    for field in dataclasses.fields(parameters):
        value, name = getattr(parameters, field.name), f"{place}{field.name}"
        several = value if isinstance(value, tuple) else (value,)
        for number, one in enumerate(several):
            if callable(one):
                directions = getattr(parameters, "teacher_directions", 1)
                yield (f"{name}[{number}]" if isinstance(value, tuple) else name), _values(one, directions)
            elif dataclasses.is_dataclass(one):
                yield from _functions(one, f"{name}.")


def _values(function: Any, directions: int = 1) -> dict[str, np.ndarray]:
    """Return the values of a function, and of its slope if it has one, at fixed points (n,) or (n, directions)."""
    parts = {"value": function} | ({"slope": function.slope} if hasattr(function, "slope") else {})
    found = {}
    for reach in _REACHES:
        points = np.random.default_rng(0).uniform(-reach, reach, (_POINTS, directions))
        for name, part in parts.items():
            found[f"{name} up to {reach}"] = _value(part, points if directions > 1 else points[:, 0])
    return found


def _value(function, points):
    try:
        return np.asarray(function(points), float)
    except Exception as failure:  # a point outside the domain, for instance of an interpolation
        return np.array(type(failure).__name__)
