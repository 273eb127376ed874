"""Access to parts of Snakemake that are not documented. If a part is missing, only a convenience is lost."""

from collections.abc import Sequence
from typing import Any

_DEFAULT_RATE = "100/1s"  # of Snakemake's option --max-jobs-per-timespan
_RATE_OPTIONS = "--max-jobs"  # how the names of the options begin that limit the rate of jobs


def lift_default_rate_limit(workflow: Any, arguments: Sequence[str]) -> None:
    """Lift Snakemake's default limit of jobs per second where jobs run on this machine.

    As long as there is a limit, each pass of the scheduler starts a timer, and each timer starts another pass. A limit
    that the user states, on the command line or in a profile, stays, and so does any limit for jobs on a cluster.

    Args:
        workflow: Snakemake's. arguments: those of its command line.
    """
    try:
        limit = workflow.scheduling_settings.max_jobs_per_timespan
        stated = any(argument.startswith(_RATE_OPTIONS) for argument in arguments)
        if workflow.local_exec and not stated and vars(limit) == vars(type(limit).parse_choice(_DEFAULT_RATE)):
            workflow.scheduler.job_rate_limiter = None
    except (AttributeError, TypeError):
        return
