"""The folder in which numba caches compiled code. Its name is a fingerprint of all modules of this package.

numba recompiles a function when the file of the function changes. It does not look at the functions that are called
from other files. With a single folder, an edit of `activations` would leave its compiled callers in use.
"""

import contextlib
import functools
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from platformdirs import user_cache_path

from twolayer.errors import ConfigError

VARIABLE = "NUMBA_CACHE_DIR"
_SET_HERE = "TWOLAYER_NUMBA_CACHE_DIR"  # what this package wrote to it, and what the user had: jobs inherit both
_PACKAGE = Path(__file__).parent
_UNUSED = 7 * 24 * 3600  # seconds after which the compiled code of another state of the package is removed


def fingerprint(files: Iterable[Path]) -> str:
    """Return a name for the contents of these files, in this order."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def package_fingerprint(package: Path) -> str:
    """Return a name for the contents of all modules of a copy of this package."""
    return fingerprint(sorted(package.rglob("*.py")))


def cache_compiled_code() -> None:
    """Set the folder in which numba caches compiled code. The package calls it when it is imported."""
    folder = cache_folder() / package_fingerprint(_PACKAGE)
    stated = _stated_folder()
    os.environ[VARIABLE] = str(folder)
    os.environ[_SET_HERE] = f"{folder}\n{stated}"
    if "numba" in sys.modules:  # it has read its environment already
        sys.modules["numba"].config.reload_config()
    with contextlib.suppress(OSError):  # a cache that cannot be written is numba's to report
        if folder.exists():
            os.utime(folder)
        else:
            _remove_unused(folder.parent)


def _remove_unused(cache: Path) -> None:
    """Remove the folders of other states of the package that no process has used for a week."""
    for folder in cache.iterdir() if cache.exists() else ():
        if folder.is_dir() and time.time() - folder.stat().st_mtime > _UNUSED:
            shutil.rmtree(folder, ignore_errors=True)


def guard_cache() -> None:
    """Keep what numba will load to this user: it holds machine code in pickles, which run whatever is in them.

    Raises:
        ConfigError: the folder belongs to someone else.
    """
    folder = cache_folder()
    with contextlib.suppress(OSError):  # a disk that is full: most commands compile nothing
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not folder.exists():
        return
    if folder.stat().st_uid != os.geteuid():
        raise ConfigError(
            f"{folder}, from where compiled code is loaded, belongs to someone else: set XDG_CACHE_HOME to a folder of "
            "your own"
        )
    if folder.stat().st_mode & 0o022:
        folder.chmod(0o700)


def cache_folder() -> Path:
    """Return the folder that holds the compiled code of all states of the package.

    It is in the folder that the user states for numba, else in the user's cache. A home that cannot be written, or is
    unknown, as in a container whose user has no name, is replaced by the folder for temporary files.
    """
    if stated := _stated_folder():
        return Path(stated).absolute() / "twolayer"
    with contextlib.suppress(RuntimeError):  # there is no home
        usual = user_cache_path("twolayer") / "numba"
        if usual.is_absolute() and can_be_written(usual):
            return usual
    return _temporary_cache()


def _stated_folder() -> str:
    """Return the folder that the user states for numba, also in a process that inherits what this package set."""
    current = os.environ.get(VARIABLE, "")
    set_here, _, stated = os.environ.get(_SET_HERE, "").partition("\n")
    return stated if current == set_here else current


@functools.cache
def _temporary_cache() -> Path:
    """Return a cache among the temporary files that nobody else can write: numba runs what it loads from there."""
    user = os.geteuid() if hasattr(os, "geteuid") else 0  # on Windows the folder for temporary files is the user's own
    folder = Path(tempfile.gettempdir()) / f"twolayer-{user}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        there = folder.lstat()
        private = there.st_uid == user and not there.st_mode & 0o022
        if stat.S_ISDIR(there.st_mode) and (private or sys.platform == "win32"):
            return folder / "numba"
    return Path(tempfile.mkdtemp(prefix="twolayer-"))


def can_be_written(folder: Path) -> bool:
    """Return whether this process can create files in a folder, which need not exist yet."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
