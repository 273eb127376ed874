"""Where numba keeps what it compiles: a folder named after the contents of the modules that it compiles.

numba looks only at the file that a compiled function stands in, not at what that function calls in other files: with
one folder for ever, an edit of `activations` would go unnoticed. It lies in the user's own cache.
"""

import hashlib
import os
import sys
from pathlib import Path

from platformdirs import user_cache_path

from twolayer.errors import ConfigError

_PACKAGE = Path(__file__).parent
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
    os.environ["NUMBA_CACHE_DIR"] = str(_cache() / fingerprint(compiled_files(_PACKAGE)))
    if "numba" in sys.modules:  # it has read its environment already
        sys.modules["numba"].config.reload_config()


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
