"""The project folder for commands that start its Snakefile, a program, so that another user cannot provide it."""

import os
import stat
from pathlib import Path

from twolayer.errors import ConfigError
from twolayer.pipeline.catalogue import Catalogue

_PARTS = ("", "Snakefile", "workflow", "workflow/Snakefile", "config", "config/config.yaml")
_ROOT = 0  # user id of the administrator, who can do anything in any case


def trusted_root(named: Path | None) -> Path:
    """Return the folder of the project: the given folder, or the current folder, or the nearest folder above it.

    A folder above must belong to this user. The current folder may belong to another user, unless everybody can write
    to it.

    Args:
        named: value of `--root`, if it was given.

    Raises:
        ConfigError: there is no project, or it belongs to another user and was not given by `--root`.
    """
    if named is not None:
        if not (named / "config" / "config.yaml").is_file():
            raise ConfigError(f"{named} is not a twolayer project: give the folder with config/config.yaml")
        return named
    root, here = Catalogue.find_root(), Path.cwd()
    shared = stat.S_IMODE(root.stat().st_mode) & stat.S_IWOTH
    if (root != here or shared) and (owner := _other_owner(root)):
        raise ConfigError(
            f"the project {root} belongs to another user ({owner}), and this command starts its Snakefile: call it "
            f"with --root {root} if you trust that user"
        )
    return root


def _other_owner(root):
    """Return the user id of another owner of a part of the project, or None."""
    owners = {(root / part).lstat().st_uid for part in _PARTS if os.path.lexists(root / part)}
    others = owners - {os.geteuid(), _ROOT}
    return f"user id {min(others)}" if others else None
