"""Results on disk: an xarray Dataset in a NetCDF file, with its origin in the attributes.

This is the only module that reads or writes results. A file appears completely or not at all. It ends with a digest of
its contents, which is verified before the contents are parsed.
"""

import io
import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from twolayer.errors import ConfigError, ResultError, TwolayerError, shown
from twolayer.parameters import read_array as as_numbers
from twolayer.storage import netcdf
from twolayer.storage.attributes import (
    CURRENT_FORMAT,
    DIGESTS,
    FORMAT,
    MARKS,
    TASK,
    fault_of_result,
    fault_of_variables,
)
from twolayer.storage.checksums import LIST, as_listed, checksum, has_checksum, without_checksum
from twolayer.storage.files import (
    create,
    file_digest,
    limited_to,
    not_written,
    opened,
    partial_path,
    read_regular,
    remove_abandoned,
    replacing,
)
from twolayer.storage.origin import provenance


def prepare_result(path: Path, task: str, params: str) -> None:
    """Check that a result can be written, before its computation starts: write its header, and remove it.

    Partial files of killed processes are removed from the folder as well.

    Raises:
        ResultError: the header cannot be written.
    """
    path = Path(path)
    check_writable(path)
    remove_abandoned(path.parent)
    example = xr.Dataset({"values": ("point", [0.0])}, {"point": ["a"]})
    try:
        header = made_by(example, task, params, 0.0).to_netcdf(engine="h5netcdf")
        netcdf.load(io.BytesIO(header))
    except Exception as error:  # xarray and its engine raise different errors in different versions
        raise ResultError(
            f"the installed libraries cannot write a result ({_reason(error)}): install the versions that "
            "pyproject.toml requires"
        ) from error
    temporary = partial_path(path)
    try:
        create(temporary)
        with opened(temporary) as file:
            file.write(header)
    except OSError as error:
        raise not_written(path, error) from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def check_writable(path: Path) -> None:
    """Check that a file can be written, before the work for it starts.

    Raises:
        ResultError: the file cannot be written.
    """
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            os.stat(path)
    except OSError as error:
        raise not_written(path, error) from None
    except ValueError as error:  # the path has a null byte
        raise ResultError(f"{path} cannot be written ({error}): give another path") from None
    if Path(path).is_dir():
        raise ResultError(f"{path} is a folder: give the path of a file")
    if not os.access(Path(path).parent, os.W_OK):
        raise ResultError(f"{path} cannot be written, because its folder belongs to another user: give another path")


def write_with_checksum(contents: bytes | memoryview, path: Path) -> None:
    """Write contents followed by their digest, atomically."""
    with replacing(path) as temporary, opened(temporary) as file:
        file.write(contents)
        file.write(checksum(contents))


def read_bytes(path: Path, name: str = "", *, follow: bool = True) -> bytes:
    """Read a file of this package.

    Args:
        name: description for an error. follow: whether a symbolic link is allowed.

    Raises:
        ResultError: the file is missing, is not a regular file, or cannot be read.
        TooLarge: the file is larger than the limit.
    """
    with _readable(path, name):
        return read_regular(Path(path), follow=follow)


@contextmanager
def _readable(path, name=""):
    """Name a file of this package that cannot be read, and the command that makes it if it is missing."""
    try:
        yield
    except FileNotFoundError:
        raise ResultError(f"{name} {path} is missing: make it with `snakemake {_target(path)}`".strip()) from None
    except OSError as error:
        raise ResultError(f"{name} {path} cannot be read ({error.strerror}): check the file".strip()) from None


def made_by(
    dataset: xr.Dataset, task: str, params: str, wall_time: float, digests: Mapping[str, str] | None = None
) -> xr.Dataset:
    """Return a result with its origin in its attributes.

    Args:
        task: name of the task that computed it. params: its parameters in JSON. wall_time: duration in seconds.
        digests: see `digests_of` in `experiments/digests.py`.
    """
    attributes = {TASK: task, "params": params, DIGESTS: json.dumps(dict(digests or {}), sort_keys=True)}
    return dataset.assign_attrs(attributes | {"wall_time_s": round(wall_time, 3)})


def maker_of(dataset: xr.Dataset) -> str | None:
    """Return the name of the task that computed a result, or None if it is not from this package."""
    return dataset.attrs.get(TASK)


def write(dataset: xr.Dataset, path: Path) -> None:
    """Write a result with its provenance, atomically.

    Args:
        dataset: the result of a function or a task.
        path: path of the file. A file at this path is replaced.

    Raises:
        ConfigError: it is not a dataset, or the path is not a path.
        ResultError: no task computed it, an attribute is missing or unknown, a variable has NaN where `converged` is
            not 0, which looks like data to a reader, or the disk is full.

    Example:
        >>> import twolayer as tl
        >>> tl.write(tl.isotropic_inputs(dimension=100), "inputs.nc")
        >>> int(tl.read("inputs.nc").input_dimension)
        100
    """
    _check_path(path)
    if not isinstance(dataset, xr.Dataset):
        raise ConfigError(f"dataset is {shown(dataset)}: give the result of a function")
    task = maker_of(dataset)
    if task is None:
        raise ResultError(
            f"nothing was written to {path}: the dataset does not have the attributes of a result: give the result of "
            "a function"
        )
    dataset = dataset.assign_attrs(provenance())
    if fault := _fault(dataset):
        raise ResultError(f"nothing was written to {path}: the dataset {fault}: give the result of a function")
    for name in dataset.variables:
        if _has_unmarked_nan(dataset, name):
            raise ResultError(
                f"task {task} made NaN in its result {name!r}, so nothing was written to {path}: use less extreme "
                "parameters, or replace the NaN if you changed the result"
            )
    # In memory first: HDF5 raises a traceback, or crashes at exit, if a disk is full.
    write_with_checksum(dataset.to_netcdf(engine="h5netcdf"), path)


def _has_unmarked_nan(dataset, name):
    """Return whether a variable is NaN at a point that counts as converged."""
    variable = dataset[name]
    if not np.issubdtype(variable.dtype, np.floating):
        return False
    unmarked = variable.isnull()
    for mark in (one for one in MARKS if one in dataset and set(dataset[one].dims) <= set(variable.dims)):
        unmarked = unmarked & (dataset[mark] != 0)
    return bool(unmarked.any())


def read(
    path: Path,
    *,
    task: str | Iterable[str] | None = None,
    params: str | None = None,
    largest_gb: float | None = None,
) -> xr.Dataset:
    """Read a result into memory.

    Nothing in the file is executed, and no other file is opened.

    Args:
        path: path of the file.
        task: the task, or tasks, whose result the file must contain. By default, any task is accepted.
        params: the parameters, in JSON, that the result must have. By default, any parameters are accepted.
        largest_gb: limit of the file and of its arrays in memory, in 10^9 bytes. By default 4, or the environment
            variable TWOLAYER_LARGEST_GB.

    Returns:
        The result, with its parameters and its origin as attributes.

    Raises:
        ResultError: the file is missing, damaged, of another origin, or not in the form in which this package writes
            results.
        DataError: the file or its arrays are larger than the limit.
        ConfigError: the limit is not a positive number, or the path is not a path.

    Example:
        >>> import twolayer as tl
        >>> tl.write(tl.isotropic_inputs(dimension=100), "inputs.nc")
        >>> int(tl.read("inputs.nc", task="isotropic_inputs").input_dimension)
        100
    """
    _check_path(path)
    with limited_to(largest_gb):
        return parse(read_bytes(path, "results file"), path, task=task, params=params)


def parse(
    content: bytes, path: Path, *, task: str | Iterable[str] | None = None, params: str | None = None
) -> xr.Dataset:
    """Return the result in the contents of a file, see `read`.

    Args:
        path: path of the file, for an error.
    """
    again = f"delete it, and make it again with `snakemake {_target(path)}`"
    trusted = f"; or, if you trust its contents, `twolayer checksum {_target(path)}`"
    dataset = _parsed(
        without_checksum(content, f"results file {path}", again if has_checksum(content) else again + trusted), path
    )
    maker = maker_of(dataset)
    wanted = [task] if isinstance(task, str) else [maker] if task is None else sorted(task)
    if maker not in wanted:
        raise ResultError(
            f"results file {path} has a result of {maker!r} (expected {' or '.join(map(repr, wanted))}): "
            "give another file, or make it again"
        )
    if params is not None and json.loads(dataset.attrs["params"]) != json.loads(params):
        raise ResultError(
            f"results file {path} was made with other parameters: make it again with `snakemake {_target(path)}`"
        )
    return dataset


def _check_path(path):
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise ConfigError(f"path is {shown(path)}: give the path of a results file")


def read_array(path: Path) -> np.ndarray:
    """Read an array of numbers from a NumPy file (.npy).

    Raises:
        ResultError: the file is missing, or is not a NumPy file.
        ConfigError: the array has values that are not finite real numbers.
    """
    try:
        array = np.load(io.BytesIO(read_regular(Path(path))), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ResultError(f"array {path} cannot be read ({error}): give a .npy file of numbers") from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise ResultError(f"array {path} is an archive of several arrays: give a .npy file with one of them")
    return as_numbers(array, f"array {path}")


def digest(path: Path) -> str:
    """Return a name for the contents of a file.

    Raises:
        ResultError: the file is missing, or cannot be read.
    """
    with _readable(path):
        return file_digest(Path(path))


def append_checksum(path: Path) -> bool:
    """Append the digest to a result of an earlier version, without changing its time stamp.

    Returns: whether the digest was missing.

    Raises:
        ResultError: the file is not a result, or is damaged.
    """
    content = read_bytes(path, "results file")
    if has_checksum(content):
        read(path)
        return False
    _parsed(content, path)
    with replacing(path) as temporary, opened(temporary) as file:
        file.write(content + checksum(content))
        file.flush()
        state = os.stat(path)
        os.fchmod(file.fileno(), stat.S_IMODE(state.st_mode))
        os.utime(file.fileno(), ns=(state.st_atime_ns, state.st_mtime_ns))  # its dependents are up to date
    return True


def _parsed(contents: bytes, path: Path) -> xr.Dataset:
    """Return the dataset of a NetCDF file of this package."""
    try:
        dataset = netcdf.load(io.BytesIO(contents), f"results file {path}")
    except TwolayerError:
        raise
    except Exception as error:  # h5py and xarray raise many types of errors
        raise ResultError(
            f"results file {path} is not a NetCDF file ({_reason(error)}): move it to another folder"
        ) from None
    if not {TASK, "params"} <= set(dataset.attrs):
        raise ResultError(f"results file {path} was not written by twolayer: move it to another folder")
    found = dataset.attrs.get(FORMAT, "1")
    if not isinstance(found, str) or found != CURRENT_FORMAT:
        raise ResultError(
            f"results file {path} has format {shown(found)}, and this version reads format {CURRENT_FORMAT}: "
            f"delete it, and make it again with `snakemake {_target(path)}`"
        )
    if fault := _fault(dataset):
        raise ResultError(f"results file {path} {fault}: move it to another folder")
    return dataset


def _fault(dataset):
    """Return the fault of an attribute of a result or of one of its variables, or None."""
    return fault_of_result(dataset.attrs) or fault_of_variables(dataset.variables)


def _reason(error: Exception) -> str:
    """Return the first line of the message of an error."""
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__


def _target(path: Path) -> Path:
    """Return the path as Snakemake uses it, relative to its project."""
    path = Path(path).absolute()
    return next((path.relative_to(folder) for folder in path.parents if (folder / "Snakefile").exists()), path)


def read_reference(path: Path, coordinates: list[str]) -> xr.Dataset:
    """Read a table of reference values (CSV, lines with # are notes), with the columns `coordinates` as its axes.

    If its folder has a file `SHA256SUMS`, as in this project, the table must have the digest in this file.

    Raises:
        ResultError: the file is missing or damaged, or lacks one of the columns.
    """
    path = Path(path)
    try:
        content = read_regular(path)
    except FileNotFoundError:
        raise ResultError(f"reference table {path} is missing: restore it from the repository") from None
    except OSError as error:
        raise ResultError(f"reference table {path} cannot be read ({error.strerror}): check the file") from None
    if not as_listed(content, path):
        raise ResultError(
            f"reference table {path} does not have the digest in {LIST} of its folder: restore both from the "
            f"repository, or, if you changed the table, write `sha256sum *.csv > {LIST}` there"
        )
    try:
        table = pd.read_csv(io.BytesIO(content), comment="#")
        missing = sorted(set(coordinates) - set(table.columns))
        if not missing:
            return table.set_index(coordinates).to_xarray()
    except Exception as error:  # pandas raises many types of errors
        raise ResultError(f"reference table {path} is not a table ({_reason(error)}): check its contents") from None
    raise ResultError(
        f"reference table {path} has no column {missing[0]!r}: it has {str(list(table.columns))[:200]}: correct the "
        "coordinates of the table in config/"
    )
