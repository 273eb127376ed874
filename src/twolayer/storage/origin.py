"""The origin of a result: the versions of this package and of its libraries, the commit, the machine and the date."""

import importlib.metadata
import os
import platform
import subprocess
import tomllib
from datetime import UTC, datetime
from pathlib import Path

from twolayer.processor import instructions, processor
from twolayer.storage.attributes import CURRENT_FORMAT, FORMAT, GIT_COMMIT
from twolayer.versions import __version__

_LIBRARIES = ("numpy", "scipy", "numba", "xarray", "torch")
# A Git that calls this program, for instance from a hook, sets these variables to its own repository.
_GIT_VARIABLES = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"}


def provenance() -> dict[str, str]:
    """Return the attributes of a result that state its origin: versions, commit, date, machine and processor."""
    return {
        FORMAT: CURRENT_FORMAT,
        "twolayer_version": __version__,
        "git_commit": git_commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": ", ".join(filter(None, (processor(), instructions()))),
        **library_versions(),
    }


def library_versions() -> dict[str, str]:
    """Return the versions of the libraries that affect numbers, as attributes of a result."""
    return {f"version_{library}": _version(library) for library in _LIBRARIES}


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "none"  # torch is an extra


def git_commit() -> str:
    """Return the hash of the commit of this project, as `rev-parse` gives it.

    A repository that only contains the installed package, for instance in a virtual environment, does not count.
    """
    project = Path(__file__).parents[3]
    if not (project / ".git").exists() or not _is_our_project(project):
        return "unknown"
    found = _git("-C", str(project), "rev-parse", "--verify", "--short=12", "HEAD")
    dirty = _git("-C", str(project), "status", "--porcelain", "--untracked-files=no")
    commit = f"{found}-dirty" if found and dirty else found
    return commit if commit and GIT_COMMIT.fullmatch(commit) else "unknown"  # there is none on a machine without git


def _git(*arguments):
    """Return the output of git, or None if it fails."""
    command = ["git", "--no-optional-locks", *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _is_our_project(folder: Path) -> bool:
    """Return whether a folder holds the source of this package."""
    try:
        described = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    inside = (folder / "src" / "twolayer").resolve() == Path(__file__).parents[1].resolve()
    return inside and described.get("project", {}).get("name") == "twolayer"
