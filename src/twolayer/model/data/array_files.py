"""Arrays of features and labels in files of NumPy, HDF5 and NetCDF."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from twolayer.errors import DataError, known, shown
from twolayer.model.data.foreign_files import array_names, check_archive, check_file, has_array, hdf5_array, hdf5_heaps
from twolayer.model.data.sample_layout import BLOCK, Blocks, Layout, expanded
from twolayer.storage.files import check_size

_UNSET = 9.969209968386869e36  # the number that NetCDF libraries write for a float that was never set
_ARRAYS = ("features", "labels")  # default names of the arrays in a file with several arrays


def numpy_file(path: Path, layout: Layout) -> Blocks:
    """Read an npy file, whose labels are its last column or another file."""
    table = _array_of(path, mmap_mode="r")
    if layout.labels is not None:
        other = path.parent / expanded(layout.labels)
        if not other.exists():
            raise DataError(f"the labels file {other} is missing: set labels to an npy file")
        check_file(other)
        return _array_blocks(path, table, _array_of(other, mmap_mode="r"))
    if table.ndim != 2 or table.shape[1] < 2:
        raise DataError(
            f"{path} has shape {table.shape}: give a row for each sample, with its label in the last column"
        )
    return _array_blocks(path, table[:, :-1], table[:, -1])


def _array_of(path, **options):
    array = _loaded(path, **options)
    if not isinstance(array, np.ndarray):
        array.close()
        raise DataError(f"{path} is an archive of arrays: rename it to .npz")
    return array


def _loaded(path, **options):
    """Return the array or the archive of arrays in a file, without Python objects."""
    with path.open("rb") as file:
        start = file.read(6)
    if start and not start.startswith((b"\x93NUMPY", b"PK")):
        raise DataError(f"{path} is not a NumPy file: write it with numpy.save or numpy.savez")
    try:
        with np.errstate(over="ignore"):  # a header may state more numbers than 64 bits count; they are not stored
            return np.load(path, allow_pickle=False, **options)
    except ValueError as error:
        if "Python objects" not in str(error):
            raise
        raise DataError(f"{path} has Python objects: {_NO_OBJECTS}") from None


def numpy_archive(path: Path, layout: Layout) -> Blocks:
    """Read two arrays of an npz file."""
    archive = _loaded(path)
    if isinstance(archive, np.ndarray):
        raise DataError(f"{path} is a single array: rename it to .npy")
    with archive:
        check_archive(path)
        if {"indptr", "indices", "shape"} <= set(archive.files):
            raise DataError(f"{path} is a sparse matrix of SciPy: save its toarray() and the labels with numpy.savez")
        features, labels = (_member(path, archive, _name(path, archive.files, layout, what)) for what in _ARRAYS)
    return _array_blocks(path, features, labels)


def _member(path, archive, name):
    try:
        return archive[name]
    except ValueError as error:
        if "Object arrays" not in str(error):
            raise
        raise DataError(f"{path} has Python objects in {name!r}: {_NO_OBJECTS}") from None


_NO_OBJECTS = "save numbers, or texts with astype(str)"


def hdf5_file(path: Path, layout: Layout) -> Blocks:
    """Read two arrays of a file of HDF5 or NetCDF."""
    import h5py

    with path.open("rb") as file:
        if file.read(3) == b"CDF":
            yield from _classic_netcdf(path, layout)
            return
    from twolayer.storage.hdf5 import read_attribute

    heaps = hdf5_heaps(path)
    with h5py.File(path) as file:
        names = (_hdf5_name(path, file, layout, what) for what in _ARRAYS)
        features, labels = (hdf5_array(file, name, path, BLOCK, heaps) for name in names)
        of_features, of_labels = (
            {name: read_attribute(array, name, heaps) for name in _CONVENTIONS & array.attrs.keys()}
            for array in (features, labels)
        )
        values = labels.asstr()[:] if labels.dtype.kind == "O" and h5py.check_string_dtype(labels.dtype) else labels[()]
        for part, some in _array_blocks(path, features, _unpacked(path, values, of_labels)):
            yield _unpacked(path, part, of_features), some


def _hdf5_name(path, file, layout, what):
    """Return the name of an array. Only if it is missing, the others are listed in the error."""
    name = (getattr(layout, what) or what).strip("/")
    return name if has_array(file, name) else _name(path, array_names(file), layout, what)


def _classic_netcdf(path, layout):
    from scipy.io import netcdf_file

    # Without a map of the file, all its variables would be read, of which several may be at the same place in the file.
    with netcdf_file(path, mmap=True) as file:
        names = [_name(path, list(file.variables), layout, what) for what in _ARRAYS]
        check_size(sum(file.variables[name].data.nbytes for name in names), path)
        features, labels = (_classic_values(path, file.variables[name]) for name in names)
    yield from _array_blocks(path, features, labels)


def _classic_values(path, variable):
    """Return a copy of the values, because the map of the file is closed."""
    values = np.array(variable.data)
    return _unpacked(path, values.astype(values.dtype.newbyteorder("=")), vars(variable))


def _unpacked(path: Path, values: np.ndarray, attributes: Mapping) -> np.ndarray:
    """Apply the conventions of NetCDF to a variable: unpack packed numbers, and replace missing ones by NaN."""
    if values.dtype.kind not in "iuf":
        return values
    marks = [np.ravel(attributes[name]) for name in _MARKS if name in attributes]
    missing = np.isin(values, [one for mark in marks for one in mark])
    if values.dtype.kind == "f" and values.dtype.itemsize > 2:  # half precision cannot represent this number
        missing |= values == values.dtype.type(_UNSET)
    if values.dtype.kind == "i" and _first(attributes.get("_Unsigned")) in ("true", "True"):
        values = values.view(values.dtype.str.replace("i", "u"))
    for bound, beyond in zip(_valid_range(path, attributes), (np.less, np.greater), strict=True):
        if bound is not None:
            missing |= beyond(values, bound)
    packed = {name: _numbers(path, attributes, name) for name in ("scale_factor", "add_offset") if name in attributes}
    if packed:
        (factor,), (offset,) = packed.get("scale_factor", [1.0]), packed.get("add_offset", [0.0])
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # values that are not finite are refused together with all others
            values = values.astype(float) * factor + offset
    return np.where(missing, np.nan, values) if missing.any() else values


def _valid_range(path, attributes):
    """Return the smallest and the largest number that is not missing, None without a bound."""
    if "valid_range" in attributes:
        return _numbers(path, attributes, "valid_range", count=2)
    bounds = ("valid_min", "valid_max")
    return [_numbers(path, attributes, name)[0] if name in attributes else None for name in bounds]


def _numbers(path: Path, attributes: Mapping, name: str, *, count: int = 1) -> list[float]:
    """Return the numbers of an attribute."""
    try:
        stated = np.ravel(attributes[name])
        found = stated.astype(float) if stated.dtype.kind != "c" else np.array([])
    except (TypeError, ValueError):
        found = np.array([])
    zero = name == "scale_factor" and not found.all()
    if found.size != count or not np.isfinite(found).all() or zero:
        what = "a number other than 0" if name == "scale_factor" else ("a number", "two numbers")[count - 1]
        raise DataError(f"{path} has the attribute {name} {shown(attributes[name])}: it must be {what}, correct it")
    return found.tolist()


_MARKS = ("_FillValue", "missing_value")
_CONVENTIONS = {*_MARKS, "_Unsigned", "valid_range", "valid_min", "valid_max", "scale_factor", "add_offset"}


def _first(value):
    """Return the number or the text of an attribute."""
    value = np.ravel(value)[0]
    return value.decode() if isinstance(value, bytes) else value


def _name(path, names, layout, what):
    name = (getattr(layout, what) or what).strip("/")
    if not names:
        raise DataError(f"{path} has no arrays: give features, and a label for each sample")
    if name not in names:
        raise DataError(f"{path} has no array {name!r}: set {what} to one of {known(names, name)}")
    return name


def _array_blocks(path: Path, features: np.ndarray, labels: np.ndarray) -> Blocks:
    """Yield blocks of an array of features (n, ...) and an array of labels: (n,), or as a column or a row."""
    if len(labels.shape) == 2 and labels.dtype != "S1" and 1 in labels.shape:
        labels = np.ravel(labels)
    if len(labels.shape) == 2 and labels.dtype == "S1":  # texts in the form of NetCDF
        labels = np.ascontiguousarray(labels).view(f"S{labels.shape[1]}")[:, 0]
    if len(features.shape) < 2 or 0 in features.shape[1:] or labels.shape != features.shape[:1]:
        raise DataError(
            f"{path} has features of shape {features.shape} and labels of shape {labels.shape}: give one row of "
            f"features and one label for each sample{_turned(features.shape, labels.shape)}"
        )
    if labels.dtype.kind == "S":
        labels = np.char.decode(labels, "utf-8")
    if labels.dtype.kind not in "biufUTO":
        raise DataError(f"{path} has labels of the type {labels.dtype}: give numbers or texts")
    if labels.dtype.kind in "OT":
        labels = labels.astype(str)
    parts = (slice(start, start + BLOCK) for start in range(0, len(labels), BLOCK))
    return ((features[part].reshape(len(labels[part]), -1), labels[part]) for part in parts)


def _turned(features, labels):
    """Return a hint on the cause of two shapes that do not fit."""
    if len(features) > 1 and len(labels) == 1 and features[-1] == labels[0]:
        return " (transpose the features)"
    if len(labels) == 2 and labels[0] == features[0]:
        return " (for labels with a column for each class, give argmax(axis=1))"
    return ""
