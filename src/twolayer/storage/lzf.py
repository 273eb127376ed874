"""Bytes that LZF has packed, the fast filter of h5py.

They are a sequence of two sorts of parts. Each begins with a byte, whose upper three bits are zero for new bytes. Then
up to 32 new bytes follow. Otherwise the part copies earlier bytes: these three bits are their number minus 2, with one
more byte if they are all set. The lower five bits and the next byte are the distance to them, minus 1.
"""


def unpack(packed: bytes, size: int) -> bytes:
    """Return the bytes that LZF has packed.

    Raises:
        ValueError: their number is not this size, or a part is damaged.
    """
    unpacked = bytearray()
    place = 0
    while place < len(packed) and len(unpacked) < size:
        code, place = packed[place], place + 1
        if code < 32:
            unpacked += packed[place : place + code + 1]
            place += code + 1
            continue
        count = (code >> 5) + 2
        if count == 9:
            count, place = count + _byte(packed, place), place + 1
        start = len(unpacked) - 1 - ((code & 31) << 8) - _byte(packed, place)
        place += 1
        if start < 0:
            raise ValueError("bytes packed by LZF are damaged")
        period = bytes(unpacked[start : start + count])  # shorter than its copies, if these overlap
        unpacked += (period * count)[:count]
    if len(unpacked) != size or place != len(packed):
        raise ValueError("bytes packed by LZF do not have their size")
    return bytes(unpacked)


def _byte(packed, place):
    return int.from_bytes(packed[place : place + 1])
