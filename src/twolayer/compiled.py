"""The folder in which numba caches compiled code. Its name is a fingerprint of the modules that compiled code can use.

numba recompiles a function when the file of the function changes. It ignores changes of called functions in other
files. With a single folder, an edit of `activations` would leave its compiled callers in use. An edit of a figure or
of the pipeline leaves the folder, and compiles nothing. The cache contains pickles, which can run any code, so only
this user can write to it. The same is true for the code that torch compiles.
"""

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from platformdirs import user_cache_path

from twolayer.private_folders import is_private, private_folder

VARIABLE = "NUMBA_CACHE_DIR"
_SET_HERE = "TWOLAYER_NUMBA_CACHE_DIR"  # the setting of this package and the user's setting; jobs inherit both
_OF_TORCH = "TORCHINDUCTOR_CACHE_DIR"
PACKAGE = Path(__file__).parent
_LAYERS = ("model", "simulation", "theory")  # packages with compiled functions; they import no other packages
_UNUSED = 7 * 24 * 3600  # seconds after which the compiled code of another state of the package is removed


def fingerprint(files: Iterable[Path]) -> str:
    """Return a name for the contents of these files, in this order."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def package_fingerprint(package: Path) -> str:
    """Return a name for the contents of the modules of a copy of this package that compiled functions can use."""
    layers = (path for layer in _LAYERS for path in (package / layer).rglob("*.py"))
    return fingerprint(sorted((*package.glob("*.py"), *layers)))


def cache_compiled_code() -> None:
    """Set the folder in which numba caches compiled code. The package calls it when it is imported."""
    folder = cache_folder() / package_fingerprint(PACKAGE)
    stated = _stated_folder()
    os.environ[VARIABLE] = str(folder)
    os.environ[_SET_HERE] = f"{folder}\n{stated}"
    if not is_private(os.environ.get(_OF_TORCH)):  # torch would use a folder in /tmp that anybody can create first
        os.environ[_OF_TORCH] = str(private_folder(folder.parent.with_name("torch")))
    if "numba" in sys.modules:  # numba has read its environment already
        sys.modules["numba"].config.reload_config()
    with contextlib.suppress(OSError):  # numba reports a cache that cannot be written
        if folder.exists():
            os.utime(folder)
        else:
            _remove_unused(folder.parent)


def _remove_unused(cache: Path) -> None:
    """Remove the folders of other states of the package that no process has used for a week."""
    for folder in cache.iterdir() if cache.exists() else ():
        if folder.is_dir() and time.time() - folder.stat().st_mtime > _UNUSED:
            shutil.rmtree(folder, ignore_errors=True)


def cache_folder() -> Path:
    """Return the folder that holds the compiled code of all states of the package. Only this user can write to it.

    It is in the folder that the user sets for numba if that folder is private, else in the user's cache. If the home
    cannot be written, or is unknown, as in a container whose user has no name, the folder for temporary files replaces
    it.
    """
    if (stated := _stated_folder()) and is_private(stated):
        return private_folder(Path(stated).absolute() / "twolayer" / "numba")
    with contextlib.suppress(RuntimeError):  # there is no home
        usual = user_cache_path("twolayer") / "numba"
        if usual.is_absolute() and can_be_written(usual):
            return private_folder(usual)
    # on Windows the folder for temporary files belongs to the user
    user = os.geteuid() if hasattr(os, "geteuid") else 0
    return private_folder(Path(tempfile.gettempdir()) / f"twolayer-{user}" / "numba")


def _stated_folder() -> str:
    """Return the folder that the user sets for numba, even in a process that inherits the setting of this package."""
    current = os.environ.get(VARIABLE, "")
    set_here, _, stated = os.environ.get(_SET_HERE, "").partition("\n")
    return stated if current == set_here else current


def can_be_written(folder: Path) -> bool:
    """Return whether this process can create files in a folder. The folder may not exist yet."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
