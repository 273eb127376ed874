"""Where numba keeps what it compiles: a folder named after the contents of the modules that it compiles.

numba looks only at the file that a compiled function stands in, not at what that function calls in other files: with
one folder for ever, an edit of `activations` would go unnoticed.
"""

import hashlib
import os
import sys
from pathlib import Path

from platformdirs import user_cache_path

_PACKAGE = Path(__file__).parent
_FOLDERS = ("model", "theory", "simulation")


def fingerprint(files: list[Path]) -> str:
    """A name for the contents of these files together."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_compiled_code() -> None:
    """Let numba use that folder; called wherever the package is imported, before anything can be compiled."""
    name = fingerprint([path for folder in _FOLDERS for path in sorted((_PACKAGE / folder).glob("*.py"))])
    os.environ["NUMBA_CACHE_DIR"] = str(user_cache_path("twolayer") / "numba" / name)
    if "numba" in sys.modules:  # it has read its environment already
        sys.modules["numba"].config.reload_config()
