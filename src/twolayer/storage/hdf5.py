"""Datasets of HDF5 files from other sources, with all numbers in the file.

HDF5 can also read numbers from any other file that the reader may open (external storage, virtual datasets, external
and soft links), and can declare arrays that the file does not contain. Such datasets are refused.
"""

import math
import zlib
from typing import Any

import h5py
import numpy as np

from twolayer.storage import lzf
from twolayer.storage.files import check_size, largest_gb
from twolayer.storage.heaps import Heaps

_KINDS = "biuf"  # types of numbers
_LAYOUTS = (h5py.h5d.CONTIGUOUS, h5py.h5d.COMPACT, h5py.h5d.CHUNKED)
# Filters that are part of HDF5, and LZF, which h5py includes. Other filters are code in plug-ins.
_GZIP, _SHUFFLE, _FLETCHER, _SZIP, _OFFSET_FILTER, _LZF = 1, 2, 3, 4, 6, 32000
_FILTERS = {_GZIP, _SHUFFLE, _FLETCHER, _SZIP, _OFFSET_FILTER, _LZF}
_COMPRESSING = {_GZIP, _SZIP, _OFFSET_FILTER, _LZF}
_CHECKSUM = 4  # size of Fletcher's checksum in bytes
_LONGEST_STRING = 10_000  # characters
_LARGEST_ATTRIBUTE = 10_000  # bytes
_REFERENCE = 16  # bytes of the reference to a heap for a text of variable length


def members(group: h5py.Group) -> dict[str, h5py.Group | h5py.Dataset]:
    """Return the members of a group, which must all be stored in the file.

    Raises:
        ValueError: a member is a soft or an external link, or a named type.
    """
    return {name: _local(group, name) for name in group}


def member(group: h5py.Group, path: str) -> h5py.Group | h5py.Dataset:
    """Return the group or dataset at a path in a group.

    Raises:
        ValueError: it is missing, is a soft or an external link, or is behind one; or it is a named type.
    """
    found = group
    for name in filter(None, path.split("/")):
        if not isinstance(found, h5py.Group) or not found.id.links.exists(name.encode()):
            raise ValueError(f"it has no array {path!r}")
        found = _local(found, name)
    return found


def _local(group, name):
    """Return the member with a name, which must be stored in this group."""
    if group.id.links.get_info(name.encode()).type != h5py.h5l.TYPE_HARD:
        raise ValueError(f"{name!r} is a link to another place or file")
    found = group[name]
    if not isinstance(found, h5py.Group | h5py.Dataset):
        raise ValueError(f"{name!r} is not an array")
    return found


def check_stored(dataset: h5py.Dataset) -> int:
    """Check that a dataset is stored in its file, and has numbers or texts.

    Returns: the number of bytes that it needs in memory.

    Raises:
        ValueError: its numbers are in another file or nowhere, or have another type, or are packed by an unknown
            filter.
    """
    name = dataset.name
    plan = dataset.id.get_create_plist()
    layout = plan.get_layout()
    if layout not in _LAYOUTS or (layout == h5py.h5d.CONTIGUOUS and plan.get_external_count()):
        raise ValueError(f"{name!r} has its numbers in another file")
    kind, count = dataset.dtype, math.prod(dataset.shape or ())
    text = h5py.check_string_dtype(kind) is not None
    if dataset.shape is None or not (text or kind.kind in _KINDS):
        raise ValueError(f"{name!r} does not have numbers or texts")
    if text and kind.itemsize > 4 * _LONGEST_STRING:  # all texts have this length
        raise ValueError(_long(dataset))
    size = count * kind.itemsize
    if layout == h5py.h5d.CHUNKED:
        chunk = plan.get_chunk()
        stored = dataset.id.get_num_chunks() == math.prod(-(-n // c) for n, c in zip(dataset.shape, chunk, strict=True))
        unpacked = math.prod(chunk) * (_REFERENCE if kind.kind == "O" else kind.itemsize)
        size = max(size, unpacked)  # a chunk is unpacked completely
        if stored:
            _check_chunks(dataset, _packing(plan, unpacked, kind.kind == "O", name), unpacked)
    else:
        length = count * (_REFERENCE if kind.kind == "O" else kind.itemsize)
        stored = dataset.id.get_storage_size() == length and _is_inside(dataset, length)
    if count and not stored:
        raise ValueError(f"{name!r} has {count:.3g} numbers that are not stored in the file")
    return size


def _packing(plan, size, references, name):
    """The numbers of the filters that pack the chunks of a dataset.

    Args:
        size: of an unpacked chunk in bytes. references: whether it has references to texts of variable length.
        name: of the dataset, for an error.

    Raises:
        ValueError: a filter is not part of HDF5, there are several that compress, or one unpacks to another size.
    """
    filters = {}
    for place in range(plan.get_nfilters()):
        number, _, values, _ = plan.get_filter(place)
        if number not in _FILTERS:
            raise ValueError(f"{name!r} is packed by a filter that is not part of HDF5")
        stated = {_OFFSET_FILTER: values[2] * values[4] if len(values) > 4 else 0, _LZF: ([*values, 0, 0, 0])[2]}
        if number == _LZF and references and not values:  # h5py states no size here
            stated = {}
        if number in filters or stated.get(number, size) != size:
            raise ValueError(f"{name!r} has chunks that do not have their size when they are unpacked")
        filters[number] = place
    if len(_COMPRESSING & filters.keys()) > 1:
        raise ValueError(f"{name!r} is compressed several times")
    return filters


def _check_chunks(dataset, filters, size):
    """Check that each chunk unpacks to its size: HDF5 reads as many bytes of its memory, whatever there is.

    Raises:
        ValueError: one does not.
    """

    def visit(chunk):  # HDF5 leaves out a filter that does not make a chunk smaller
        used = {number: place for number, place in filters.items() if not chunk.filter_mask >> place & 1}
        if _COMPRESSING & used.keys():
            fits = _unpacks(dataset, chunk.chunk_offset, used, size)
        else:
            fits = chunk.size == size + _CHECKSUM * (_FLETCHER in used)
        return None if fits else True  # ends the visits

    if dataset.id.chunk_iter(visit) is not None:
        raise ValueError(f"{dataset.name!r} has chunks that do not have their size when they are unpacked")


def _unpacks(dataset, place, filters, size):
    """Whether the content of a chunk has its size when it is unpacked by gzip, szip or LZF."""
    if not {_GZIP, _SZIP} & filters.keys() and dataset.dtype.kind != "O":  # the filter itself states the size
        return True
    _, content = dataset.id.read_direct_chunk(place)
    (packed,) = (filters[number] for number in _COMPRESSING & filters.keys())
    if filters.get(_FLETCHER, -1) > packed:
        content = content[:-_CHECKSUM]
    elif _FLETCHER in filters:  # it is within what is compressed
        size += _CHECKSUM
    if _SZIP in filters:
        return int.from_bytes(content[:4], "little") == size
    try:
        unpacked = lzf.unpack(content, size) if _LZF in filters else zlib.decompressobj().decompress(content, size + 1)
    except (ValueError, zlib.error):
        return False
    return len(unpacked) == size


def _is_inside(dataset, length):
    """Return whether contiguous numbers end before the file does. The header of a compact dataset contains its
    numbers."""
    start = dataset.id.get_offset()
    return start is None or start + length <= dataset.file.id.get_filesize()


def read_texts(dataset: h5py.Dataset, name: object, heaps: Heaps) -> np.ndarray:
    """Return the texts of a dataset that `check_stored` has accepted.

    Args:
        name: name of the file, for an error. heaps: the heaps of the file.

    Raises:
        ValueError: the texts are not a list, or one text is too long or not stored.
        TooLarge: the texts are larger than the limit.
    """
    if dataset.ndim > 1:
        raise ValueError(f"{dataset.name!r} is a table of texts instead of a list")
    if dataset.dtype.kind == "O" and not heaps.check_texts(dataset, 4 * _LONGEST_STRING):
        raise ValueError(_long(dataset))
    view = dataset.asstr()
    if dataset.ndim == 0:
        return np.array(_short(dataset, [view[()]])[0], dtype=str)
    # All of them may be one long text, which the file contains once.
    block = max(1, int(largest_gb() * 1e9) // max(1, dataset.file.id.get_filesize()))
    texts: list[str] = []
    for start in range(0, len(dataset), block):
        texts += _short(dataset, view[start : start + block])
    check_size(4 * len(texts) * max(map(len, texts), default=0), name)
    return np.array(texts, dtype=str)


def read_attribute(one: h5py.Dataset | h5py.File, name: str, heaps: Heaps) -> Any:
    """Return an attribute, which must be small.

    Args:
        heaps: the heaps of the file.

    Raises:
        ValueError: it is large, has an unknown type, or has a text or a list that is not stored.
    """
    stored = one.attrs.get_id(name)
    if (size := math.prod(stored.shape) * stored.get_type().get_size()) > _LARGEST_ATTRIBUTE:
        raise ValueError(f"its attribute {name[:80]!r} has {size} bytes")
    heaps.check_attribute(stored)
    return one.attrs[name]


def _long(dataset):
    return f"{dataset.name!r} has a text of more than {_LONGEST_STRING:,} characters"


def _short(dataset, texts):
    if any(len(text) > _LONGEST_STRING for text in texts):
        raise ValueError(_long(dataset))
    return list(texts)
