# Functions of the wildcards for the rules. The configuration is checked here, before Snakemake builds the DAG.

import functools
import json
import math
from pathlib import Path

from twolayer.experiments import TASKS
from twolayer.pipeline.jobs import launch, recovery
from twolayer.pipeline.catalogue import DOWNLOADED_IMAGES, PRESETS, memory
from twolayer.pipeline.custom_files import custom_files
from twolayer.dependencies import PACKAGE, module_files
from twolayer.pipeline.jobs.launch import asked
from twolayer.pipeline.jobs.outdated import contents_digest
from twolayer.pipeline.project import project_file
from twolayer.pipeline.report.website.papers import source
from twolayer.pipeline.snakemake_adapter import sends_groups

WORK = Path.cwd()  # working folder of the jobs: the folder of this project, or the folder of `--directory`
CATALOGUE = launch.load(workflow, config, WORK)
RESULT_FOLDERS = {CATALOGUE.folders.results(preset): preset for preset in PRESETS}
AT_ONCE = 10**6  # minutes, longer than all chains of runs: a figure is drawn as soon as its results exist


def project_files(paths):
    """Return paths of the package, relative to the working folder if they are in it."""
    return [str(path.relative_to(WORK) if path.is_relative_to(WORK) else path) for path in paths]


TEMPLATES = project_files(sorted((PACKAGE / "pipeline" / "templates").glob("*.j2")))


@functools.cache
def sources(*modules):
    """Return the files of these modules and of the modules that they import."""
    return project_files(module_files(*modules))


def run_of(wildcards):
    """Return the run of a result."""
    return asked(CATALOGUE.run, RESULT_FOLDERS[wildcards.folder], wildcards.study, wildcards.run)


def run_inputs(wildcards):
    """Return the results and image files that a run reads."""
    run = run_of(wildcards)
    results = {name: CATALOGUE.run(run.preset, run.study, source).path for name, source in run.inputs.items()}
    images = {"images": asked(CATALOGUE.image_files, run)} if run.images else {}
    files = asked(custom_files, CATALOGUE, run)
    return results | images | ({"files": files} if files else {})


def custom_contents(task):
    """Return a name for the contents of the user's files, as a parameter of a task that may read such files.

    A run is computed again if its file is replaced by another one, even if that one is older than the result.
    """

    def files(wildcards):
        return asked(contents_digest, asked(custom_files, CATALOGUE, run_of(wildcards)))

    return {"files": files} if task.files or task.modules else {}


def run_arguments(wildcards):
    """Return the inputs as arguments of the command line, which takes a folder of images."""
    run = run_of(wildcards)
    named = [f"{name}={CATALOGUE.run(run.preset, run.study, source).path}" for name, source in run.inputs.items()]
    named += [f"images={CATALOGUE.image_folder(run)}"] if run.images else []
    return [word for argument in named for word in ("--input", argument)]


def run_sources(wildcards):
    """Return the modules that compute a run."""
    return sources(TASKS[run_of(wildcards).task].module)


def of_run(name):
    """Return a function of the wildcards that returns an attribute of the run."""
    return lambda wildcards: getattr(run_of(wildcards), name)


def run_priority(wildcards):
    """Return the minutes of the longest chain of runs that waits for a run. Such runs start first.

    The first run of each task gets one minute more, because two runs that start together would both compile its code.
    """
    path = run_of(wildcards).path
    return CATALOGUE.chains[path] + (path in CATALOGUE.first_of_tasks)


def run_memory(wildcards, attempt):
    """Return the memory to request from a cluster, in megabytes."""
    return memory(run_of(wildcards).mem_mb, attempt)


def gpus(wildcards):
    """Return the number of GPUs to request from a cluster."""
    return int(run_of(wildcards).gpu_minutes is not None)


def time_limit(wildcards, attempt):
    """Return the time limit in minutes. It is long, because the cluster may be slow."""
    run = run_of(wildcards)
    return attempt * (5 + math.ceil(10 * (run.gpu_minutes or run.minutes)))


def run_group(wildcards):
    """Return the group of runs that form one job on a cluster."""
    return CATALOGUE.groups.get(run_of(wildcards).path) if sends_groups(workflow) else None


def drawing_memory(wildcards, attempt):
    """Return the memory for a notebook or an animation, in megabytes."""
    return memory(700, attempt)


def shown_figure(wildcards):
    """Return the figure of a PDF, a check file or an animation."""
    if hasattr(wildcards, "animation"):
        return asked(CATALOGUE.animated_figure, wildcards.animation)
    return asked(CATALOGUE.figure, wildcards.figure)


def figure_results(preset):
    """Return a function of the wildcards that returns the results of a figure and its animations."""
    return lambda wildcards: [run.path for run in CATALOGUE.figure_runs(shown_figure(wildcards).name, preset)]


def figure_notebook(wildcards):
    """Return the notebook that draws a figure."""
    return project_file(WORK, f"workflow/notebooks/{wildcards.figure}.py")


def figure_references(wildcards):
    """Return the tables of published values that the checks of a figure read."""
    return [reference["file"] for reference in shown_figure(wildcards).references.values()]


def figure_sources(wildcards):
    """Return the modules that draw and check a figure."""
    return sources("twolayer.pipeline.report.notebooks", shown_figure(wildcards).module)


def of_study(wildcards):
    """Return the study of a figure, the category in a report."""
    return shown_figure(wildcards).study


def reported(kind, preset):
    """Return a function of the wildcards that returns the labels of a file in a report."""

    def labels(wildcards):
        from twolayer.pipeline.report.checks import check_results  # loads xarray, which only reports need

        figure = shown_figure(wildcards)
        path = check_results.path_of(CATALOGUE, figure.name, preset)
        about = {"figure": figure.name, "status": check_results.status(path), "paper figure": source(WORK, figure)}
        return about | {"title": figure.title, "preset": preset, "what": kind}

    return labels


def figure_entry(wildcards):
    """Return the entry of a figure in the catalogue as text. If it changes, the figure is made again."""
    figure = shown_figure(wildcards)
    return json.dumps([figure.paper_figure, figure.title, figure.claim, figure.finding])


def figure_files(preset, study=None):
    """Return the PDFs and animations of a preset, or of one study of it."""
    figures = [figure for figure in CATALOGUE.figures.values() if study in (None, figure.study)]
    names = [f"{figure.name}.pdf" for figure in figures]
    names += [f"{animation}.gif" for figure in figures for animation in figure.animations]
    return [f"{CATALOGUE.folders.figures(preset)}/{name}" for name in names]


onstart:
    launch.start(workflow, CATALOGUE, WORK, run_of)


onsuccess:
    recovery.note_end(WORK)
    launch.renew_scoreboards(CATALOGUE)


onerror:
    recovery.note_end(WORK)
    launch.renew_scoreboards(CATALOGUE)
    launch.name_failures(workflow)
