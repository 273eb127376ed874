"""Samples in files, read block by block: arrays, tables, and folders of images.

A block consists of the features (b, N) and the labels (b,), numbers or texts.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from twolayer.errors import ConfigError, DataError, TwolayerError, known, shown
from twolayer.model.data.data_tables import check_exact, parquet_blocks, text_blocks
from twolayer.model.data.foreign_files import (
    array_names,
    check_archive,
    check_file,
    has_array,
    hdf5_array,
    read_picture,
)
from twolayer.storage.files import check_size

Blocks = Iterator[tuple[np.ndarray, np.ndarray]]

_BLOCK = 4096  # number of samples in a block
_PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp"}
_UNSET = 9.969209968386869e36  # the number that NetCDF libraries write for a float that was never set
_SIZE = 28  # height and width of images
_ARRAYS = ("features", "labels")  # default names of the arrays in a file with several arrays


@dataclass(frozen=True)
class Layout:
    """Location of the features and the labels in a file.

    Attributes:
        features, labels: names of arrays (npz, HDF5 and NetCDF), or of the column of labels (tables). For an npy file
            `labels` is another file, relative to its folder. None means the arrays `features` and `labels`, and the
            last column of files without names.
        leave_out: columns of a table that are not features.
        size: height and width to which images are resized, 28 if None.
    """

    features: str | None = None
    labels: str | None = None
    leave_out: Sequence[str] = ()
    size: int | None = None


def sample_blocks(path: Path, layout: Layout) -> Blocks:
    """Read the samples of a file or of a folder of images.

    Raises:
        DataError: the file is missing or damaged, has an unknown format, or lacks the features or the labels.
        ConfigError: the layout has a name that this format does not use, or that the file does not have.
    """
    path = _expanded(path)
    _check_exists(path)
    form = _format(path)
    used = _USES.get(form, ("labels", "leave_out"))
    for name in ("features", "labels", "leave_out", "size"):
        if getattr(layout, name) not in (None, ()) and name not in used:
            raise ConfigError(f"{name} is {shown(getattr(layout, name))}, which {path} does not use: leave it out")
    if form:
        check_file(path)
    return _readable(path, _READERS[form] if form else _images, layout)


def _expanded(name: str | Path) -> Path:
    return Path(os.path.expanduser(name))  # keeps the tilde of an unknown user


def _check_exists(path):
    try:
        found, problem = path.exists(), f"{path} is missing"
    except OSError as error:
        found, problem = False, f"{shown(str(path))} cannot be read ({error.strerror})"
    if not found:
        raise DataError(f"{problem}: give a file of samples, or a folder with a folder of images for each class")


def _format(path):
    """Return the end of the name, which defines the format; "" for a folder."""
    if path.is_dir():
        return ""
    for end in sorted(_READERS, key=len, reverse=True):
        if path.name.lower().endswith(end):
            return end
    raise DataError(f"{path} has the unknown format {shown(path.suffix)}: give one of {', '.join(_READERS)}")


def sample_files(path: str | None, labels: str | None) -> list[str]:
    """Return the files that `sample_blocks` reads for a path, with the file of labels that belongs to an npy file.

    A missing file or folder is returned as well.

    Raises:
        OSError: the folder cannot be read.
    """
    if path is None:
        return []
    named = _expanded(path)
    if named.is_dir():
        return [str(file) for files in _pictures(named).values() for file in files] or [str(named)]
    beside = named.suffix.lower() == ".npy" and labels is not None
    return [str(named), str(named.parent / _expanded(labels))] if beside else [str(named)]


def _pictures(folder: Path) -> dict[str, list[Path]]:
    """Return the images of each class, in the order in which they are read."""
    classes = [one for one in sorted(folder.iterdir()) if one.is_dir() and not one.name.startswith(".")]
    return {one.name: [file for file in sorted(one.iterdir()) if _is_picture(file)] for one in classes}


def _readable(path: Path, reader: Callable[[Path, Layout], Blocks], layout: Layout) -> Blocks:
    """Yield the blocks of a reader, with one sentence for each of its errors."""
    try:
        for features, labels in reader(path, layout):
            _check_labels(path, labels)
            yield _real(path, features), labels
    except TwolayerError:
        raise
    except Exception as error:  # numpy, pandas, h5py and scipy raise many types of errors
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        remedy = "save its texts in UTF-8" if isinstance(error, UnicodeDecodeError) else _UNBROKEN
        raise DataError(f"{path} cannot be read ({reason}): {remedy}") from None


def _check_labels(path, labels):
    """Check that labels that are texts can be written in a configuration, which has no invisible characters."""
    texts = np.unique(labels).tolist() if labels.dtype.kind == "U" else []
    if invisible := [text for text in texts if not text.isprintable()]:
        raise DataError(f"{path} has the label {shown(invisible[0])} with an invisible character: remove it")


_UNBROKEN = "give an undamaged file of numbers"


def _real(path, features):
    """Return features as numbers in double precision."""
    kind = features.dtype.kind
    if kind not in "biuf":
        found = {"c": "complex numbers", "M": "dates", "m": "time spans", "V": "records"}.get(kind, "texts or objects")
        remedy = {"c": "give real and imaginary parts as features"}.get(kind, "give an array of numbers")
        raise DataError(f"{path} has features that are {found}: {remedy}")
    check_exact(features, f"{path}")
    return np.asarray(features, float)


def _numpy_file(path: Path, layout: Layout) -> Blocks:
    table = _array_of(path, mmap_mode="r")
    if layout.labels is not None:
        other = path.parent / _expanded(layout.labels)
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
        return np.load(path, allow_pickle=False, **options)
    except ValueError as error:
        if "Python objects" not in str(error):
            raise
        raise DataError(f"{path} has Python objects: {_NO_OBJECTS}") from None


def _numpy_archive(path: Path, layout: Layout) -> Blocks:
    archive = _loaded(path)
    if isinstance(archive, np.ndarray):
        raise DataError(f"{path} is a single array: rename it to .npy")
    check_archive(path)
    if {"indptr", "indices", "shape"} <= set(archive.files):
        raise DataError(f"{path} is a sparse matrix of SciPy: save its toarray() and the labels with numpy.savez")
    with archive:
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


def _hdf5(path: Path, layout: Layout) -> Blocks:
    import h5py

    with path.open("rb") as file:
        if file.read(3) == b"CDF":
            yield from _classic_netcdf(path, layout)
            return
    with h5py.File(path) as file:
        names = (_hdf5_name(path, file, layout, what) for what in _ARRAYS)
        features, labels = (hdf5_array(file, name, path, _BLOCK) for name in names)
        values = labels.asstr()[:] if labels.dtype.kind == "O" and h5py.check_string_dtype(labels.dtype) else labels[()]
        for part, some in _array_blocks(path, features, _unpacked(path, values, labels.attrs)):
            yield _unpacked(path, part, features.attrs), some


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
    parts = (slice(start, start + _BLOCK) for start in range(0, len(labels), _BLOCK))
    return ((features[part].reshape(len(labels[part]), -1), labels[part]) for part in parts)


def _turned(features, labels):
    """Return a hint on the cause of two shapes that do not fit."""
    if len(features) > 1 and len(labels) == 1 and features[-1] == labels[0]:
        return " (transpose the features)"
    if len(labels) == 2 and labels[0] == features[0]:
        return " (for labels with a column for each class, give argmax(axis=1))"
    return ""


def _text(path: Path, layout: Layout) -> Blocks:
    return text_blocks(path, layout.labels, layout.leave_out, _BLOCK)


def _parquet(path: Path, layout: Layout) -> Blocks:
    return parquet_blocks(path, layout.labels, layout.leave_out, _BLOCK)


def _images(folder: Path, layout: Layout) -> Blocks:
    size = layout.size or _SIZE
    files = _pictures(folder)
    if empty := [name for name, found in files.items() if not found] or not files:
        what = f"the folder {empty[0]!r} in {folder} has no images" if files else f"{folder} has no folders"
        raise DataError(f"{what}: give it a folder for each class, with images of that class")

    check_size(4 * size**2 * sum(map(len, files.values())), folder)
    units = {}  # unit of the pixels -> the first file that has it
    for name, found in files.items():
        for start in range(0, len(found), _BLOCK):
            block = found[start : start + _BLOCK]
            pixels = np.stack([_grey(file, size, units) for file in block])
            yield pixels, np.full(len(block), name)


def _is_picture(file):
    return file.suffix.lower() in _PICTURES and not file.name.startswith(".")


def _grey(file: Path, size: int, units: dict[str, Path]) -> np.ndarray:
    """Return the grey levels (size * size,) of a picture.

    Pictures with 8 and 16 bits have levels from 0 to 1; others keep the numbers in the file.
    """
    from PIL import Image, ImageOps

    def read(picture):
        if getattr(picture, "is_animated", False):  # the number of pictures would take long to count
            raise DataError(f"{file} has several pictures in one file: save one")
        if picture.has_transparency_data and picture.convert("RGBA").getextrema()[3][0] < 255:
            raise DataError(f"{file} {_TRANSPARENT}")
        _check_numbers(picture, file)
        upright = ImageOps.exif_transpose(picture)
        if picture.mode == "F" or picture.mode.startswith("I"):
            sixteen = picture.mode.startswith("I;16") or (picture.mode, picture.format) == ("I", "PNG")
            top = 65535 if sixteen else None
            upright = Image.fromarray(np.asarray(upright, np.float32))
        else:
            top, upright = 255, upright.convert("L")
        return np.asarray(upright.resize((size, size)), float).ravel(), top

    levels, top = read_picture(file, read, "replace it, or remove it")
    units.setdefault("levels" if top else "numbers", file)
    if len(units) > 1:
        raise DataError(
            f"{units['numbers']} has numbers without a largest value, but {units['levels']} has grey levels: convert "
            "all "
            "pictures to one type"
        )
    return levels / (top or 1)


def _check_numbers(picture, file):
    """Check properties of pixels that Pillow ignores."""
    tags, grey = getattr(picture, "tag_v2", {}), picture.mode in ("1", "L")
    if tags.get(_PHOTOMETRIC) == _WHITE_IS_ZERO and not grey:
        raise DataError(f"{file} stores white as 0 in more than 8 bits: save it with black as 0")
    if _SIGNED in np.ravel(tags.get(_SAMPLE_FORMAT, ())) and grey:
        raise DataError(f"{file} has signed numbers of 8 bits: save it with unsigned numbers")
    clear = picture.info.get("transparency")
    if picture.mode.startswith("I") and clear is not None and (np.asarray(picture) == clear).any():
        raise DataError(f"{file} {_TRANSPARENT}")


_TRANSPARENT = "has transparent pixels, whose grey level is not defined: give it a background"
_PHOTOMETRIC, _SAMPLE_FORMAT = 262, 339  # tags of TIFF
_WHITE_IS_ZERO, _SIGNED = 0, 2  # their values
_READERS = {".npy": _numpy_file, ".npz": _numpy_archive}
_TABLES = (".csv", ".tsv", ".txt", ".dat", ".data")
_READERS |= dict.fromkeys([end + packed for end in _TABLES for packed in ("", ".gz")], _text) | {".parquet": _parquet}
_READERS |= dict.fromkeys((".h5", ".hdf5", ".nc", ".nc4"), _hdf5)
_USES = {"": ("size",), ".npy": ("labels",)}  # format -> the fields of a layout that it uses
_USES |= dict.fromkeys((".npz", ".h5", ".hdf5", ".nc", ".nc4"), ("features", "labels"))
