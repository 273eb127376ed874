"""Samples of one's own, a block at a time: arrays and tables in files, and folders of images.

A block is the features (b, N) and the labels (b,) as they stand in the file, numbers or texts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from twolayer.errors import DataError, TwolayerError
from twolayer.model.foreign_files import check_archive, check_file, hdf5_array, read_picture
from twolayer.parameters import shown

Blocks = Iterator[tuple[np.ndarray, np.ndarray]]

_BLOCK = 4096  # samples
_PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp"}


@dataclass(frozen=True)
class Layout:
    """Where a file has what.

    Attributes:
        features, labels: names of arrays (of npz, HDF5 and NetCDF files) or of the column of labels (of CSV); for an
            npy file `labels` is another one, beside it. None stands for `features` and `labels`, or, of what has no
            names, for the last column.
        size: height and width that images are brought to.
    """

    features: str | None = None
    labels: str | None = None
    size: int = 28


def sample_blocks(path: Path, layout: Layout) -> Blocks:
    """The samples of a file or of a folder of images.

    Raises:
        DataError: it is missing, of no known format, or has no such features and labels.
    """
    path = Path(path)
    if not path.exists():
        raise DataError(
            f"{path} is missing: name a file of samples, or a folder with a folder of images for each class"
        )
    if path.is_dir():
        return _images(path, layout)
    if path.suffix.lower() not in _READERS:
        raise DataError(f"{path} has the unknown format {shown(path.suffix)}: give one of {', '.join(_READERS)}")
    check_file(path)
    return _readable(path, _READERS[path.suffix.lower()], layout)


def sample_files(path: str | None, labels: str | None) -> list[str]:
    """Return the files that `sample_blocks` reads for a path, with the file of labels that belongs to an npy file.

    A missing file or folder is returned as well.

    Raises:
        OSError: the folder cannot be read.
    """
    if path is None:
        return []
    if Path(path).is_dir():
        return [str(file) for files in _pictures(Path(path)).values() for file in files] or [path]
    beside = Path(path).suffix.lower() == ".npy" and labels is not None
    return [path, str(Path(path).with_name(labels))] if beside else [path]


def _pictures(folder: Path) -> dict[str, list[Path]]:
    """Return the images of each class, in the order in which they are read."""
    classes = [one for one in sorted(folder.iterdir()) if one.is_dir()]
    return {one.name: [file for file in sorted(one.iterdir()) if file.suffix.lower() in _PICTURES] for one in classes}


def _readable(path: Path, reader: Callable[[Path, Layout], Blocks], layout: Layout) -> Blocks:
    """The blocks of a reader, whose complaints become one sentence."""
    try:
        for features, labels in reader(path, layout):
            yield np.asarray(features, float), np.asarray(labels)
    except TwolayerError:
        raise
    except Exception as error:  # numpy, pandas and h5py raise whatever they stumble over
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise DataError(f"{path} cannot be read ({reason}): give an unbroken file of numbers") from None


def _numpy_file(path: Path, layout: Layout) -> Blocks:
    table = np.load(path, mmap_mode="r", allow_pickle=False)
    if layout.labels is not None:
        check_file(path.with_name(layout.labels))
        labels = np.load(path.with_name(layout.labels), mmap_mode="r", allow_pickle=False)
        return _array_blocks(path, table, labels)
    if table.ndim != 2 or table.shape[1] < 2:
        raise DataError(
            f"{path} has shape {table.shape}: give a row for each sample, with its label in the last column"
        )
    return _array_blocks(path, table[:, :-1], table[:, -1])


def _numpy_archive(path: Path, layout: Layout) -> Blocks:
    check_archive(path)
    with np.load(path, allow_pickle=False) as archive:
        features, labels = (archive[_name(path, archive.files, layout, what)] for what in ("features", "labels"))
    return _array_blocks(path, features, labels)


def _hdf5(path: Path, layout: Layout) -> Blocks:
    import h5py

    with h5py.File(path) as file:
        names = [_name(path, list(file), layout, what) for what in ("features", "labels")]
        features, labels = (hdf5_array(file, name, path) for name in names)
        yield from _array_blocks(path, features, labels[:])


def _name(path, names, layout, what):
    name = getattr(layout, what) or what
    if name not in names:
        raise DataError(f"{path} has no array {name!r}: set {what} to one of {', '.join(map(str, names))}")
    return name


def _array_blocks(path: Path, features: np.ndarray, labels: np.ndarray) -> Blocks:
    if len(features.shape) < 2 or labels.shape != features.shape[:1]:
        raise DataError(
            f"{path} has features of shape {features.shape} and labels of shape {labels.shape}: give one row of "
            "features and one label for each sample"
        )
    parts = (slice(start, start + _BLOCK) for start in range(0, len(labels), _BLOCK))
    return ((features[part].reshape(len(labels[part]), -1), labels[part]) for part in parts)


def _table(path: Path, layout: Layout) -> Blocks:
    import pandas as pd

    for block in pd.read_csv(path, chunksize=_BLOCK):
        column = layout.labels or block.columns[-1]
        if column not in block:
            raise DataError(f"{path} has no column {column!r}: set labels to one of {', '.join(block.columns)}")
        features = block.drop(columns=column)
        if texts := [name for name in features if not pd.api.types.is_numeric_dtype(features[name])]:
            raise DataError(f"{path}: column {texts[0]!r} holds no numbers: take it out, or name it as labels")
        yield features.to_numpy(float), block[column].to_numpy()


def _images(folder: Path, layout: Layout) -> Blocks:
    files = _pictures(folder)
    if empty := [name for name, found in files.items() if not found] or not files:
        what = f"the folder {empty[0]!r} in {folder} has no images" if files else f"{folder} has no folders"
        raise DataError(f"{what}: give it a folder for each class, with images of that class")

    def grey(file):
        return read_picture(
            file,
            lambda picture: np.asarray(picture.convert("L").resize((layout.size, layout.size)), float).ravel() / 255,
            "replace it, or take it out",
        )

    for name, found in files.items():
        for start in range(0, len(found), _BLOCK):
            block = found[start : start + _BLOCK]
            yield np.stack([grey(file) for file in block]), np.full(len(block), name)


_READERS = {".npy": _numpy_file, ".npz": _numpy_archive, ".csv": _table}
_READERS |= dict.fromkeys((".h5", ".hdf5", ".nc", ".nc4"), _hdf5)
