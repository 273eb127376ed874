"""The project of commands that start its Snakefile, which is a program: never one that somebody laid into a parent."""

import os
import stat
from pathlib import Path

from twolayer.errors import ConfigError
from twolayer.pipeline.catalogue import Catalogue

_PARTS = ("", "Snakefile", "workflow", "workflow/Snakefile", "config", "config/config.yaml")
_ROOT = 0  # user id of the administrator, who can do anything in any case


def trusted_root(named: Path | None) -> Path:
    """The folder of the project: the one that was named, or the current one, or the nearest above it.

    A folder above must belong to this user. The current folder may belong to somebody else, unless everybody can write
    to it.

    Args:
        named: by `--root`, if it was given.

    Raises:
        ConfigError: there is no project, or it belongs to somebody else and was not named.
    """
    if named is not None:
        if not (named / "config" / "config.yaml").is_file():
            raise ConfigError(f"{named} is no twolayer project: name the folder that holds config/config.yaml")
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
    """User id of somebody else whom a part of the project belongs to, or None."""
    owners = {(root / part).lstat().st_uid for part in _PARTS if os.path.lexists(root / part)}
    others = owners - {os.geteuid(), _ROOT}
    return f"user id {min(others)}" if others else None
