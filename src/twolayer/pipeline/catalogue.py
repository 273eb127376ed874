"""The figures and the runs of the studies, at both presets.

The whole configuration is read and checked here, before any work starts.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import MappingProxyType
from typing import Any

from twolayer.errors import ConfigError, DataError, known
from twolayer.experiments import TASKS
from twolayer.parameters import parse, shift_seeds, shown, to_json
from twolayer.pipeline.configuration import (
    brief,
    grid_points,
    overridden,
    params_at,
    parsed,
    published,
    read_text,
    read_yaml,
    run_name,
    validate,
)
from twolayer.pipeline.folders import Folders, stated
from twolayer.pipeline.project import (
    CLONE,
    PRESETS,
    check_package,
    configuration_folder,
    has_configuration,
    project_file,
)
from twolayer.pipeline.snakemake_adapter import is_working_folder
from twolayer.storage.files import DEFAULT_GB, LARGEST

EMBEDDED_IMAGES = "workflow/resources"
GENERATORS = "TWOLAYER_GENERATORS"  # environment variable that overrides the setting
DOWNLOADED_IMAGES = "results/data"
SHORT = 5  # minutes: shorter jobs are submitted to a cluster together
_OVERHEAD, _MARGIN = 300, 1.25  # MB of Snakemake's two processes in a cluster job, and factor of the peak memory
_OF_ALL_RUNS = ("seed", "device", "generators", "seed_shift", "variant", "overrides")  # settings of all runs
_TAKEN = {*PRESETS, *TASKS, "scoreboard", "archive", "all"}  # reserved names of rules


@dataclass(frozen=True)
class Run:
    """One job: a task with its parameters, at one preset.

    Attributes:
        family: its entry in the file of the study. point: point of that entry's grid, {key: value}.
        inputs: name of an input -> the run that computes it.
        images: image set that it reads, or None. embedded: whether the images are part of the project.
        folder: folder of results, relative to the project.
        minutes: expected minutes of this job without a GPU. gpu_minutes: with a GPU, or None if it does not use a GPU.
        mem_mb, threads: peak memory and number of threads.
        stands_in: whether it replaces a training as long as the authors'. unabridged: the parameters of the full
            training, if this one is shorter.
    """

    name: str
    family: str
    point: Mapping[str, Any]
    study: str
    preset: str
    task: str
    parameters: Any
    inputs: Mapping[str, str]
    images: str | None
    embedded: bool
    folder: str
    minutes: float
    gpu_minutes: float | None
    mem_mb: int
    threads: int
    stands_in: bool = False
    unabridged: Any = None

    @property
    def path(self) -> str:
        """The results file, relative to the project."""
        return f"{self.folder}/{self.study}/{self.task}/{self.name}.nc"

    @property
    def params(self) -> str:
        """The parameters in JSON, with all defaults."""
        return to_json(self.parameters)


@dataclass(frozen=True)
class FigureEntry:
    """A figure of a study. The module of its name in `twolayer.figures.<study>` draws and checks it.

    Attributes:
        paper_figure: the figure's name in the paper.
        claim: claim of the paper. finding: our result. Both are optional.
        runs: preset -> names of the runs that it reads.
        references: name -> the table (CSV) of published values, and the columns that are coordinates.
        animations: names of its animations.
        papers: keys in docs/references.bib of the papers of its study.
    """

    name: str
    study: str
    paper_figure: str
    title: str
    runs: Mapping[str, tuple[str, ...]]
    references: Mapping[str, Mapping]
    animations: tuple[str, ...]
    claim: str = ""
    finding: str = ""
    papers: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The module that draws and checks it."""
        return f"twolayer.figures.{self.study}.{self.name}"

    def animation_function(self, animation: str) -> str:
        """Return the function of that module that draws an animation.

        It is `animation` for fig6, and `scatter_animation` for fig21-scatter.
        """
        return f"{animation.removeprefix(self.name)}-animation".strip("-").replace("-", "_")


@dataclass(frozen=True)
class Catalogue:
    """All figures and runs.

    Attributes:
        root: folder of the results. data_root: folder of image sets, or None if they are downloaded.
        studies: names of the studies.
        runs: (preset, study, name) -> run. families: (preset, study, name in the file) -> names of its runs.
        generators: the choice of image generators at the paper preset, see `config/config.yaml`.
        folders: folders of results and figures.
        largest_gb: limit of files that are read, see `allow_large_files`.
    """

    root: Path
    data_root: Path | None
    studies: tuple[str, ...]
    runs: Mapping[tuple[str, str, str], Run]
    families: Mapping[tuple[str, str, str], tuple[str, ...]]
    figures: Mapping[str, FigureEntry]
    generators: str = "published"
    folders: Folders = field(default_factory=Folders)
    largest_gb: float = DEFAULT_GB

    @classmethod
    def load(
        cls, root: Path, overrides: Mapping = MappingProxyType({}), environment: Mapping = os.environ
    ) -> "Catalogue":
        """Read and check the configuration of a project.

        Args:
            root: folder of the results, and of the configuration unless the configuration of the clone applies.
            overrides: values that override `config/config.yaml`.

        Raises:
            ConfigError: a value is not allowed.
        """
        root = Path(root)
        configured, place = configuration_folder(root), "config/config.yaml"
        settings = read_yaml(configured, place)
        named = {"generators": environment[GENERATORS]} if environment.get(GENERATORS) else {}
        more = {**named, **stated(environment), **overrides}
        settings = {**settings, **more} if isinstance(settings, Mapping) else settings
        validate(settings, configured, "config", f"{place} or {GENERATORS}" if named else place)
        if taken := sorted(_TAKEN & set(settings["studies"])):
            raise ConfigError(f"{place}: the study {taken[0]!r} has the name of a target: rename it")
        _check_overrides(settings)
        studies, runs, families = {}, {}, {}
        common = json.dumps({key: settings.get(key) for key in _OF_ALL_RUNS})
        for study in settings["studies"]:
            place = f"config/{study}.yaml"
            text = read_text(configured, place)
            studies[study] = parsed(text, place)
            validate(studies[study], configured, "study", place)
            made, named = _expanded(study, text, common)
            runs |= made
            families |= named
        _check_inputs(runs)
        _check_order(runs)
        figures = {}
        for study, content in studies.items():
            for name, entry in content.get("figures", {}).items():
                if name in figures:
                    raise ConfigError(
                        f"config/{study}.yaml: figure {name!r} is also a figure of {figures[name].study!r}"
                    )
                figures[name] = _figure(name, entry, study, content.get("papers", ()), root, families, runs)
        _check_animations(figures.values())
        generators = settings.get("generators") or "published"
        where, largest_gb = _folders(settings), settings.get("largest_gb", DEFAULT_GB)
        data_root = _data_root(settings, environment)
        return cls(root, data_root, tuple(studies), runs, families, figures, generators, where, largest_gb)

    @staticmethod
    def find_root() -> Path:
        """Return the project that contains the current folder.

        A folder also counts if Snakemake used the workflow of another folder in it.

        Raises:
            ConfigError: there is no project, or Python imports the package of another project.
        """
        start = Path.cwd()
        check_package(start)
        for folder in (start, *start.parents):
            if has_configuration(folder) or (is_working_folder(folder) and has_configuration(CLONE)):
                return folder
        raise ConfigError(f"{start} is not in a twolayer project: go to the folder with config/config.yaml")

    def allow_large_files(self) -> None:
        """Set the limit of the configuration for files that this process and its children read.

        A limit in the environment has priority.
        """
        os.environ.setdefault(LARGEST, f"{self.largest_gb:g}")

    def figure(self, name: str) -> FigureEntry:
        """Return the figure with a name.

        Raises:
            ConfigError: there is no such figure.
        """
        if name not in self.figures:
            raise ConfigError(
                f"unknown figure {shown(name)}: config/ has {known(self.figures, name)}, "
                f"and the presets are {', '.join(f'{preset} ({self.folders.figures(preset)}/)' for preset in PRESETS)}"
            )
        return self.figures[name]

    def animated_figure(self, animation: str) -> FigureEntry:
        """Return the figure of an animation.

        Raises:
            ConfigError: there is no such animation.
        """
        for figure in self.figures.values():
            if animation in figure.animations:
                return figure
        names = known((name for figure in self.figures.values() for name in figure.animations), animation)
        raise ConfigError(f"unknown animation {shown(animation)}: config/ has {names}")

    def run(self, preset: str, study: str, name: str) -> Run:
        """Return the run with a name.

        Raises:
            ConfigError: there is no such run.
        """
        if (preset, study, name) not in self.runs:
            names = [run for at, other, run in self.runs if (at, other) == (preset, study)]
            raise ConfigError(
                f"unknown run {shown(name)} of study {shown(study)} at preset {shown(preset)}: presets are "
                f"{', '.join(PRESETS)}" + (f", and config/{study}.yaml has {known(names, name)}" if names else "")
            )
        return self.runs[preset, study, name]

    def figure_runs(self, name: str, preset: str) -> list[Run]:
        """Return the runs that a figure reads."""
        figure = self.figure(name)
        return [self.run(preset, figure.study, run) for run in figure.runs[preset]]

    def upstream(self, runs: list[Run]) -> list[Run]:
        """Return these runs and all runs that they need."""
        found = {}
        waiting = list(runs)
        while waiting:
            run = waiting.pop()
            if run.path not in found:
                found[run.path] = run
                waiting += [self.run(run.preset, run.study, name) for name in run.inputs.values()]
        return list(found.values())

    def minutes(self, runs: list[Run], gpu: bool = False) -> float:
        """Return the time of runs and all that they need, with two at a time, or one GPU for runs that use it."""
        return sum(run.gpu_minutes if gpu and run.gpu_minutes else run.minutes / 2 for run in self.upstream(runs))

    @cached_property
    def chains(self) -> dict[str, float]:
        """Return the path of each run -> minutes of the longest chain of dependent runs that starts with it."""
        sources = _sources(self.runs)
        minutes = {key: run.minutes for key, run in self.runs.items()}
        for key in reversed([*TopologicalSorter(sources).static_order()]):
            for source in sources[key]:
                minutes[source] = max(minutes[source], self.runs[source].minutes + minutes[key])
        return {run.path: minutes[key] for key, run in self.runs.items()}

    @cached_property
    def first_of_tasks(self) -> frozenset[str]:
        """Return paths of runs, one for each task and preset, that compile the task for the others."""
        first = {}
        for run in sorted(self.runs.values(), key=lambda run: -self.chains[run.path]):
            first.setdefault((run.preset, run.task), run.path)
        return frozenset(first.values())

    @cached_property
    def groups(self) -> dict[str, str]:
        """Return the path of a run -> the short runs with which it is submitted, named by the first figure that needs
        it.

        A group contains a run only if all runs that it needs are short too. So a group needs only groups of earlier
        figures, and no group waits for itself.
        """
        groups = {}
        for preset in PRESETS:
            for name in self.figures:
                for run in self.upstream(self.figure_runs(name, preset)):
                    if all(other.minutes <= SHORT and other.gpu_minutes is None for other in self.upstream([run])):
                        groups.setdefault(run.path, f"{preset}_{name}")
        return groups

    def image_folder(self, run: Run) -> Path:
        """Return the folder of the image sets of a run."""
        if run.embedded:
            return Path(project_file(self.root, EMBEDDED_IMAGES))
        return Path(DOWNLOADED_IMAGES) if self.data_root is None else self.data_root

    def image_files(self, run: Run) -> list[str]:
        """Return the files of the image set that a run reads.

        Raises:
            DataError: a file is missing from the data root.
        """
        files = TASKS[run.task].image_files(run.parameters, self.image_folder(run))
        for path in files:
            if not run.embedded and self.data_root is not None and not path.exists():
                raise DataError(
                    f"image file {path} is missing from the data root {self.data_root}: complete it, or clear "
                    "data_root in config/config.yaml and TWOLAYER_DATA to download it"
                )
        return [str(path) for path in files]


def memory(mem_mb: int, attempt: int) -> int:
    """Return the megabytes to request from a cluster for a job with this peak: with a margin, and more at each
    attempt."""
    return math.ceil((_OVERHEAD + _MARGIN * mem_mb) * attempt)


def _data_root(settings, environment):
    named, source = settings.get("data_root"), "data_root in config/config.yaml"
    if environment.get("TWOLAYER_DATA"):
        named, source = environment["TWOLAYER_DATA"], "TWOLAYER_DATA"
    if named is None:
        return None
    if "\0" in named or not Path(named).is_dir():
        raise ConfigError(
            f"data root {named!r} ({source}) is not a folder: give a folder with mnist/, fashion-mnist/ and "
            "cifar-10-batches-bin/, or clear it to download them"
        )
    if set(named) & set("{}"):
        raise ConfigError(f"data root {named!r} ({source}) has a brace, which Snakemake reads as a wildcard: rename it")
    return Path(named)


@lru_cache(maxsize=64)  # see `parsed`
def _expanded(study, text, common):
    """Return all runs of a study, and the names of the runs of each family, from the text of its file and the
    settings."""
    settings, runs, families = json.loads(common), {}, {}
    entries = parsed(text, f"config/{study}.yaml")["runs"]
    changes = (settings["overrides"] or {}).get(study, {})
    for name, family in overridden(entries, changes, f"overrides.{study}").items():
        for preset in PRESETS:
            families[preset, study, name] = _expand(family, name, study, preset, settings, runs)
    return runs, families


def _expand(family, name, study, preset, settings, runs):
    """Add a family's runs at one preset to `runs` and return their names."""
    place = f"config/{study}.yaml: {name}"
    original, generators = family, settings["generators"] if preset == "paper" else "trained"
    if generators in (None, "published"):
        family = published(family)
    elif generators == "brief":
        family = brief(family)
    task = TASKS.get(family["task"])
    if task is None:
        raise ConfigError(
            f"{place}: unknown task {shown(family['task'])}: choose one of {known(TASKS, family['task'])}"
        )
    if task.arrays:
        raise ConfigError(
            f"{place}: task {task.name} takes arrays ({', '.join(task.arrays)}): call it from "
            "Python, or by `twolayer run`"
        )
    given = set(family.get("inputs", {}))
    if not task.required_inputs <= given <= task.possible_inputs:
        raise ConfigError(
            f"{place}: inputs are {shown(sorted(given))}: "
            f"task {task.name} takes {', '.join(sorted(task.inputs)) or 'none'}"
        )
    names = []
    for point in grid_points(family, preset, place):
        one = run_name(name, point, place)
        if (preset, study, one) in runs:
            raise ConfigError(
                f"{place}: two runs have the name {one!r} at the {preset} preset: make the values of grid differ"
            )
        where = f"{place} ({preset} preset)"
        parameters = _parameters(task, params_at(family, preset, point), settings, where)
        stands_in = family is not original
        shorter = stands_in and task.name == original["task"]
        runs[preset, study, one] = Run(
            name=one,
            family=name,
            point={key.rpartition(".")[2]: value for key, value in point.items()},
            study=study,
            preset=preset,
            task=task.name,
            parameters=parameters,
            inputs=family.get("inputs", {}),
            images=task.image_set(parameters),
            embedded=preset == "quick" or family.get("embedded", False),
            folder=_folders(settings).results(preset),
            minutes=family["minutes"][preset],
            gpu_minutes=family["minutes"].get("gpu") if preset == "paper" and settings["device"] != "cpu" else None,
            mem_mb=family["mem_mb"],
            threads=family.get("threads", 1),
            stands_in=stands_in,
            unabridged=_parameters(task, params_at(original, preset, point), settings, where) if shorter else None,
        )
        names.append(one)
    return tuple(names)


def _parameters(task, params, settings, place):
    """Return the parameters of a run, with the common seed and device as defaults."""
    names = {one.name for one in fields(task.parameters)}
    common = {key: settings[key] for key in ("seed", "device") if key in names}
    return shift_seeds(parse(task.parameters, common | params, place), settings["seed_shift"] or 0)


def _folders(settings):
    return Folders(settings.get("variant"), settings.get("seed_shift") or 0)


def _check_overrides(settings):
    """Check that overrides of parameters have a variant, and that their studies exist."""
    changes = settings.get("overrides") or {}
    if changes and settings.get("variant") is None:
        raise ConfigError("overrides need a variant: give one, as in `--config variant=NAME`")
    if unknown := sorted(set(changes) - set(settings["studies"])):
        raise ConfigError(f"overrides: unknown study {shown(unknown[0])}: {known(settings['studies'], unknown[0])}")


def _check_inputs(runs):
    for (preset, study, name), run in runs.items():
        place = f"config/{study}.yaml: {name}: input"
        for role, source in run.inputs.items():
            if (preset, study, source) not in runs:
                raise ConfigError(
                    f"{place} {role!r} is the unknown run {shown(source)} ({preset} preset): give a run of this study"
                )
            made_by, suited = runs[preset, study, source].task, TASKS[run.task].makers(role)
            if made_by not in suited:
                raise ConfigError(
                    f"{place} {role!r} is {source!r}, a result of the task {made_by}: "
                    f"{run.task} needs a result of {' or '.join(suited)}"
                )


def _check_order(runs):
    try:
        TopologicalSorter(_sources(runs)).prepare()
    except CycleError as error:
        circle = error.args[1]
        raise ConfigError(
            f"config/{circle[0][1]}.yaml: the runs {' -> '.join(shown(name) for _, _, name in circle)} wait for each "
            f"other ({circle[0][0]} preset): remove one of them from the inputs of another"
        ) from None


def _sources(runs):
    """Return the key of a run -> keys of the runs that it reads."""
    return {key: [(*key[:2], source) for source in run.inputs.values()] for key, run in runs.items()}


def _check_animations(figures):
    owners = {}
    for figure in figures:
        for animation in figure.animations:
            if animation in owners:
                raise ConfigError(
                    f"config/{figure.study}.yaml: {figure.name}: the animation {animation!r} also belongs to "
                    f"{owners[animation]}: rename one of them"
                )
            if not animation.startswith(figure.name):
                raise ConfigError(
                    f"config/{figure.study}.yaml: {figure.name}: the name of the animation {animation!r} must be "
                    f"{figure.name!r}, or begin with it"
                )
            owners[animation] = figure.name


def _figure(name, entry, study, papers, root, families, runs):
    place = f"config/{study}.yaml: {name}"
    members = {preset: [_members(preset, study, run, families, runs) for run in entry["runs"]] for preset in PRESETS}
    for run, found in zip(entry["runs"], members[PRESETS[0]], strict=True):
        if not found:
            names = known((family for at, other, family in families if (at, other) == (PRESETS[0], study)), run)
            raise ConfigError(f"{place}: unknown run {shown(run)}: config/{study}.yaml has {names}")
    read = {run for found in members.values() for runs_ in found for run in runs_}
    if "batch_sizes" in entry:
        wanted = entry["batch_sizes"]
        members["paper"] = [_of_batch_sizes(names, wanted, study, runs, place) for names in members["paper"]]
    references = entry.get("references", {})
    for key, reference in references.items():
        if key in read:
            raise ConfigError(f"{place}: reference {key!r} has the name of a run of the figure: rename it")
        path = Path(reference["file"])
        if path.is_absolute() or ".." in path.parts:
            raise ConfigError(
                f"{place}: reference {key!r} is {shown(reference['file'])}, which is outside the project: "
                "copy it into workflow/resources/reference"
            )
        if not (root / project_file(root, str(path))).is_file():
            raise ConfigError(
                f"{place}: reference {key!r} is {shown(reference['file'])}, which is missing: restore it, or correct "
                "the name"
            )
    references = {
        key: {**reference, "file": project_file(root, reference["file"])} for key, reference in references.items()
    }
    return FigureEntry(
        name=name,
        study=study,
        paper_figure=entry["paper_figure"],
        title=entry["title"],
        runs={preset: tuple(run for found in members[preset] for run in found) for preset in PRESETS},
        references=references,
        animations=tuple(entry.get("animations", ())),
        claim=entry.get("claim", ""),
        finding=entry.get("finding", ""),
        papers=tuple(papers),
    )


def _of_batch_sizes(names, wanted, study, runs, place):
    """Those runs of a family at the paper preset that have one of these batch sizes; all if the family has one size."""
    there = {name: runs["paper", study, name].point.get("batch_size") for name in names}
    if None in there.values():
        return names
    if missing := sorted(set(wanted) - set(there.values())):
        family = runs["paper", study, names[0]].family
        raise ConfigError(
            f"{place}: batch_sizes has {missing[0]}, which is not in the grid of {family}: "
            f"choose from {', '.join(map(str, sorted(there.values())))}"
        )
    return tuple(name for name, size in there.items() if size in wanted)


def _members(preset, study, name, families, runs):
    """Return the runs for a name in a figure: the runs of a family, or a single run of that preset."""
    single = (name,) if (preset, study, name) in runs else ()
    return families.get((preset, study, name), single)
