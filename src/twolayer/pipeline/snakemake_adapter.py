"""Access to undocumented parts of Snakemake. If a part is missing, the workflow loses only a convenience."""

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from twolayer.errors import ConfigError
from twolayer.pipeline.configuration import parsed

_DEFAULT_RATE = "100/1s"  # rate of Snakemake's option --max-jobs-per-timespan
_RATE_OPTIONS = "--max-jobs"  # beginning of the names of the options that limit the rate of jobs
_FOLDER = ".snakemake"


@dataclass(frozen=True)
class Job:
    """A job that Snakemake will start.

    Attributes:
        number: number of the job in the events of the logger.
        rule: name of the rule.
    """

    number: int
    rule: str
    wildcards: Any


def _part(workflow, path, default):
    """Return an attribute of Snakemake's workflow, "a.b" for a nested attribute, or the default if it is missing."""
    with suppress(AttributeError):
        return attrgetter(path)(workflow)
    return default


def folder_of_rules(workflow: Any) -> Path:
    """Return the folder of the file of rules that is being read, or else the folder of the Snakefile."""
    return Path(str(_part(workflow, "current_basedir", workflow.basedir)))


def with_types(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings in which texts inside of mappings and lists have the types of YAML, such as numbers.

    Snakemake reads `--config KEY={a: 1}` as a mapping of texts. In a second pair of quotes, a text remains a text.
    """
    return {key: value if isinstance(value, str) else _typed(value) for key, value in settings.items()}


def _typed(value):
    if isinstance(value, Mapping):
        return {key: _typed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_typed(one) for one in value]
    if not isinstance(value, str):
        return value
    try:
        read = parsed(value, "--config")
    except ConfigError:
        return value
    return value if isinstance(read, dict | list) else read


def is_main_process(workflow: Any) -> bool:
    """Return whether this process is the Snakemake that the user started, and not one of its jobs."""
    return _part(workflow, "is_main_process", True)


def runs_here(workflow: Any) -> bool:
    """Return whether jobs run on this machine, and not on a cluster."""
    return _part(workflow, "local_exec", True)


def sends_groups(workflow: Any) -> bool:
    """Return whether jobs are submitted to a cluster in groups, or this process runs such a group there."""
    return not runs_here(workflow) or _part(workflow, "remote_exec", False)


def uses_slurm(workflow: Any) -> bool:
    """Return whether jobs are submitted to SLURM."""
    return _part(workflow, "executor_plugin.name", None) == "slurm"


def cores(workflow: Any) -> int:
    """Return the number of cores that jobs may use together."""
    return _part(workflow, "resource_settings.cores", None) or os.cpu_count() or 1


def join_groups(workflow: Any, groups: Iterable[str], name: str) -> None:
    """Let the option `--group-components` limit several groups by one name."""
    _part(workflow, "parent_groupids", {}).update(dict.fromkeys(groups, name))


def needed_jobs(workflow: Any) -> list[Job]:
    """Return the jobs that will run, or none if Snakemake does not list them."""
    return [Job(job.jobid, job.rule.name, job.wildcards) for job in _jobs(workflow)]


def partitions(workflow: Any) -> list[str | None]:
    """Return the SLURM partition of each job that will be submitted. None is the cluster's default."""
    return [job.resources.get("slurm_partition") for job in _jobs(workflow) if not job.is_local]


def _jobs(workflow):
    return _part(workflow, "dag.needrun_jobs", list)()


def failures(workflow: Any) -> list[tuple[str, list[str]]]:
    """Return the first missing file and the logs of each job that failed."""
    failed = sorted(_part(workflow, "scheduler.failed", ()), key=str)
    jobs = [part for job in failed for part in (job.jobs if job.is_group() else [job])]
    missing = [(next((path for path in job.output if not Path(path).exists()), None), list(job.log)) for job in jobs]
    return [(path, log) for path, log in missing if path is not None]


def lift_default_rate_limit(workflow: Any, arguments: Sequence[str]) -> None:
    """Lift Snakemake's default limit of jobs per second if jobs run on this machine.

    With a limit, each pass of the scheduler starts a timer, and each timer starts another pass. A limit that the user
    sets, on the command line or in a profile, is kept, and so is any limit for jobs on a cluster.

    Args:
        workflow: workflow of Snakemake. arguments: arguments of its command line.
    """
    try:
        limit = workflow.scheduling_settings.max_jobs_per_timespan
        stated = any(argument.startswith(_RATE_OPTIONS) for argument in arguments)
        if runs_here(workflow) and not stated and vars(limit) == vars(type(limit).parse_choice(_DEFAULT_RATE)):
            workflow.scheduler.job_rate_limiter = None
    except (AttributeError, TypeError):
        return


def is_working_folder(folder: Path) -> bool:
    """Return whether Snakemake was started in a folder."""
    return (folder / _FOLDER).is_dir()


def can_work_in(folder: Path) -> bool:
    """Return whether Snakemake can write its own files in a folder. It needs them for a dry run as well."""
    return os.access(folder / _FOLDER if is_working_folder(folder) else folder, os.W_OK)


def keep_records_elsewhere(folder: Path) -> bool:
    """Let this process write Snakemake's own files to a private folder, and read the files of a folder that is closed.

    Args:
        folder: the folder that cannot be written.

    Returns: whether this version of Snakemake can do so. Without it, Snakemake cannot start in the folder.
    """
    snakemake = sys.modules.get("snakemake.workflow")
    records = getattr(snakemake, "FilePersistence", None)
    if records is None:
        return False
    private = Path(tempfile.mkdtemp(prefix="twolayer-records-"))
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    for name in ("metadata", "incomplete"):
        if (folder / _FOLDER / name).is_dir():
            (private / name).symlink_to(folder / _FOLDER / name)
    snakemake.FilePersistence = lambda **settings: records(**settings | {"path": private})
    return True


def list_changed_parameters_only() -> None:
    """Let the option `--list-changes params` list the files whose parameters changed, where Snakemake lists all files.

    Snakemake's comparison of parameters keeps the name of a file without a difference, and the option lists the names.
    """
    comparison = getattr(sys.modules.get("snakemake.persistence"), "ParamsChange", None)
    if "files" in getattr(comparison, "__dataclass_fields__", ()):
        comparison.__iter__ = lambda change: iter(change.files if change else ())


def has_records(folder: Path) -> bool:
    """Return whether Snakemake has records of the files that it made in a folder."""
    return (folder / _FOLDER / "metadata").is_dir()


def has_submitted(folder: Path) -> bool:
    """Return whether jobs were submitted to SLURM from a folder."""
    return (folder / _FOLDER / "slurm_logs").is_dir()
