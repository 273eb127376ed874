"""The contents of files on which results depend. Snakemake only reruns a job if a file of its input is newer."""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from twolayer.errors import DataError, shown
from twolayer.storage.files import file_digest


def contents_digest(paths: Iterable[str]) -> str:
    """Return a name for the contents of files, which changes with each file, and with their order and number.

    Raises:
        DataError: a file cannot be read.
    """
    sha256 = hashlib.sha256()
    for path in paths:
        sha256.update(_digest(path))
    return sha256.hexdigest()


def _digest(path):
    try:
        state = Path(path).stat()
        # st_ctime also changes if a file is rewritten with the same size and modification time
        return _digest_of_state(path, state.st_dev, state.st_ino, state.st_mtime_ns, state.st_ctime_ns, state.st_size)
    except OSError as error:
        raise DataError(f"{shown(path)} cannot be read ({error.strerror}): give a file that you may read") from None


@cache  # Snakemake asks several times for each job
def _digest_of_state(path, *state):
    """Return the digest of a file in this state. The state is the key under which the digest is kept."""
    return bytes.fromhex(file_digest(Path(path)))
