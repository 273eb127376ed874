"""Files from other sources, and files for other programs.

Only regular files are opened, and a limit bounds the memory for their unpacked content. Files are written completely or
not at all, and never through a link.
"""

import errno
import gzip
import hashlib
import io
import os
import re
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from twolayer.errors import ConfigError, DataError, ResultError

LARGEST = "TWOLAYER_LARGEST_GB"  # environment variable: the limit of this process and its children
DEFAULT_GB = 4.0
_GB = 10**9
_CHUNK = 2**20
# Flags that some systems lack.
_NONBLOCK, _CLOEXEC, _NOFOLLOW, _BINARY = (
    getattr(os, f"O_{name}", 0) for name in ("NONBLOCK", "CLOEXEC", "NOFOLLOW", "BINARY")
)
# What helps against the error of a file that cannot be written.
_FULL, _OTHER_USER = "free some space, or give another path", "check the owner of the folder, or give another path"
WRITE_REMEDIES = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: "raise the limit of file sizes with `ulimit -f`",
    errno.EROFS: _OTHER_USER,
    errno.EACCES: _OTHER_USER,
    errno.EPERM: _OTHER_USER,
    errno.ENAMETOOLONG: "give a shorter path",
}
_given: ContextVar[float | None] = ContextVar("largest_gb", default=None)


class TooLarge(DataError):
    """A file would take more memory than the limit."""


@contextmanager
def limited_to(largest_gb: float | None) -> Iterator[None]:
    """Set the limit inside the block.

    Args:
        largest_gb: limit in 10^9 bytes. None keeps the present limit.

    Raises:
        ConfigError: the limit is not a positive number.
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
        name: name of the file, for the error.

    Raises:
        TooLarge: the object is larger than the limit.
    """
    if count > (limit := largest_gb()) * _GB:
        raise TooLarge(
            f"{name} has {count / _GB:.3g} GB when it is unpacked, and the limit is {limit:g} GB: "
            f"set largest_gb to {1.1 * count / _GB:.2g} if you trust it"
        )


def open_regular(path: Path, *, follow: bool = True) -> BinaryIO:
    """Open a regular file for reading, without waiting for another process.

    Args:
        follow: whether a symbolic link is allowed.

    Raises:
        OSError: the file is missing, may not be read, or is a FIFO, a socket, a device or (see `follow`) a link.
    """
    flags = os.O_RDONLY | _NONBLOCK | _CLOEXEC | _BINARY | (0 if follow else _NOFOLLOW)
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


def file_digest(path: Path) -> str:
    """Return the SHA-256 of the contents of a regular file, of any size.

    Raises:
        OSError: see `open_regular`.
    """
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def decompress_gzip(content: bytes, name: object) -> bytes:
    """Unpack a gzip file of one or several members, within the limit.

    Args:
        name: name of the file, for an error.

    Raises:
        EOFError: the content is truncated.
        gzip.BadGzipFile, zlib.error: the content is damaged, or not a gzip file.
        TooLarge: the unpacked content is larger than the limit.
    """
    parts, total = [], 0
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        while part := file.read(_CHUNK):
            total += len(part)
            check_size(total, name)
            parts.append(part)
    return b"".join(parts)


def host() -> str:
    """Return the name of this machine, for names of files."""
    return socket.gethostname()[:64]


def partial_path(path: Path) -> Path:
    """Return a new path in the folder of `path`, for content that replaces the file at `path` when it is complete.

    It has the suffix of `path`, from which writers choose a format.
    """
    return path.with_name(f".partial-{host()}-{os.getpid()}-{secrets.token_hex(8)}-{path.name}")


def create(path: Path) -> None:
    """Create an empty file if it does not exist.

    Raises:
        OSError: a file or a link exists, or the folder cannot be written.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW, 0o666))


@contextmanager
def replacing(path: Path):
    """Provide a temporary path in the folder of `path`, which replaces it if the block succeeds, and is removed
    otherwise.

    Its name contains host and process, by which leftovers are found, and a random part. The file is new, so that nobody
    can have placed a link there.

    Raises:
        ResultError: the disk is full, the folder cannot be written, or another process replaced the file by a link.
    """
    path = Path(path)
    temporary = partial_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        create(temporary)
        yield temporary
        if not stat.S_ISREG(temporary.lstat().st_mode):
            raise ResultError(
                f"{path} was not written, because another process replaced its temporary file by a link: check the "
                "folder"
            )
        os.replace(temporary, path)
    except OSError as error:
        raise not_written(path, error) from error
    finally:
        with suppress(OSError):  # it usually does not exist any more
            temporary.unlink()


def not_written(name: Path | str, error: OSError) -> ResultError:
    """Return the error for a file that could not be written, with a remedy for its reason."""
    remedy = WRITE_REMEDIES.get(error.errno, "give another path")
    return ResultError(f"{name} cannot be written ({error.strerror or error}): {remedy}")


def opened(temporary: Path) -> BinaryIO:
    """Return the file from `replacing`, open for writing."""
    return os.fdopen(os.open(temporary, os.O_WRONLY | os.O_TRUNC | _BINARY | _NOFOLLOW), "wb")


def write_text(text: str, path: Path) -> None:
    """Write a text file, atomically."""
    write_bytes(text.encode("utf-8"), path)


def write_bytes(content: bytes, path: Path) -> None:
    """Write a file, atomically."""
    with replacing(path) as temporary, opened(temporary) as file:
        file.write(content)


def remove_abandoned(folder: Path, *, deep: bool = False) -> int:
    """Remove the partial files that processes of this machine left behind when they were killed.

    Files of other machines are kept, since their processes may be alive.

    Args:
        deep: whether to include the subfolders.

    Returns:
        The number of files that were removed.
    """
    removed = 0
    written = re.compile(rf"\.partial-{re.escape(host())}-(\d+)-.+")
    for path in Path(folder).glob("**/.partial-*" if deep else ".partial-*"):
        owner = written.fullmatch(path.name)
        if owner and not _is_alive(int(owner[1])):
            with suppress(OSError):  # another process has removed it, or the folder is read-only
                path.unlink()
                removed += 1
    return removed


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):  # a process of another user, or a number that no process can have
        return True
    return True
