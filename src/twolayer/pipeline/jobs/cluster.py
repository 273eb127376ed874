"""Checks before the first job is submitted to a SLURM cluster, with one sentence for each error."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from twolayer.errors import ConfigError, known, shown

_OBEYED = set('"$`\\')  # characters with a meaning between double quotes
_PROFILE = "workflow/profiles/slurm/config.yaml"


def check_folders(*folders: Path) -> None:
    """Check that the names of folders have no special characters of a shell.

    The plug-in passes the command of a job to sbatch between double quotes.

    Raises:
        ConfigError: a path has such a character.
    """
    for folder in folders:
        if found := sorted(set(str(folder)) & _OBEYED):
            raise ConfigError(
                f"the path {shown(str(folder))} has the character {found[0]}, which a shell interprets when a job is "
                "submitted: rename the folder"
            )


def check(partitions: Iterable[str | None]) -> None:
    """Check that the cluster has the requested partitions.

    Args:
        partitions: partitions that jobs request; None is the default of the cluster.

    Raises:
        ConfigError: SLURM or a partition does not exist, or there is no default partition and a job needs it.
    """
    if shutil.which("sinfo") is None:
        raise ConfigError("this machine has no SLURM (sinfo is not found): submit from a login node of the cluster")
    listed = subprocess.run(["sinfo", "--noheader", "--format=%P"], capture_output=True, text=True)
    if listed.returncode:
        raise ConfigError(f"sinfo fails ({listed.stderr.strip()[:200]}): try again when `sinfo` works here")
    there = listed.stdout.split()
    names = {name.rstrip("*") for name in there}
    for wanted in dict.fromkeys(partitions):
        if wanted is None and not any(name.endswith("*") for name in there):
            raise ConfigError(
                f"this cluster has no default partition: set slurm_partition in {_PROFILE} to one of "
                f"{known(sorted(names))}"
            )
        if wanted is not None and wanted not in names:
            raise ConfigError(
                f"slurm_partition is {wanted!r}, which is not a partition of this cluster: set it in {_PROFILE} to "
                "one of "
                f"{known(sorted(names), wanted)}"
            )
