"""The start and the end of Snakemake: checks before the first job, expected times, and a list of failures."""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from snakemake_logger_plugin_twolayer import expect, explain
from twolayer.errors import ConfigError, TwolayerError
from twolayer.experiments import TASKS
from twolayer.pipeline import snakemake_adapter
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.folders import SETTINGS, stated
from twolayer.pipeline.home import replace_home
from twolayer.pipeline.jobs import cluster, recovery, worker
from twolayer.pipeline.project import PRESETS, check_package, find_scripts, name_program
from twolayer.pipeline.report.checks.dry_run_records import dry_run_once
from twolayer.pipeline.report.console import folded, say, width
from twolayer.pipeline.report.format import duration
from twolayer.pipeline.settings import allow_large_files
from twolayer.pipeline.studies.runs import Run
from twolayer.versions import WORKFLOW, check_versions

_OTHER_JOB = 0.03  # minutes of most figures
_FEW_JOBS = 3  # number of jobs that do not justify the seven seconds for loading the worker


def asked(question: Callable, *arguments: Any) -> Any:
    """Return the result of a function. An error of this package ends Snakemake with one sentence."""
    try:
        return question(*arguments)
    except TwolayerError as error:
        sys.exit(folded(f"error: {error}", width(sys.stderr)))


def load(workflow: Any, config: Mapping, root: Path) -> Catalogue:
    """Read and check the configuration, and prepare the environment of the jobs.

    Args:
        workflow: workflow of Snakemake. config: settings of its command line. root: the working folder.
    """
    check_versions(WORKFLOW)
    replace_home()
    return asked(_load, workflow, config, root)


def _load(workflow, config, root):
    check_package(snakemake_adapter.folder_of_rules(workflow))
    config = snakemake_adapter.with_types(config)
    catalogue = Catalogue.load(root, config)
    find_scripts(root)
    name_program()
    os.environ[SETTINGS] = json.dumps({**stated(os.environ), **config})  # for the commands of the jobs
    allow_large_files(catalogue.largest_gb)
    if snakemake_adapter.is_main_process(workflow):
        if not snakemake_adapter.can_work_in(root) and not snakemake_adapter.keep_records_elsewhere(root):
            _check_working_folder(root, Path(workflow.basedir))
        snakemake_adapter.list_changed_parameters_only()
        dry_run_once(catalogue, requested_figures(catalogue, sys.argv[1:]), meanwhile=worker.prepare)
    # With the name `runs`, a profile limits the number of independent runs of a group that are submitted together.
    snakemake_adapter.join_groups(workflow, catalogue.groups.values(), "runs")
    return catalogue


def _check_working_folder(root, clone):
    if not snakemake_adapter.can_work_in(root):
        raise ConfigError(
            f"the folder {root} cannot be written, but Snakemake keeps its own files there: give a folder of your "
            f"own, `snakemake --snakefile {shlex.quote(str(clone / 'Snakefile'))} --directory FOLDER --cores all`"
        )


def requested_figures(catalogue: Catalogue, arguments: Sequence[str]) -> Iterable[str]:
    """Return the figures whose files are among the arguments of Snakemake, or all if there may be other targets."""
    folders = {catalogue.folders.figures(preset) for preset in PRESETS}
    named = {path.stem for path in map(Path, arguments) if str(path.parent) in folders}
    several = {*PRESETS, *catalogue.studies}.intersection(arguments)
    return catalogue.figures if several or not named or not named <= set(catalogue.figures) else named


def start(workflow: Any, catalogue: Catalogue, root: Path, run_of: Callable[[Any], Run]) -> None:
    """Prepare for the jobs, and print their expected time.

    Args:
        workflow: workflow of Snakemake. root: the working folder. run_of: the run of the wildcards of a task's rule.
    """
    asked(_check_working_folder, root, Path(workflow.basedir))
    explain(partial(_failures, catalogue))
    snakemake_adapter.lift_default_rate_limit(workflow, sys.argv)
    recovery.note_start(root)
    recovery.remove_abandoned(root)
    if snakemake_adapter.uses_slurm(workflow):
        asked(cluster.check_folders, Path(workflow.basedir), Path.cwd(), Path(sys.prefix))
        asked(cluster.check, snakemake_adapter.partitions(workflow))
    jobs, here = snakemake_adapter.needed_jobs(workflow), snakemake_adapter.runs_here(workflow)
    runs = {job.number: run_of(job.wildcards) for job in jobs if job.rule in TASKS}
    no_gpu = here and shutil.which("nvidia-smi") is None
    minutes = {number: run.minutes if no_gpu else run.gpu_minutes or run.minutes for number, run in runs.items()}
    expected = {job.number: minutes.get(job.number, _OTHER_JOB) for job in jobs}
    expect(expected)
    if not here or len(jobs) <= _FEW_JOBS:
        worker.dismiss()
    else:
        worker.start()
    cores = snakemake_adapter.cores(workflow)
    if here and (whole := _together(expected.values(), cores)) > 1:
        say(f"about {duration(60 * whole)} with {cores} at a time, by the minutes in config/", sys.stderr)
    if no_gpu and (for_gpu := [run for run in runs.values() if run.gpu_minutes is not None]):
        say(_no_gpu_warning(for_gpu, cores), sys.stderr)


def _failures(catalogue: Catalogue, name: str, check_file: Path, outcomes: list[Any]) -> Iterator[str]:
    """Yield the lines that explain why the checks of a figure fail."""
    from twolayer.pipeline.report.checks import check_results, failures  # these modules load xarray

    paths = {check_results.path_of(catalogue, name, preset).resolve(): preset for preset in PRESETS}
    preset = paths[check_file.resolve()]
    found = failures.failure_report(catalogue, name, preset, outcomes)
    yield from found.lines() if found else ()


def _together(minutes: Iterable[float], cores: int) -> float:
    """Return the time of jobs with these durations on a number of cores."""
    minutes = list(minutes)
    return max([sum(minutes) / cores, *minutes])


def _no_gpu_warning(runs, cores):
    """Return the warning before a long computation that a GPU would do much faster."""
    here = duration(60 * _together([run.minutes for run in runs], cores))
    on_gpu = duration(60 * sum(run.gpu_minutes for run in runs))
    return (
        f"WARNING: this machine has no GPU, and {len(runs)} of the jobs should use one: about {here} here with "
        f"{cores} at a time, about {on_gpu} on a GPU. figures/quick/ has the same figures in a minute, and "
        "`--profile workflow/profiles/slurm` sends the jobs to a cluster's GPUs. An interrupted job continues "
        "after its last epoch when it is run again."
    )


def name_failures(workflow: Any) -> None:
    """Print a line for each job that failed, with its log."""
    for missing, log in snakemake_adapter.failures(workflow):
        say(f"failed: {missing}, see {', '.join(log) or 'above'}", sys.stderr)


def renew_scoreboards(catalogue: Catalogue) -> None:
    """Write the scoreboard of each preset again if it exists and a figure of the preset is newer."""
    boards = [catalogue.root / catalogue.folders.figures(preset) / "scoreboard.html" for preset in PRESETS]
    if any(board.exists() for board in boards):
        from twolayer.pipeline.report import scoreboard  # loads xarray

        for preset in PRESETS:
            if sentence := asked(scoreboard.renew, catalogue, preset):
                say(sentence, sys.stderr)
