"""Pictures, arrays and HDF5 files of samples from other sources, opened without running code or exhausting memory."""

import gzip
import io
import math
import mmap
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from twolayer.errors import DataError
from twolayer.storage.files import check_size, open_regular, read_regular

if TYPE_CHECKING:
    import h5py
    from PIL.Image import Image

    from twolayer.storage.heaps import Heaps

# Pillow would recognise formats that start a program, such as EPS, by the content of a file.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP")
_MOST_PIXELS = 80_000_000
_LONGEST_SIDE = 65_535  # in pixels; Pillow resizes one side after the other
_MOST_MEMBERS = 1000  # largest number of members of an HDF5 file that are searched for suggestions of names
_PART = 2**20  # number of bytes that are unpacked at once

_Found = TypeVar("_Found")


def check_file(path: Path) -> None:
    """Check that a path is a regular file within the limit, or a link to one; gzip files are measured unpacked.

    Raises:
        DataError: it is not such a file.
    """
    try:
        with open_regular(path) as file:
            if file.read(2) == b"\x1f\x8b":
                _check_unpacked(file, path)
            check_size(file.seek(0, io.SEEK_END), path)
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): give a file that you may read") from None


def _check_unpacked(file, path):
    file.seek(0)
    total = 0
    try:
        with gzip.GzipFile(fileobj=file) as unpacked:
            while part := unpacked.read(_PART):
                total += len(part)
                check_size(total, path)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path} is not a valid gzip file ({error}): give an undamaged file") from None


def open_picture(path: Path, content: bytes | None = None) -> "Image":
    """Open a picture of one of `FORMATS`, like `Image.open`.

    Args:
        content: content of the file, if it was already read.

    Raises:
        OSError: the file is not a regular file.
        ValueError: the file is not such a picture, or has too many pixels.
        TooLarge: the file is larger than the limit.
    """
    from PIL import Image, UnidentifiedImageError

    content = read_regular(path) if content is None else content
    try:
        with warnings.catch_warnings(action="ignore"):  # Pillow warns of many pixels, which are refused below
            picture = Image.open(io.BytesIO(content), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise ValueError(str(error)) from None
    except UnidentifiedImageError:
        raise ValueError(f"its content is none of {', '.join(FORMATS)}") from None
    if picture.width * picture.height > _MOST_PIXELS:
        raise ValueError(f"it has {picture.width} x {picture.height} pixels, more than {_MOST_PIXELS:,}")
    if max(picture.size) > _LONGEST_SIDE:
        raise ValueError(f"it has {picture.width} x {picture.height} pixels, and a side may have {_LONGEST_SIDE:,}")
    return picture


def read_picture(path: Path, read: Callable[["Image"], _Found], remedy: str, content: bytes | None = None) -> _Found:
    """Return the value of a function of a picture of one of `FORMATS`.

    Args:
        remedy: remedy for a picture that cannot be read. content: content of the file, if it was already read.

    Raises:
        DataError: the file is not a regular file, not such a picture, damaged, or has too many pixels.
    """
    try:
        with open_picture(path, content) as picture:
            return read(picture)
    except DataError:
        raise
    except Exception as error:  # Pillow raises many types of errors
        reason = " ".join((str(error) or type(error).__name__).split())[:200]
        raise DataError(f"{path} is not a valid picture ({reason}): {remedy}") from None


def check_archive(path: Path) -> None:
    """Check that the arrays of an npz file are within the limit when they are unpacked.

    Raises:
        TooLarge: the arrays are larger.
        OSError, ValueError: it is not an npz file.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if len({name.removesuffix(".npy") for name in archive.namelist()}) < len(archive.namelist()):
                raise ValueError("two arrays have the same name")
            check_size(sum(max(one.file_size, _announced(archive, one)) for one in archive.infolist()), path)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, KeyError, TypeError) as error:
        raise ValueError(str(error)) from None


def _announced(archive, member):
    """Return the number of bytes of the array that a member declares."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = reader(file)
    return int(np.prod([float(size) for size in shape])) * dtype.itemsize


def array_names(file: "h5py.File") -> list[str]:
    """Return the paths of the first arrays of an HDF5 file, without links to other places and files."""
    import h5py

    found, waiting, number = [], [("", file)], 0
    while waiting:
        path, group = waiting.pop(0)
        for name in group:
            number += 1
            if number > _MOST_MEMBERS:
                return found
            if group.id.links.get_info(name.encode()).type != h5py.h5l.TYPE_HARD:
                continue
            if isinstance(one := group[name], h5py.Group):
                waiting.append((f"{path}{name}/", one))
            elif getattr(one, "shape", None):
                found.append(path + name)
    return found


def has_array(file: "h5py.File", name: str) -> bool:
    """Return whether an HDF5 file itself contains an array of that path, which is neither a single value nor empty."""
    from twolayer.storage import hdf5

    try:
        return bool(getattr(hdf5.member(file, name), "shape", None))
    except ValueError:
        return False


def hdf5_heaps(path: Path) -> "Heaps":
    """Return the heaps of an HDF5 file, which is mapped into memory.

    Raises:
        OSError, ValueError: it is not such a file.
    """
    from twolayer.storage.heaps import Heaps

    with open_regular(path) as raw:
        return Heaps(mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ))


def hdf5_array(file: "h5py.File", name: str, path: Path, rows: int, heaps: "Heaps") -> "h5py.Dataset":
    """Return an array of an HDF5 file that contains all its numbers or texts.

    Args:
        heaps: the heaps of the file.
        rows: number of rows that are read at once. Chunks of more rows are kept in memory, so that each is unpacked
            once.

    Raises:
        ValueError: there is no such array, or its numbers are in another file.
        TooLarge: the array is larger than the limit.
    """
    import h5py

    from twolayer.storage import hdf5

    found = hdf5.member(file, name)
    if not isinstance(found, h5py.Dataset):
        raise ValueError(f"{name!r} is a group instead of an array")
    check_size(hdf5.check_stored(found), path)
    if h5py.check_string_dtype(found.dtype):
        hdf5.read_texts(found, path, heaps)
        return found
    if not found.chunks or found.chunks[0] <= rows:
        return found
    count = math.prod(-(-size // chunk) for size, chunk in zip(found.shape[1:], found.chunks[1:], strict=True))
    access = h5py.h5p.create(h5py.h5p.DATASET_ACCESS)
    access.set_chunk_cache(10 * count + 1, count * math.prod(found.chunks) * found.dtype.itemsize, 1.0)
    del found  # HDF5 sets the size of its cache when the array is opened for the first time
    return h5py.Dataset(h5py.h5d.open(file.id, name.encode(), access))
