"""Where numba keeps what it compiles: a folder named after the contents of the modules that it compiles.

numba looks only at the file that a compiled function stands in, not at what that function calls in other files: with
one folder for ever, an edit of `activations` would go unnoticed. It lies in the user's own cache, as does what torch
compiles.
"""

import hashlib
import os
import re
import sys
from pathlib import Path

from platformdirs import user_cache_path

from twolayer.private_folders import is_private, private_folder

_PACKAGE = Path(__file__).parent
_OF_TORCH = "TORCHINDUCTOR_CACHE_DIR"
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_FOLDERS = ("model", "theory", "simulation")


def compiled_files(package: Path) -> list[Path]:
    """The modules of a copy of this package that hold compiled functions, or what those call."""
    return [path for folder in _FOLDERS for path in sorted((package / folder).glob("*.py"))]


def fingerprint(files: list[Path]) -> str:
    """A name for the contents of these files together."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_compiled_code() -> None:
    """Let numba use that folder; called wherever the package is imported, before anything can be compiled."""
    os.environ["NUMBA_CACHE_DIR"] = str(guard_cache() / fingerprint(compiled_files(_PACKAGE)))
    if not is_private(os.environ.get(_OF_TORCH)):  # else in /tmp, under a name that anybody can take first
        os.environ[_OF_TORCH] = str(private_folder(_cache().with_name("torch")))
    if "numba" in sys.modules:  # it has read its environment already
        sys.modules["numba"].config.reload_config()


def guard_cache() -> Path:
    """The folder of what numba has compiled: pickles, which run whatever is in them. Only this user can write to it.

    It is the one that the environment names in NUMBA_CACHE_DIR if it is private, else one in the user's cache.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given and _FINGERPRINT.fullmatch(Path(given).name):  # set by this package, in a parent process
        given = Path(given).parent
    return Path(given) if is_private(given) else private_folder(_cache())


def _cache() -> Path:
    return user_cache_path("twolayer") / "numba"
