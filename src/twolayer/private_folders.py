"""Folders for code, such as compiled functions, which only this user can write to."""

import atexit
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path

_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_ROOT = 0  # user id of the administrator


def private_folder(path: Path) -> Path:
    """Create a folder that only this user can write to, or return an existing one.

    A folder that others could write to is not used: it is removed and replaced by a new one.

    Returns: the path, or a temporary folder of this process if the path cannot be private: another user owns it or the
        folder above, or it cannot be written.
    """
    path = Path(path)
    if not hasattr(os, "geteuid"):  # on Windows the folders of a user belong to the user
        path.mkdir(parents=True, exist_ok=True)
        return path
    try:
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        if not _is_trusted(path.parent.parent):
            return temporary_folder()
        for folder in (path.parent, path):
            folder.mkdir(mode=0o700, exist_ok=True)
            if folder.stat().st_uid != os.geteuid():
                return temporary_folder()
        path.parent.chmod(stat.S_IMODE(path.parent.stat().st_mode) & ~_OTHERS)
        if path.stat().st_mode & _OTHERS:
            _replace(path)
        return path if os.access(path, os.W_OK) else temporary_folder()
    except OSError:
        return temporary_folder()


def is_private(path: str | Path | None) -> bool:
    """Return whether a folder exists, and only this user can write to it."""
    try:
        found = os.stat(path or "")
    except OSError:
        return False
    if not hasattr(os, "geteuid"):  # on Windows the folders of a user belong to the user
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & _OTHERS


@cache
def temporary_folder() -> Path:
    """Return a private folder that is removed with this process."""
    path, process = Path(tempfile.mkdtemp(prefix="twolayer-cache-")), os.getpid()
    atexit.register(lambda: os.getpid() == process and shutil.rmtree(path, ignore_errors=True))
    return path


def _is_trusted(folder):
    """Return whether only this user and the administrator can exchange the content of a folder."""
    found = folder.stat()
    closed = not found.st_mode & stat.S_IWOTH or found.st_mode & stat.S_ISVTX
    return bool(found.st_uid in (os.geteuid(), _ROOT) and closed)


def _replace(path):
    """Replace a folder that others could write to by a new folder."""
    old = Path(tempfile.mkdtemp(prefix=f"{path.name}-", dir=path.parent))
    path.rename(old / path.name)
    path.mkdir(mode=0o700)
    shutil.rmtree(old, ignore_errors=True)
