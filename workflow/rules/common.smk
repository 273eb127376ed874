# What the rules ask of the catalogue. The configuration is checked here, before there is a DAG.

import functools
import inspect
import json
import math
import os
import shutil
import sys
from pathlib import Path

from snakemake_logger_plugin_twolayer import expect
from twolayer.pipeline import cluster, recovery, warm
from twolayer.pipeline.catalogue import (
    DOWNLOADED_IMAGES,
    SCALES,
    Catalogue,
    memory,
)
from twolayer.pipeline.custom_files import custom_files
from twolayer.pipeline.folders import SETTINGS, stated
from twolayer.pipeline.dependencies import PACKAGE, module_files
from twolayer.errors import TwolayerError
from twolayer.pipeline.home import replace_home
from twolayer.pipeline.project import check_package, find_scripts, name_program, project_file
from twolayer.pipeline.rehearsed import rehearse_once
from twolayer.pipeline.snakemake_adapter import lift_default_rate_limit
from twolayer.pipeline.words import duration
from twolayer.versions import WORKFLOW, check_versions
from twolayer.experiments import TASKS

WORK = Path.cwd()  # of the jobs: the folder of this project, or what `--directory` names


def project_files(paths):
    """Paths of files of the package, relative to the working folder if they are in it."""
    return [str(path.relative_to(WORK) if path.is_relative_to(WORK) else path) for path in paths]


check_versions(WORKFLOW)
replace_home()
try:
    check_package(Path(str(workflow.current_basedir)))
    CATALOGUE = Catalogue.load(WORK, config)
    find_scripts(WORK)
    name_program()
    os.environ[SETTINGS] = json.dumps({**stated(os.environ), **config})  # for the commands of the jobs
    CATALOGUE.allow_large_files()
    if workflow.is_main_process:
        rehearse_once(CATALOGUE, meanwhile=warm.prepare)
except TwolayerError as error:
    sys.exit(f"error: {error}")

RESULT_FOLDERS = {CATALOGUE.folders.results(scale): scale for scale in SCALES}

# A profile says by one name, `runs`, how many of a group that do not need each other travel together.
workflow.parent_groupids.update(dict.fromkeys(CATALOGUE.groups.values(), "runs"))
AT_ONCE = 10**6  # minutes, longer than all chains of runs: a figure is drawn as soon as its results are there
OTHER_JOB = 0.03  # minutes of most figures
FEW_JOBS = 3  # that are not worth the seven seconds in which a warm process loads
TEMPLATES = project_files(sorted((PACKAGE / "pipeline" / "templates").glob("*.j2")))


@functools.cache
def sources(*modules):
    """Files of the package that these modules are made of."""
    return project_files(module_files(*modules))


def quick_to_ask(function):
    """Keep the signature of a function of the wildcards, for which Snakemake asks many times a job."""
    function.__signature__ = inspect.signature(function)
    return function


def run_of(wildcards):
    """The run that a results file holds."""
    return asked(CATALOGUE.run, RESULT_FOLDERS[wildcards.folder], wildcards.study, wildcards.run)


def asked(question, *arguments):
    """The catalogue's answer; its refusal ends the workflow with one sentence."""
    try:
        return question(*arguments)
    except TwolayerError as error:
        sys.exit(f"error: {error}")


@quick_to_ask
def run_inputs(wildcards):
    """Results and image files that a run reads."""
    run = run_of(wildcards)
    results = {name: CATALOGUE.run(run.scale, run.study, source).path for name, source in run.inputs.items()}
    images = {"images": asked(CATALOGUE.image_files, run)} if run.images else {}
    files = asked(custom_files, CATALOGUE, run)
    return results | images | ({"files": files} if files else {})


@quick_to_ask
def run_arguments(wildcards):
    """The same for the command line, which takes a folder of images."""
    run = run_of(wildcards)
    named = [f"{name}={CATALOGUE.run(run.scale, run.study, source).path}" for name, source in run.inputs.items()]
    named += [f"images={CATALOGUE.image_folder(run)}"] if run.images else []
    return [word for argument in named for word in ("--input", argument)]


@quick_to_ask
def run_sources(wildcards):
    """Modules that make a run."""
    return sources(TASKS[run_of(wildcards).task].module)


def together(minutes, cores):
    """How long jobs that take these minutes each take on so many cores."""
    return max([sum(minutes) / cores, *minutes])


def no_gpu_warning(runs, cores):
    """What to know before a day of work that a GPU would do in an hour."""
    here = duration(60 * together([run.minutes for run in runs], cores))
    on_gpu = duration(60 * sum(run.gpu_minutes for run in runs))
    return (
        f"WARNING: this machine has no GPU, and {len(runs)} of the jobs are made for one: about {here} here with {cores} at "
        f"a time, about {on_gpu} on a GPU. figures/quick/ has the same figures in a minute, and "
        "`--profile workflow/profiles/slurm` sends the jobs to a cluster's GPUs. A job that is interrupted goes on after "
        "its last epoch when it is asked for again."
    )


@quick_to_ask
def run_json(wildcards):
    """The parameters of a run."""
    return run_of(wildcards).params


@quick_to_ask
def run_threads(wildcards):
    """Threads that a run may use."""
    return run_of(wildcards).threads


@quick_to_ask
def run_priority(wildcards):
    """Minutes of the longest chain of runs that waits for a run: what holds up most goes first.

    One of each task goes a minute earlier: two that start together would both compile it.
    """
    path = run_of(wildcards).path
    return CATALOGUE.chains[path] + (path in CATALOGUE.first_of_tasks)


@quick_to_ask
def run_memory(wildcards, attempt):
    """Megabytes to ask a cluster for."""
    return memory(run_of(wildcards).mem_mb, attempt)


@quick_to_ask
def gpus(wildcards):
    """GPUs to ask a cluster for."""
    return int(run_of(wildcards).gpu_minutes is not None)


@quick_to_ask
def time_limit(wildcards, attempt):
    """Minutes after which a cluster may end the job: ample, since it may be a slow one."""
    run = run_of(wildcards)
    return attempt * (5 + math.ceil(10 * (run.gpu_minutes or run.minutes)))


def travelling():
    """Whether jobs go to a cluster, where they travel in groups, or have just arrived there."""
    return not workflow.local_exec or workflow.remote_exec


@quick_to_ask
def run_group(wildcards):
    """The runs that a run travels to a cluster with."""
    return CATALOGUE.groups.get(run_of(wildcards).path) if travelling() else None


def drawing_memory(wildcards, attempt):
    """Megabytes for a notebook or an animation."""
    return memory(700, attempt)


def shown_figure(wildcards):
    """The figure that a PDF, a verdict or an animation is of."""
    if hasattr(wildcards, "animation"):
        return asked(CATALOGUE.animated_figure, wildcards.animation)
    return asked(CATALOGUE.figure, wildcards.figure)


def figure_results(scale):
    """A function of the wildcards: the results that a figure and its animations read at that scale."""
    return lambda wildcards: [run.path for run in CATALOGUE.figure_runs(shown_figure(wildcards).name, scale)]


def figure_notebook(wildcards):
    """The notebook that draws a figure."""
    return project_file(WORK, f"workflow/notebooks/{wildcards.figure}.py")


def figure_references(wildcards):
    """Tables that they compare with."""
    return [reference["file"] for reference in shown_figure(wildcards).references.values()]


def figure_sources(wildcards):
    """Modules that draw and check them."""
    return sources("twolayer.pipeline.page", shown_figure(wildcards).module)


def of_study(wildcards):
    """Where a report files a figure: by its study."""
    return shown_figure(wildcards).study


def reported(kind, scale):
    """A function of the wildcards: by what a report lists a figure, its verdict or an animation."""

    def labels(wildcards):
        figure = shown_figure(wildcards)
        return {
            "figure": figure.name,
            "in the paper": figure.original,
            "title": figure.title,
            "scale": scale,
            "what": kind,
        }

    return labels


def figure_entry(wildcards):
    """A figure's entry in the catalogue, as text: when it changes, the figure is out of date."""
    figure = shown_figure(wildcards)
    return json.dumps([figure.original, figure.title])


def figure_files(scale, study=None):
    """PDFs and animations of all figures of a scale, or of one study."""
    figures = [figure for figure in CATALOGUE.figures.values() if study in (None, figure.study)]
    names = [f"{figure.name}.pdf" for figure in figures]
    names += [f"{animation}.gif" for figure in figures for animation in figure.animations]
    return [f"{CATALOGUE.folders.figures(scale)}/{name}" for name in names]


def name_failures():
    """A line for each job that failed, with its log; what needed them was left out."""
    for job in sorted(workflow.scheduler.failed, key=str) if workflow.scheduler else ():
        for part in job.jobs if job.is_group() else [job]:
            missing = [path for path in part.output if not Path(path).exists()]
            if missing:
                print(f"failed: {missing[0]}, see {', '.join(part.log) or 'above'}", file=sys.stderr)


onstart:
    lift_default_rate_limit(workflow, sys.argv)
    recovery.note_start(WORK)
    recovery.remove_abandoned(WORK)
    jobs = list(workflow.dag.needrun_jobs())
    if workflow.executor_plugin.name == "slurm":
        asked(cluster.check_folders, Path(workflow.basedir), Path.cwd(), Path(sys.prefix))
        asked(cluster.check, [job.resources.get("slurm_partition") for job in jobs if not job.is_local])
    runs = {job.jobid: run_of(job.wildcards) for job in jobs if job.rule.name in TASKS}
    for_gpu = [run for run in runs.values() if run.gpu_minutes is not None]
    cores, no_gpu = workflow.resource_settings.cores, workflow.local_exec and shutil.which("nvidia-smi") is None
    minutes = {number: run.minutes if no_gpu else run.gpu_minutes or run.minutes for number, run in runs.items()}
    expected = {job.jobid: minutes.get(job.jobid, OTHER_JOB) for job in jobs}
    expect(expected)
    if workflow.local_exec and len(jobs) > FEW_JOBS:
        warm.start()
    else:
        warm.dismiss()
    if workflow.local_exec and (here := together(expected.values(), cores)) > 1:
        print(f"about {duration(60 * here)} with {cores} at a time, by the minutes in config/", file=sys.stderr)
    if for_gpu and no_gpu:
        print(no_gpu_warning(for_gpu, cores), file=sys.stderr)


onsuccess:
    recovery.note_end(WORK)


onerror:
    recovery.note_end(WORK)
    name_failures()
