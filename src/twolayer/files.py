"""Files from elsewhere: only regular files are opened, and a limit bounds how much of them is unpacked into memory."""

import errno
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from twolayer.errors import ConfigError, DataError

LARGEST = "TWOLAYER_LARGEST_GB"  # environment variable: the limit of this process and of those that it starts
DEFAULT_GB = 4.0
_GB = 10**9
_CHUNK = 2**20
_given: ContextVar[float | None] = ContextVar("largest_gb", default=None)


class TooLarge(DataError):
    """A file would take more memory than the limit."""


@contextmanager
def limited_to(largest_gb: float | None) -> Iterator[None]:
    """Set the limit inside the block.

    Args:
        largest_gb: limit in 10^9 bytes. None keeps the limit that holds outside.

    Raises:
        ConfigError: it is not a positive number.
    """
    token = _given.set(_given.get() if largest_gb is None else _positive(largest_gb, "largest_gb"))
    try:
        yield
    finally:
        _given.reset(token)


def largest_gb() -> float:
    """Return the limit in 10^9 bytes: the innermost `limited_to`, else the environment, else 4.

    Raises:
        ConfigError: the environment variable is not a positive number.
    """
    if (given := _given.get()) is not None:
        return given
    return _positive(os.environ.get(LARGEST) or DEFAULT_GB, LARGEST)


def _positive(value, name):
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if isinstance(value, bool) or not 0 < number < 1e9:
        raise ConfigError(f"{name} is {str(value)[:80]!r}: it must be a positive number of gigabytes")
    return number


def check_size(count: int, name: object) -> None:
    """Check that an object of `count` bytes is within the limit.

    Args:
        name: the file, for the error.

    Raises:
        TooLarge: it is not.
    """
    if count > (limit := largest_gb()) * _GB:
        raise TooLarge(
            f"{name} holds {count / _GB:.3g} GB when it is unpacked, and at most {limit:g} GB are read: "
            f"set largest_gb to {1.1 * count / _GB:.2g} if you trust it"
        )


def open_regular(path: Path, *, follow: bool = True) -> BinaryIO:
    """Open a regular file for reading, without waiting for anybody.

    Args:
        follow: whether a symbolic link may stand in its place.

    Raises:
        OSError: the file is missing, may not be read, or is a FIFO, a socket, a device or (see `follow`) a link.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        number = os.open(path, flags)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise _not_regular(error.errno, path) from None
        raise
    kind = os.fstat(number).st_mode
    if not stat.S_ISREG(kind):
        os.close(number)
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise _not_regular(errno.EINVAL, path)
    return os.fdopen(number, "rb")


def _not_regular(number, path):
    return OSError(number, "it is a link, a FIFO, a socket or a device instead of a file", str(path))


def read_regular(path: Path, *, follow: bool = True) -> bytes:
    """Read a regular file that is within the limit, see `open_regular`.

    Raises:
        OSError: see `open_regular`.
        TooLarge: the file is larger than the limit.
    """
    with open_regular(path, follow=follow) as file:
        check_size(os.fstat(file.fileno()).st_size, path)
        return file.read()


def decompress_gzip(content: bytes, name: object) -> bytes:
    """Unpack a gzip file of one or several members, within the limit.

    Raises:
        EOFError: it is truncated.
        zlib.error: it is damaged, or not a gzip file.
        TooLarge: it unpacks to more than the limit.
    """
    parts, total = [], 0
    while content:
        member = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        while not member.eof:
            part = member.decompress(content, _CHUNK)
            content = member.unused_data if member.eof else member.unconsumed_tail
            total += len(part)
            check_size(total, name)
            parts.append(part)
            if not part and not content and not member.eof:
                raise EOFError
        content = content.lstrip(b"\0")  # padding, as gzip allows it behind a member
    return b"".join(parts)
