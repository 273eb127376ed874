"""Recovery after Snakemake was killed: its lock is removed, but only if none of its jobs runs any more.

Jobs outlive Snakemake, on this machine and on a cluster. If a running job were started again, its result would be
computed twice.
"""

import os
import shutil
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil

from twolayer.errors import ConfigError
from twolayer.pipeline.project import snakemake_command
from twolayer.pipeline.snakemake_adapter import has_submitted
from twolayer.storage import files

_PROGRAMS = ("snakemake", "twolayer")
_STARTED = Path("results", ".running")  # contains a file for each Snakemake that runs, or was killed


def note_start(root: Path) -> None:
    """Record that Snakemake runs here, for other machines that share the folder."""
    note = note_path(root)
    note.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(note, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666))


def note_end(root: Path) -> None:
    """Remove the record of `note_start`."""
    note_path(root).unlink(missing_ok=True)


def remove_abandoned(root: Path) -> None:
    """Remove the partial files that killed jobs of this machine left in a project."""
    for folder in ("results", "figures"):
        files.remove_abandoned(root / folder, deep=True)


def recover(root: Path) -> int:
    """Unlock a project, remove the partial files of killed jobs, and return their number.

    Returns: the number of partial files.

    Raises:
        ConfigError: a job of the workflow still runs, or may run.
    """
    root = Path(root).resolve()
    processes, jobs = _processes(root), _cluster_jobs(root)
    ways = [f"`kill {' '.join(processes)}`"] * bool(processes) + [f"`scancel {' '.join(jobs)}`"] * bool(jobs)
    running = [f"process {number} ({words})" for number, words in processes.items()]
    running += [f"SLURM job {number} ({words})" for number, words in jobs.items()]
    if running:
        raise ConfigError(f"still runs: {'; '.join(running)}: wait for it, or end it with {' and '.join(ways)}")
    if others := sorted(_elsewhere(root)):
        raise ConfigError(
            f"Snakemake was also started on {', '.join(others)}: call `make recover` there, or, if that machine "
            f"no longer exists, remove its file from {_STARTED}"
        )
    done = subprocess.run([*snakemake_command(root), "--unlock"], cwd=root, capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode}"
        raise ConfigError(
            f"`snakemake --unlock` failed ({reason[:200]}): correct the cause, and call this command again"
        )
    shutil.rmtree(root / _STARTED, ignore_errors=True)
    found = (path for folder in ("results", "figures") for path in (root / folder).rglob(".partial-*"))
    partial = [path for path in found if path.is_symlink() or not path.is_dir()]
    for path in partial:
        path.unlink(missing_ok=True)
    return len(partial)


def note_path(root: Path) -> Path:
    """Return the file that records that this process runs Snakemake in a project."""
    return root / _STARTED / f"{socket.gethostname()}-{os.getpid()}"


def _elsewhere(root):
    """Return other machines on which Snakemake was started and did not end."""
    notes = (note.name.rpartition("-")[0] for note in (root / _STARTED).glob("*"))
    return {host for host in notes if host != socket.gethostname()}


def _processes(root):
    """Return processes of the workflow on this machine: number -> command."""
    found = {}
    ancestors = {os.getpid(), *(process.pid for process in psutil.Process().parents())}
    for process in psutil.process_iter():
        try:
            words, folder = process.cmdline(), Path(process.cwd())
        except (psutil.Error, OSError):  # the process belongs to another user, or has ended
            continue
        ours = any(Path(word).name in _PROGRAMS or word.startswith("twolayer.pipeline.") for word in words[:4])
        if ours and process.pid not in ancestors and (folder == root or root in folder.parents):
            found[str(process.pid)] = " ".join(words)[:100]
    return found


def _cluster_jobs(root):
    """Return jobs of the workflow in the queue of a SLURM cluster: number -> description; none if none was
    submitted."""
    if not has_submitted(root) or shutil.which("squeue") is None:
        return {}
    done = subprocess.run(["squeue", "--me", "--noheader", "--format=%i|%Z|%k"], capture_output=True, text=True)
    if done.returncode:
        raise ConfigError(f"squeue fails ({done.stderr.strip()[:200]}): try again later")
    lines = (line.split("|", 2) for line in done.stdout.splitlines())
    return {number: comment for number, folder, comment in lines if Path(folder) == root}
