"""The folder in which numba caches compiled code. Its name is a fingerprint of all modules of this package.

numba recompiles a function when the file of the function changes. It does not look at the functions that are called
from other files. With a single folder, an edit of `activations` would leave its compiled callers in use.
"""

import contextlib
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from platformdirs import user_cache_path

from twolayer.errors import ConfigError

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
    folder = _cache() / package_fingerprint(_PACKAGE)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
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
    folder = _cache()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.geteuid():
        raise ConfigError(
            f"{folder}, from where compiled code is loaded, belongs to someone else: set XDG_CACHE_HOME to a folder of "
            "your own"
        )
    if folder.stat().st_mode & 0o022:
        folder.chmod(0o700)


def _cache() -> Path:
    return user_cache_path("twolayer") / "numba"
