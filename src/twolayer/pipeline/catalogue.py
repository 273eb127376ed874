"""The figures and the runs of the studies, at both presets.

The whole configuration is read and checked here, before any work starts.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import TopologicalSorter
from pathlib import Path
from types import MappingProxyType

from twolayer.errors import ConfigError, DataError, known, shown
from twolayer.experiments import TASKS
from twolayer.pipeline.configuration import parsed, read_text, validate
from twolayer.pipeline.folders import Folders
from twolayer.pipeline.project import (
    CLONE,
    PRESETS,
    check_package,
    configuration_folder,
    has_configuration,
    project_file,
)
from twolayer.pipeline.settings import SETTINGS_FILE, largest_gb_of, read_settings
from twolayer.pipeline.snakemake_adapter import is_working_folder
from twolayer.pipeline.studies.figure_entries import FigureEntry, check_animations, figure_entry
from twolayer.pipeline.studies.runs import Run, check_inputs, check_order, expanded_runs, folders_of, sources_of
from twolayer.storage.files import DEFAULT_GB

EMBEDDED_IMAGES = "workflow/resources"
DOWNLOADED_IMAGES = "results/data"
SHORT = 5  # minutes: shorter jobs are submitted to a cluster together
_OVERHEAD, _MARGIN = 300, 1.25  # MB of Snakemake's two processes in a cluster job, and factor of the peak memory
_OF_ALL_RUNS = ("seed", "device", "generators", "seed_shift", "variant", "overrides")  # settings of all runs
_TAKEN = {*PRESETS, *TASKS, "scoreboard", "archive", "all"}  # reserved names of rules


@dataclass(frozen=True)
class Catalogue:
    """All figures and runs.

    Attributes:
        root: folder of the results. data_root: folder of image sets, or None if they are downloaded.
        studies: names of the studies.
        runs: (preset, study, name) -> run. families: (preset, study, name in the file) -> names of its runs.
        generators: the choice of image generators at the paper preset, see `config/config.yaml`.
        folders: folders of results and figures.
        largest_gb: limit of files that are read, see `settings.allow_large_files`.
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
        configured = configuration_folder(root)
        settings = read_settings(root, overrides, environment)
        if taken := sorted(_TAKEN & set(settings["studies"])):
            raise ConfigError(f"{SETTINGS_FILE}: the study {taken[0]!r} has the name of a target: rename it")
        studies, runs, families = {}, {}, {}
        common = json.dumps({key: settings.get(key) for key in _OF_ALL_RUNS})
        for study in settings["studies"]:
            place = f"config/{study}.yaml"
            text = _study_text(configured, place)
            studies[study] = parsed(text, place)
            validate(studies[study], configured, "study", place)
            made, named = expanded_runs(study, text, common)
            runs |= made
            families |= named
        check_inputs(runs)
        check_order(runs)
        figures = {}
        for study, content in studies.items():
            for name, entry in content.get("figures", {}).items():
                if name in figures:
                    raise ConfigError(
                        f"config/{study}.yaml: figure {name!r} is also a figure of {figures[name].study!r}: rename one"
                    )
                figures[name] = figure_entry(name, entry, study, content.get("papers", ()), root, families, runs)
        check_animations(figures.values())
        generators = settings.get("generators") or "published"
        data_root = _data_root(settings, environment)
        where, largest_gb = folders_of(settings), largest_gb_of(settings)
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
        if (root := Catalogue.root_above(start)) is None:
            raise ConfigError(f"{start} is not in a twolayer project: go to the folder with config/config.yaml")
        return root

    @staticmethod
    def root_above(start: Path) -> Path | None:
        """Return the project that contains a folder, see `find_root`, or None."""
        for folder in (start, *start.parents):
            if has_configuration(folder) or (is_working_folder(folder) and has_configuration(CLONE)):
                return folder
        return None

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
        raise ConfigError(f"unknown animation {shown(animation)}: choose one of {names}")

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
        sources = sources_of(self.runs)
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
    if not named or "\0" in named or not Path(named).is_dir():
        raise ConfigError(
            f"data root {named!r} ({source}) is not a folder: give a folder with mnist/, fashion-mnist/ and "
            "cifar-10-batches-bin/, or clear it to download them"
        )
    if set(named) & set("{}"):
        raise ConfigError(f"data root {named!r} ({source}) has a brace, which Snakemake reads as a wildcard: rename it")
    return Path(named)


def _study_text(configured, place):
    """Return the text of a study's file, which the setting `studies` names."""
    if not (configured / place).exists():
        raise ConfigError(f"{place} is missing in {configured}: restore it, or correct studies in {SETTINGS_FILE}")
    return read_text(configured, place)
