"""Texts and lists of variable length in HDF5 files, checked before HDF5 reads them.

The file has a reference to each of them: its length, the address of a heap, and its number in the heap. HDF5 trusts
the length, and reserves that much memory before it looks at the heap. Here, no length is larger than the stored part.
"""

import math
import zlib
from collections.abc import Iterator
from mmap import mmap

import h5py
import numpy as np
from h5py import h5a, h5t, h5z

from twolayer.storage import lzf

_REFERENCE = np.dtype([("length", "<u4"), ("address", "<u8"), ("number", "<u4")])
_HEAP = b"GCOL\1"  # beginning of a heap
_SIGNATURE = b"\x89HDF\r\n\x1a\n"  # beginning of the file, after a block of the user
_SIZES = {0: 13, 1: 13, 2: 9, 3: 9}  # version of the beginning -> place of the sizes of addresses and lengths
_KNOWN = (h5t.INTEGER, h5t.FLOAT, h5t.ENUM, h5t.STRING, h5t.REFERENCE, h5t.VLEN, h5t.COMPOUND)
_VARIABLE = 9  # class of types with a variable length, in the lower half of the first byte of a type
_LONGER = "it has a text that is longer than its stored part"


class Heaps:
    """The heaps of an HDF5 file.

    Args:
        content: the complete file.

    Raises:
        ValueError: it is not an HDF5 file, or its addresses and lengths do not have eight bytes, as all programs write
            them.
    """

    def __init__(self, content: bytes | mmap):
        places = (0, *(2**power for power in range(9, len(content).bit_length())))
        start = next((place for place in places if content[place : place + 8] == _SIGNATURE), None)
        if start is None:
            raise ValueError("it does not have the signature of HDF5")
        sizes = start + _SIZES.get(content[start + 8], 13)
        if content[sizes : sizes + 2] != b"\x08\x08":
            raise ValueError("its addresses do not have eight bytes")
        self._content = content
        self._start = start
        self._lengths: dict[int, dict[int, int]] = {}
        self._read = 0  # bytes of all heaps that were read
        self._checked: set[bytes] = set()  # names of attributes

    def check_attribute(self, attribute: h5a.AttrID) -> None:
        """Check an attribute of numbers, of texts, or of lists of references to variables.

        Raises:
            ValueError: it has another type, or a text or a list is longer than its stored part.
        """
        dtype, shown = attribute.get_type(), f"its attribute {attribute.name.decode(errors='replace')[:80]!r}"
        if not _is_known(dtype):
            raise ValueError(f"{shown} is neither numbers nor texts")
        if not _is_variable(dtype) or attribute.name in self._checked:
            return
        places = [*self._values_of(attribute.name)]
        if math.prod(attribute.shape) not in {count for _, count, _ in places}:
            raise ValueError(f"{shown} is not stored as HDF5 writes it")
        for begin, count, item in places:
            self.check(self._content[begin : begin + count * _REFERENCE.itemsize], item)
        self._checked.add(attribute.name)

    def _values_of(self, name: bytes) -> Iterator[tuple[int, int, int]]:
        """Yield the place of the references, their number and the bytes of an item for all attributes of a name."""
        content, needle = self._content, name + b"\0"
        at = content.find(needle)
        while at >= 0:
            for version, start in ((1, at - 8), (2, at - 8), (3, at - 9)):
                if start >= 0 and content[start] == version and self._number(start + 2, 2) == len(needle):
                    step = 8 if version == 1 else 1  # the parts of the first version are filled up to eight bytes
                    dtype = at + _filled(len(needle), step)
                    space = dtype + _filled(self._number(start + 4, 2), step)
                    if content[start + 1]:
                        raise ValueError("it has an attribute with a named type")
                    if content[dtype] & 15 == _VARIABLE:
                        begin = space + _filled(self._number(start + 6, 2), step)
                        yield begin, self._count(space), self._number(dtype + 12, 4)
            at = content.find(needle, at + 1)

    def _count(self, space):
        """Return the number of elements of a dataspace."""
        sizes = space + {1: 8, 2: 4}.get(self._content[space], 0)
        return math.prod(self._number(sizes + 8 * axis, 8) for axis in range(self._content[space + 1]))

    def _number(self, place, size):
        return int.from_bytes(self._content[place : place + size], "little")

    def check_texts(self, dataset: h5py.Dataset, longest: int) -> bool:
        """Check the texts of variable length of a dataset.

        Args:
            longest: largest length in bytes.

        Returns: whether no text is longer than that.

        Raises:
            ValueError: a text is longer than its stored part, or the texts are in the header of the dataset.
        """
        if dataset.chunks:
            parts = _chunks(dataset)
        elif (begin := dataset.id.get_offset()) is not None:
            parts = [self._content[begin : begin + dataset.size * _REFERENCE.itemsize]]
        elif dataset.id.get_storage_size():
            raise ValueError(f"{dataset.name!r} has its texts in its header")
        else:
            parts = []
        return all([self.check(part, 1) <= longest for part in parts])

    def check(self, references: bytes, item: int) -> int:
        """Check references to texts or lists whose items have a number of bytes, and return the largest length."""
        longest = 0
        for length, address, number in np.frombuffer(references, _REFERENCE).tolist():
            if address:  # there is no text at the address 0
                if length * item > self._lengths_at(address).get(number, -1):
                    raise ValueError(_LONGER)
                longest = max(longest, length)
        return longest

    def _lengths_at(self, address):
        """Return number -> length in bytes of each object in a heap."""
        if address not in self._lengths:
            begin = self._start + address
            if self._content[begin : begin + len(_HEAP)] != _HEAP:
                raise ValueError(_LONGER)
            end = min(len(self._content), begin + self._number(begin + 8, 8))
            self._lengths[address] = dict(self._objects(begin + 16, end))
            self._read += end - begin
            if self._read > len(self._content):
                raise ValueError("its heaps of texts overlap")
        return self._lengths[address]

    def _objects(self, at, end):
        while at + 16 <= end:
            number, length = self._number(at, 2), self._number(at + 8, 8)
            if number == length == 0:
                raise ValueError("its heap of texts does not end")
            if number:
                yield number, length
            at += 16 + _filled(length, 8) if number else length  # the size of free space includes its header


def _is_known(dtype):
    """Return whether a type has numbers, texts, references to variables or lists of them."""
    found = dtype.get_class()
    if found not in _KNOWN:
        return False
    if found == h5t.COMPOUND:
        return not any(_is_variable(member) for member in _members(dtype)) and all(map(_is_known, _members(dtype)))
    return found != h5t.VLEN or dtype.get_super().get_class() == h5t.REFERENCE


def _members(dtype):
    return [dtype.get_member_type(place) for place in range(dtype.get_nmembers())]


def _is_variable(dtype):
    found = dtype.get_class()
    return found == h5t.VLEN or (found == h5t.STRING and dtype.is_variable_str())


def _filled(size, step):
    return -(-size // step) * step


def _chunks(dataset):
    """Yield the references in each chunk of a dataset. HDF5 packs them by gzip or LZF only.

    Raises:
        ValueError: they are packed by another filter.
    """
    plan, stored = dataset.id.get_create_plist(), []
    filters = [plan.get_filter(place)[0] for place in range(plan.get_nfilters())]
    dataset.id.chunk_iter(lambda chunk: stored.append((chunk.chunk_offset, chunk.filter_mask)))
    for offset, mask in stored:
        used = [number for place, number in enumerate(filters) if not mask >> place & 1]
        _, content = dataset.id.read_direct_chunk(offset)
        if used == [h5z.FILTER_DEFLATE]:
            content = zlib.decompress(content)
        elif used == [h5z.FILTER_LZF]:
            content = lzf.unpack(content, math.prod(dataset.chunks) * _REFERENCE.itemsize)
        elif used:
            raise ValueError(f"{dataset.name!r} has texts that are packed by another filter than gzip or LZF")
        yield content
