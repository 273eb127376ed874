"""Samples in files, read block by block: arrays, tables, and folders of pictures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from twolayer.errors import ConfigError, DataError, TwolayerError, shown
from twolayer.model.data.array_files import hdf5_file, numpy_archive, numpy_file
from twolayer.model.data.data_tables import check_exact, parquet_blocks, text_blocks
from twolayer.model.data.foreign_files import check_file
from twolayer.model.data.picture_folders import picture_blocks, pictures
from twolayer.model.data.sample_layout import BLOCK, Blocks, Layout, expanded


def sample_blocks(path: Path, layout: Layout) -> Blocks:
    """Read the samples of a file or of a folder of images.

    Raises:
        DataError: the file is missing or damaged, has an unknown format, or lacks the features or the labels.
        ConfigError: the layout has a name that this format does not use, or that the file does not have.
    """
    path = expanded(path)
    _check_exists(path)
    form = _format(path)
    used = _USES.get(form, ("labels", "leave_out"))
    for name in ("features", "labels", "leave_out", "size"):
        if getattr(layout, name) not in (None, ()) and name not in used:
            raise ConfigError(f"{name} is {shown(getattr(layout, name))}, which {path} does not use: leave it out")
    if form:
        check_file(path)
    return _readable(path, _READERS[form] if form else picture_blocks, layout)


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
    named = expanded(path)
    if named.is_dir():
        return [str(file) for files in pictures(named).values() for file in files] or [str(named)]
    beside = named.suffix.lower() == ".npy" and labels is not None
    return [str(named), str(named.parent / expanded(labels))] if beside else [str(named)]


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


def _text(path: Path, layout: Layout) -> Blocks:
    return text_blocks(path, layout.labels, layout.leave_out, BLOCK)


def _parquet(path: Path, layout: Layout) -> Blocks:
    return parquet_blocks(path, layout.labels, layout.leave_out, BLOCK)


_READERS = {".npy": numpy_file, ".npz": numpy_archive}
_TABLES = (".csv", ".tsv", ".txt", ".dat", ".data")
_READERS |= dict.fromkeys([end + packed for end in _TABLES for packed in ("", ".gz")], _text) | {".parquet": _parquet}
_READERS |= dict.fromkeys((".h5", ".hdf5", ".nc", ".nc4"), hdf5_file)
_USES = {"": ("size",), ".npy": ("labels",)}  # format -> the fields of a layout that it uses
_USES |= dict.fromkeys((".npz", ".h5", ".hdf5", ".nc", ".nc4"), ("features", "labels"))
