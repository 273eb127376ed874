"""The runs of a study: from the families of its file to the parameters of each run, at both presets."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Any

from twolayer.errors import ConfigError, known, shown
from twolayer.experiments import TASKS
from twolayer.parameters import parse, shift_seeds, to_json
from twolayer.pipeline.configuration import for_generators, grid_points, overridden, params_at, parsed, run_name
from twolayer.pipeline.folders import Folders
from twolayer.pipeline.project import PRESETS

Key = tuple[str, str, str]  # preset, study, name


@dataclass(frozen=True)
class Run:
    """One job: a task with its parameters, at one preset.

    Attributes:
        family: its entry in the file of the study. point: point of that entry's grid, {key: value}.
        inputs: name of an input -> the run that computes it.
        images: image set that it reads, or None.
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
    def embedded(self) -> bool:
        """Whether its images are part of the project."""
        return self.preset == "quick"

    @property
    def params(self) -> str:
        """The parameters in JSON, with all defaults."""
        return to_json(self.parameters)


@lru_cache(maxsize=64)  # see `parsed`
def expanded_runs(study: str, text: str, common: str) -> tuple[dict[Key, Run], dict[Key, tuple[str, ...]]]:
    """Return all runs of a study, and the names of the runs of each family.

    Args:
        text: text of the file of the study. common: settings of all runs, in JSON.

    Raises:
        ConfigError: a value is not allowed.
    """
    settings, runs, families = json.loads(common), {}, {}
    entries = parsed(text, f"config/{study}.yaml")["runs"]
    changes = (settings["overrides"] or {}).get(study, {})
    for name, family in overridden(entries, changes, f"config/config.yaml: overrides.{study}").items():
        for preset in PRESETS:
            families[preset, study, name] = _expand(family, name, study, preset, settings, runs)
    return runs, families


def _expand(family, name, study, preset, settings, runs):
    """Add a family's runs at one preset to `runs` and return their names."""
    place = f"config/{study}.yaml: {name}"
    selected = for_generators(family, settings["generators"] if preset == "paper" else "trained")
    task = _task(selected, place)
    names = []
    for point in grid_points(selected, preset, place):
        one = run_name(name, point, place)
        if (preset, study, one) in runs:
            raise ConfigError(
                f"{place}: two runs have the name {one!r} at the {preset} preset: make the values of grid differ"
            )
        where = f"{place} ({preset} preset)"
        parameters = _parameters(task, params_at(selected, preset, point), settings, where)
        stands_in, whole = selected is not family, None
        if stands_in and task.name == family["task"]:
            whole = _parameters(task, params_at(family, preset, point), settings, where)
        runs[preset, study, one] = Run(
            name=one,
            family=name,
            point={key.rpartition(".")[2]: value for key, value in point.items()},
            study=study,
            preset=preset,
            task=task.name,
            parameters=parameters,
            inputs=selected.get("inputs", {}),
            images=task.image_set(parameters),
            folder=folders_of(settings).results(preset),
            **_resources(selected, preset, settings["device"]),
            stands_in=stands_in,
            unabridged=whole if whole != _without_file(parameters) else None,
        )
        names.append(one)
    return tuple(names)


def _resources(family, preset, device):
    """Return the time, the memory and the threads of each run of a family."""
    minutes = family["minutes"]
    return {
        "minutes": minutes[preset],
        "gpu_minutes": minutes.get("gpu") if preset == "paper" and device != "cpu" else None,
        "mem_mb": family["mem_mb"],
        "threads": family.get("threads", 1),
    }


def _task(family, place):
    """Return the task of a family, after checking that it can have the inputs of the family."""
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
    return task


def _without_file(parameters):
    """Return the parameters of a training without the file that replaces it."""
    return replace(parameters, stored=None) if hasattr(parameters, "stored") else parameters


def _parameters(task, params, settings, place):
    """Return the parameters of a run, with the common seed and device as defaults."""
    names = {one.name for one in fields(task.parameters)}
    common = {key: settings[key] for key in ("seed", "device") if key in names}
    return shift_seeds(parse(task.parameters, common | params, place), settings["seed_shift"] or 0)


def folders_of(settings: Mapping[str, Any]) -> Folders:
    """Return the folders of results and figures that the settings select."""
    return Folders(settings.get("variant"), settings.get("seed_shift") or 0)


def check_inputs(runs: Mapping[Key, Run]) -> None:
    """Check that the inputs of all runs exist, and are results of suitable tasks.

    Raises:
        ConfigError: an input is unknown or unsuitable.
    """
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


def check_order(runs: Mapping[Key, Run]) -> None:
    """Check that no runs wait for each other.

    Raises:
        ConfigError: some runs form a circle.
    """
    try:
        TopologicalSorter(sources_of(runs)).prepare()
    except CycleError as error:
        circle = error.args[1]
        raise ConfigError(
            f"config/{circle[0][1]}.yaml: the runs {' -> '.join(shown(name) for _, _, name in circle)} wait for each "
            f"other ({circle[0][0]} preset): remove one of them from the inputs of another"
        ) from None


def sources_of(runs: Mapping[Key, Run]) -> dict[Key, list[Key]]:
    """Return the key of a run -> keys of the runs that it reads."""
    return {key: [(*key[:2], source) for source in run.inputs.values()] for key, run in runs.items()}
