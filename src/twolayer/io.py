"""Results on disk: an xarray Dataset in a NetCDF file, with what made it in the attributes.

This is the only module that reads or writes results. A file appears whole or not at all.
"""

import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from twolayer import __version__
from twolayer.errors import ResultError

_MARK = "twolayer_task"  # an attribute that every file of ours carries
_LIBRARIES = ("numpy", "scipy", "numba", "xarray", "torch")


@contextmanager
def replacing(path: Path):
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes when it does not."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".partial-{os.getpid()}-{path.name}")  # of the same suffix, by which writers choose
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: Path) -> None:
    """Write a text file, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_text(path: Path) -> str:
    """Read a text file of ours.

    Raises:
        ResultError: it is missing.
    """
    return read_bytes(path).decode("utf-8")


def read_bytes(path: Path) -> bytes:
    """Read a file of ours.

    Raises:
        ResultError: it is missing.
    """
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise ResultError(f"{path} is missing: make it with `snakemake {path}`") from None


def made_by(dataset: xr.Dataset, task: str, params: str, wall_time: float) -> xr.Dataset:
    """A result with what made it in its attributes.

    Args:
        task: name of the task that made it. params: its parameters in JSON. wall_time: seconds it took.
    """
    return dataset.assign_attrs({_MARK: task, "params": params, "wall_time_s": round(wall_time, 3)})


def maker_of(dataset: xr.Dataset) -> str | None:
    """Name of the task that made a result; None where nothing of ours did."""
    return dataset.attrs.get(_MARK)


def write(dataset: xr.Dataset, path: Path) -> None:
    """Write a result with its provenance, atomically.

    Raises:
        ResultError: no task made it, or a variable holds NaN, which no consumer could tell from data.
    """
    task = maker_of(dataset)
    if task is None:
        raise ResultError(f"nothing was written to {path}: the dataset has not the attributes of a result")
    for name, variable in dataset.variables.items():
        if np.issubdtype(variable.dtype, np.floating) and np.isnan(variable.values).any():
            raise ResultError(f"task {task} made NaN in its result {name!r}: nothing was written to {path}")
    with replacing(path) as temporary:
        dataset.assign_attrs(_provenance()).to_netcdf(temporary, engine="h5netcdf")


def read(path: Path, *, task: str | None = None, params: str | None = None) -> xr.Dataset:
    """Read a result into memory.

    Args:
        task, params: what the file must have been made by, where given.

    Raises:
        ResultError: the file is missing, truncated, or made by something else.
    """
    path = Path(path)
    if not path.exists():
        raise ResultError(f"results file {path} is missing: make it with `snakemake {path}`")
    try:
        dataset = xr.load_dataset(path, engine="h5netcdf")
    except (OSError, ValueError, KeyError) as error:
        raise ResultError(f"results file {path} cannot be read, it may be truncated ({error}): delete it") from None
    if maker_of(dataset) is None:
        raise ResultError(f"results file {path} was not written by twolayer: move it out of the way")
    maker = maker_of(dataset)
    if task is not None and maker != task:
        raise ResultError(f"results file {path} holds a result of {maker!r} where {task!r} belongs: delete it")
    if params is not None and json.loads(dataset.attrs["params"]) != json.loads(params):
        raise ResultError(f"results file {path} was made with other parameters: remake it with `snakemake {path}`")
    return dataset


def read_array(path: Path) -> np.ndarray:
    """Read an array of numbers from a file of NumPy's (.npy).

    Raises:
        ResultError: the file is missing, or no such file.
    """
    try:
        return np.load(path, allow_pickle=False).astype(float)
    except (OSError, ValueError) as error:
        raise ResultError(f"array {path} cannot be read ({error}): give a .npy file of numbers") from None


def read_reference(path: Path, coordinates: list[str]) -> xr.Dataset:
    """A table of values from elsewhere (CSV, lines with # are notes), with the columns `coordinates` as its axes.

    Raises:
        ResultError: the file is missing, or has no such column.
    """
    if not Path(path).exists():
        raise ResultError(f"reference table {path} is missing: restore it from the repository")
    table = pd.read_csv(path, comment="#")
    if unknown := set(coordinates) - set(table.columns):
        raise ResultError(f"reference table {path} has no column {sorted(unknown)[0]!r}: it has {list(table.columns)}")
    return table.set_index(coordinates).to_xarray()


def read_references(references: Mapping[str, Mapping], root: Path) -> dict[str, xr.Dataset]:
    """The tables that a figure's entry in the catalogue names, by their names there."""
    return {name: read_reference(root / entry["file"], entry["coordinates"]) for name, entry in references.items()}


def _provenance() -> dict[str, str]:
    return {
        "twolayer_version": __version__,
        "git_commit": _git_commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{f"version_{library}": _version(library) for library in _LIBRARIES},
    }


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "none"  # torch is an extra


def _git_commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"  # installed without its repository, or on a machine without git
