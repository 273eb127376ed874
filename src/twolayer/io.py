"""Results on disk: an xarray Dataset in a NetCDF file, with what made it in the attributes.

This is the only module that reads or writes results. A file appears whole or not at all, and carries a digest of its
contents that is verified before anything of it is parsed.
"""

import hashlib
import importlib.metadata
import io
import json
import os
import platform
import shutil
import socket
import subprocess
from collections.abc import Iterable
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from twolayer import __version__, netcdf
from twolayer.errors import ConfigError, ResultError
from twolayer.parameters import read_array as as_numbers
from twolayer.parameters import shown
from twolayer.seals import LIST, as_listed, is_sealed, seal, unsealed

_MARK = "twolayer_task"  # an attribute that every file of ours carries
_LIBRARIES = ("numpy", "scipy", "numba", "xarray", "torch")


@contextmanager
def replacing(path: Path):
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes when it does not.

    Its name holds host and process: the same job on two machines, where one was taken for dead, shares no file.

    Raises:
        ResultError: the disk is full, or may not be written.
    """
    path = Path(path)
    writer = f"{socket.gethostname()[:64]}-{os.getpid()}"
    temporary = path.with_name(f".partial-{writer}-{path.name}")  # of the same suffix, by which writers choose
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise ResultError(
            f"{path} cannot be written ({error.strerror or error}): make room, or see to whom the folder belongs"
        ) from error
    finally:
        with suppress(OSError):  # there is none, most often
            temporary.unlink()


def check_writable(path: Path) -> None:
    """Whether a file can be written there, before the work that it is for.

    Raises:
        ResultError: it cannot.
    """
    if Path(path).is_dir():
        raise ResultError(f"{path} is a folder: name a file")
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultError(f"{path} cannot be written ({error.strerror}): name another place") from None
    if not os.access(Path(path).parent, os.W_OK):
        raise ResultError(f"{path} cannot be written, its folder is not yours: name another place")


def write_text(text: str, path: Path) -> None:
    """Write a text file, atomically."""
    write_bytes(text.encode("utf-8"), path)


def write_bytes(content: bytes, path: Path) -> None:
    """Write a file, atomically."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_sealed(contents: bytes | memoryview, path: Path) -> None:
    """Write contents with their digest behind them, atomically."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(contents)
        file.write(seal(contents))


def read_bytes(path: Path, name: str = "") -> bytes:
    """Read a file of ours.

    Args:
        name: what it is, for an error.

    Raises:
        ResultError: it is missing, or cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise ResultError(f"{name} {path} is missing: make it with `snakemake {_target(path)}`".strip()) from None
    except OSError as error:
        raise ResultError(f"{name} {path} cannot be read ({error.strerror}): see what it is".strip()) from None


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
        ConfigError: it is no dataset, or the path is none.
        ResultError: no task made it, or a variable holds NaN, which no consumer could tell from data; or the disk is
            full.
    """
    _check_path(path)
    if not isinstance(dataset, xr.Dataset):
        raise ConfigError(f"dataset is {shown(dataset)}: give the result of a function")
    task = maker_of(dataset)
    if task is None:
        raise ResultError(f"nothing was written to {path}: the dataset has not the attributes of a result")
    for name, variable in dataset.variables.items():
        if np.issubdtype(variable.dtype, np.floating) and np.isnan(variable.values).any():
            raise ResultError(f"task {task} made NaN in its result {name!r}: nothing was written to {path}")
    # In memory first: HDF5 ends in a traceback, or a crash at exit, where a disk is full.
    write_sealed(dataset.assign_attrs(_provenance()).to_netcdf(engine="h5netcdf"), path)


def read(path: Path, *, task: str | Iterable[str] | None = None, params: str | None = None) -> xr.Dataset:
    """Read a result into memory.

    Args:
        task: the one that the file must have been made by, or all that will do; params: its parameters. Where given.

    Raises:
        ConfigError: the path is none.
        ResultError: the file is missing, damaged, or made by something else.
    """
    _check_path(path)
    anew = f"delete it, and make it anew with `snakemake {_target(path)}`"
    trusted = f"; or, where you trust it as it is, `twolayer seal {_target(path)}`"
    content = read_bytes(path, "results file")
    dataset = _parsed(unsealed(content, f"results file {path}", anew if is_sealed(content) else anew + trusted), path)
    maker = maker_of(dataset)
    wanted = [task] if isinstance(task, str) else [maker] if task is None else sorted(task)
    if maker not in wanted:
        raise ResultError(
            f"results file {path} holds a result of {maker!r} where one of {' or '.join(map(repr, wanted))} belongs: "
            "name another, or make it anew"
        )
    if params is not None and json.loads(dataset.attrs["params"]) != json.loads(params):
        raise ResultError(
            f"results file {path} was made with other parameters: remake it with `snakemake {_target(path)}`"
        )
    return dataset


def _check_path(path):
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise ConfigError(f"path is {shown(path)}: give the path of a results file")


def read_array(path: Path) -> np.ndarray:
    """Read an array of numbers from a file of NumPy's (.npy).

    Raises:
        ResultError: the file is missing, or no such file.
        ConfigError: the array does not hold finite real numbers.
    """
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ResultError(f"array {path} cannot be read ({error}): give a .npy file of numbers") from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise ResultError(f"array {path} is an archive of several arrays: give a .npy file with one of them")
    return as_numbers(array, f"array {path}")


def digest(path: Path) -> str:
    """A name for the contents of a file.

    Raises:
        ResultError: it is missing, or cannot be read.
    """
    return hashlib.sha256(read_bytes(path)).hexdigest()


def seal_file(path: Path) -> bool:
    """Put its digest behind a result of an earlier version; it counts as no newer than it was.

    Returns: whether it had none.

    Raises:
        ResultError: it is no result, or damaged.
    """
    content = read_bytes(path, "results file")
    if is_sealed(content):
        read(path)
        return False
    _parsed(content, path)
    with replacing(path) as temporary:
        temporary.write_bytes(content + seal(content))
        shutil.copystat(path, temporary)  # what was made from it is not out of date
    return True


def _parsed(contents: bytes, path: Path) -> xr.Dataset:
    """The dataset of a NetCDF file of ours."""
    try:
        dataset = netcdf.load(io.BytesIO(contents))
    except Exception as error:  # h5py and xarray raise whatever they stumble over
        raise ResultError(f"results file {path} is no NetCDF file ({_reason(error)}): move it out of the way") from None
    if not {_MARK, "params"} <= set(dataset.attrs):
        raise ResultError(f"results file {path} was not written by twolayer: move it out of the way")
    try:
        json.loads(dataset.attrs["params"])
    except (TypeError, ValueError):
        raise ResultError(f"results file {path} has parameters that are no JSON: move it out of the way") from None
    return dataset


def _reason(error: Exception) -> str:
    """The first line of what an error says."""
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__


def _target(path: Path) -> Path:
    """The path as Snakemake knows it, relative to the project that it lies in."""
    path = Path(path).absolute()
    return next((path.relative_to(folder) for folder in path.parents if (folder / "Snakefile").exists()), path)


def read_reference(path: Path, coordinates: list[str]) -> xr.Dataset:
    """A table of values from elsewhere (CSV, lines with # are notes), with the columns `coordinates` as its axes.

    Where `SHA256SUMS` lies beside it, as beside the tables of this project, it must have the digest that stands there.

    Raises:
        ResultError: the file is missing or damaged, or has no such column.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ResultError(f"reference table {path} is missing: restore it from the repository") from None
    except OSError as error:
        raise ResultError(f"reference table {path} cannot be read ({error.strerror}): see what it is") from None
    if not as_listed(content, path):
        raise ResultError(
            f"reference table {path} does not have the digest that {LIST} beside it states: restore both from the "
            f"repository, or, where the table is as you want it, write `sha256sum *.csv > {LIST}` there"
        )
    try:
        table = pd.read_csv(io.BytesIO(content), comment="#")
        missing = sorted(set(coordinates) - set(table.columns))
        if not missing:
            return table.set_index(coordinates).to_xarray()
    except Exception as error:  # pandas raises whatever it stumbles over
        raise ResultError(f"reference table {path} is no table ({_reason(error)}): see what is in it") from None
    raise ResultError(f"reference table {path} has no column {missing[0]!r}: it has {str(list(table.columns))[:200]}")


def _provenance() -> dict[str, str]:
    return {
        "twolayer_version": __version__,
        "git_commit": _git_commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        **library_versions(),
    }


def library_versions() -> dict[str, str]:
    """The versions of the libraries that numbers depend on, as attributes of a result."""
    return {f"version_{library}": _version(library) for library in _LIBRARIES}


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
