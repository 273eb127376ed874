"""What can be made: the figures of `config/figures.yaml` and the runs of the studies, at both scales.

The whole configuration is read and checked here, before any work starts.
"""

import itertools
import json
import os
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import fastjsonschema
import yaml

from twolayer.config import parse, to_json
from twolayer.errors import ConfigError, DataError
from twolayer.tasks import TASKS, Task

SCALES = ("paper", "quick")
FIGURE_FOLDERS = {"paper": "figures", "quick": "figures/quick"}
EMBEDDED_IMAGES = "workflow/resources"
DOWNLOADED_IMAGES = "results/data"
WITHOUT_TOLERANCE = ("z_score", "spread")  # kinds of checks whose tolerance follows from the seeds


@dataclass(frozen=True)
class Run:
    """One job: a task with its parameters, at one scale.

    Attributes:
        inputs: name of an input -> the run that makes it.
        images: image set that it reads, or None.
        minutes: expected for this job, without a GPU. gpu_minutes: with one, or None where it makes no use of it.
        mem_mb, threads: what it needs.
    """

    name: str
    paper: str
    scale: str
    task: str
    config: Any
    inputs: Mapping[str, str]
    images: str | None
    minutes: float
    gpu_minutes: float | None
    mem_mb: int
    threads: int

    @property
    def path(self) -> str:
        """The results file, relative to the project."""
        return f"results/{self.scale}/{self.paper}/{self.task}/{self.name}.nc"

    @property
    def params(self) -> str:
        """The parameters in JSON, all defaults spelled out."""
        return to_json(self.config)


@dataclass(frozen=True)
class Figure:
    """One entry of the catalogue.

    Attributes:
        module: name of the module of `twolayer.figures` that draws it. original: the figure's name in the paper.
        runs: scale -> names of the runs it reads. checks: see `verdicts`.
        references: name in a check -> the table (CSV) of values from elsewhere, and the columns that are coordinates.
        animations: names of its animations, each a function of `twolayer.figures`.
    """

    name: str
    paper: str
    module: str
    original: str
    title: str
    runs: Mapping[str, tuple[str, ...]]
    checks: tuple[Mapping, ...]
    references: Mapping[str, Mapping]
    animations: tuple[str, ...]


@dataclass(frozen=True)
class Catalogue:
    """All figures and runs.

    Attributes:
        root: folder of the project. data_root: folder of image sets, or None where they are downloaded.
        runs: (scale, paper, name) -> run. families: (scale, paper, name in the file) -> names of its runs.
    """

    root: Path
    data_root: Path | None
    runs: Mapping[tuple[str, str, str], Run]
    families: Mapping[tuple[str, str, str], tuple[str, ...]]
    figures: Mapping[str, Figure]

    @classmethod
    def load(cls, root: Path, settings: Mapping | None = None, environment: Mapping = os.environ) -> "Catalogue":
        """Read and check the configuration of the project in `root`.

        Args:
            settings: what stands in for `config/config.yaml`, where its values were overridden.

        Raises:
            ConfigError: anything in it is not allowed.
        """
        root = Path(root)
        place = "config/config.yaml"
        settings = dict(_read_yaml(root, place) if settings is None else settings)
        _validate(settings, root, "config", place)
        runs, families = {}, {}
        for paper in settings["studies"]:
            for name, family in _read_study(root, paper).items():
                for scale in SCALES:
                    families[scale, paper, name] = _expand(family, name, paper, scale, settings, runs)
        _check_inputs(runs)
        figures = _read_figures(root, families, runs)
        return cls(root, _data_root(settings, environment), runs, families, figures)

    @staticmethod
    def find_root(start: Path | None = None) -> Path:
        """The project that holds the folder `start`, by default the current one.

        Raises:
            ConfigError: it lies in no project.
        """
        start = Path.cwd() if start is None else Path(start)
        for folder in (start, *start.parents):
            if (folder / "config" / "figures.yaml").exists():
                return folder
        raise ConfigError(f"{start} lies in no twolayer project: go to the folder that holds config/figures.yaml")

    def figure(self, name: str) -> Figure:
        """The figure of that name.

        Raises:
            ConfigError: there is none.
        """
        if name not in self.figures:
            raise ConfigError(
                f"unknown figure {name!r}: config/figures.yaml has {', '.join(self.figures)}, "
                f"and the scales are {', '.join(f'{scale} ({folder}/)' for scale, folder in FIGURE_FOLDERS.items())}"
            )
        return self.figures[name]

    def animated_figure(self, animation: str) -> Figure:
        """The figure that an animation belongs to.

        Raises:
            ConfigError: there is no such animation.
        """
        for figure in self.figures.values():
            if animation in figure.animations:
                return figure
        known = ", ".join(name for figure in self.figures.values() for name in figure.animations)
        raise ConfigError(f"unknown animation {animation!r}: config/figures.yaml has {known or 'none'}")

    def run(self, scale: str, paper: str, name: str) -> Run:
        """The run of that name.

        Raises:
            ConfigError: there is none.
        """
        if (scale, paper, name) not in self.runs:
            known = ", ".join(run for at, study, run in self.runs if (at, study) == (scale, paper))
            raise ConfigError(
                f"unknown run {name!r} of study {paper!r} at scale {scale!r}: "
                f"scales are {', '.join(SCALES)}" + (f", and config/{paper}.yaml has {known}" if known else "")
            )
        return self.runs[scale, paper, name]

    def figure_runs(self, name: str, scale: str) -> list[Run]:
        """The runs that a figure reads."""
        figure = self.figure(name)
        return [self.run(scale, figure.paper, run) for run in figure.runs[scale]]

    def upstream(self, runs: list[Run]) -> list[Run]:
        """These runs and all that they need."""
        found = {}
        waiting = list(runs)
        while waiting:
            run = waiting.pop()
            if run.path not in found:
                found[run.path] = run
                waiting += [self.run(run.scale, run.paper, name) for name in run.inputs.values()]
        return list(found.values())

    def minutes(self, name: str, scale: str, gpu: bool = False) -> float:
        """What a figure takes from nothing, with two jobs at a time, or one GPU for those jobs that make use of it."""
        runs = self.upstream(self.figure_runs(name, scale))
        on_gpu = [run for run in runs if gpu and run.gpu_minutes]
        others = [run for run in runs if run not in on_gpu]
        return sum(run.gpu_minutes for run in on_gpu) + sum(run.minutes for run in others) / 2

    def image_folder(self, scale: str) -> Path:
        """Where the image sets of a scale lie."""
        if scale == "quick":
            return Path(EMBEDDED_IMAGES)
        return Path(DOWNLOADED_IMAGES) if self.data_root is None else self.data_root

    def image_files(self, scale: str, dataset: str, splits: tuple[str, ...]) -> list[str]:
        """The files of some splits of an image set.

        Raises:
            DataError: a file is missing from the data root.
        """
        from twolayer.model.images import image_files

        names = [name for split in splits for name in image_files(dataset, split)]
        files = [self.image_folder(scale) / dataset / name for name in names]
        for path in files:
            if scale == "paper" and self.data_root is not None and not path.exists():
                raise DataError(
                    f"image file {path} is missing from the data root {self.data_root}: complete it, or clear "
                    "data_root in config/config.yaml and TWOLAYER_DATA to download it"
                )
        return [str(path) for path in files]


def duration(minutes: float) -> str:
    """Minutes in words, or hours where it is many."""
    return f"{minutes:.1f} min" if minutes < 120 else f"{minutes / 60:.0f} h"


def _read_yaml(root, place):
    path = root / place
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{place} is missing in {root}: restore it from the repository") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{place}{line} is not valid YAML: {getattr(error, 'problem', error)}") from None


def _validate(values, root, schema, place):
    definition = json.loads((root / "config" / "schemas" / f"{schema}.schema.json").read_text(encoding="utf-8"))
    try:
        fastjsonschema.validate(definition, values)
    except fastjsonschema.JsonSchemaValueException as error:
        raise ConfigError(f"{place}: {_complaint(error)}") from None


def _complaint(error):
    """What a schema does not allow, as a sentence."""
    where = ".".join(error.path[1:]) or "top level"
    if error.rule == "additionalProperties":
        allowed = error.definition["properties"]
        unknown = next(key for key in error.value if key not in allowed)
        return f"{where}: unknown key {unknown!r}: allowed are {', '.join(allowed)}"
    if error.rule == "required":
        missing = next(key for key in error.definition["required"] if key not in error.value)
        return f"{where}: the key {missing!r} is missing"
    return f"{where} is {error.value!r}: it {error.message.removeprefix(f'{error.name} ')}"


def _data_root(settings, environment):
    named, source = settings.get("data_root"), "data_root in config/config.yaml"
    if environment.get("TWOLAYER_DATA"):
        named, source = environment["TWOLAYER_DATA"], "TWOLAYER_DATA"
    if named is None:
        return None
    if not Path(named).is_dir():
        raise ConfigError(
            f"data root {named!r} ({source}) is no folder: name one with mnist/, fashion-mnist/ and "
            "cifar-10-batches-bin/, or none to download"
        )
    return Path(named)


def _read_study(root, paper):
    place = f"config/{paper}.yaml"
    study = _read_yaml(root, place)
    _validate(study, root, "study", place)
    return study["runs"]


def _expand(family, name, paper, scale, settings, runs):
    """Add a family's runs at one scale to `runs` and return their names."""
    place = f"config/{paper}.yaml: {name}"
    task = TASKS.get(family["task"])
    if task is None:
        raise ConfigError(f"{place}: unknown task {family['task']!r}: choose one of {', '.join(TASKS)}")
    if set(family.get("inputs", {})) != set(task.inputs):
        raise ConfigError(
            f"{place}: inputs are {sorted(family.get('inputs', {}))}: "
            f"task {family['task']} needs {sorted(task.inputs) or 'none'}"
        )
    names = []
    for point in _grid(_axes(family, scale, place)):
        run_name = "_".join([name, *(_label(key, value) for key, value in point.items())])
        params = _overlay(family.get("params", {}), family.get("quick", {}) if scale == "quick" else {})
        for key, value in point.items():
            params = _overlay(params, _nested(key, value))
        runs[scale, paper, run_name] = _run(task, family, run_name, paper, scale, params, settings, place)
        names.append(run_name)
    return tuple(names)


def _axes(family, scale, place):
    """The axes of a family's grid at one scale; the quick one may take other values on some of them."""
    axes, quick = family.get("grid", {}), family.get("quick_grid", {})
    if unknown := set(quick) - set(axes):
        raise ConfigError(f"{place}: quick_grid has {sorted(unknown)[0]!r}: grid has {', '.join(axes) or 'nothing'}")
    return axes | quick if scale == "quick" else axes


def _run(task: Task, family, name, paper, scale, params, settings, place):
    names = {field.name for field in fields(task.config)}
    params = {key: settings[key] for key in ("seed", "device") if key in names} | params
    config = parse(task.config, params, f"{place} ({scale} scale)")
    return Run(
        name=name,
        paper=paper,
        scale=scale,
        task=family["task"],
        config=config,
        inputs=family.get("inputs", {}),
        images=config.dataset if task.images else None,
        minutes=family["minutes"][scale],
        gpu_minutes=family["minutes"].get("gpu") if scale == "paper" and settings["device"] != "cpu" else None,
        mem_mb=family["mem_mb"],
        threads=family.get("threads", 1),
    )


def _grid(axes):
    """All points of a grid, {key: [values]} -> [{key: value}]; no axes give one empty point."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def _nested(key, value):
    """{"a.b": 1} -> {"a": {"b": 1}}."""
    first, _, rest = key.partition(".")
    return {first: _nested(rest, value) if rest else value}


def _label(key, value):
    """A grid value in a run's name: width1024, ridge1e-3, unbiased; of a nested key only the last part."""
    key = key.rpartition(".")[2]
    if isinstance(value, bool):
        return key if value else f"no-{key}"
    if isinstance(value, str):
        return value
    text = f"{value:g}"
    if isinstance(value, float) and value != 0 and abs(value) < 0.01:
        mantissa, exponent = f"{value:.5e}".split("e")
        text = f"{float(mantissa):g}e{int(exponent)}"
    return f"{key}{text}"


def _overlay(base, changes):
    """A copy of nested mappings `base` with `changes` laid over it."""
    merged = deepcopy(dict(base))
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _overlay(merged[key], value) if both and not _is_spacing(value) else deepcopy(value)
    return merged


def _is_spacing(value):
    return set(value) <= {"logspace", "linspace"}


def _check_inputs(runs):
    for (scale, paper, name), run in runs.items():
        for role, source in run.inputs.items():
            if (scale, paper, source) not in runs:
                raise ConfigError(
                    f"config/{paper}.yaml: {name}: input {role!r} names the unknown run {source!r} ({scale} scale)"
                )


def _references(entry, root, place):
    references = entry.get("references", {})
    for name, reference in references.items():
        if not (root / reference["file"]).exists():
            raise ConfigError(f"{place}: reference {name!r} names the file {reference['file']}, which is missing")
    return references


def _each(template, place):
    """The checks that a template stands for: one for every combination of its lists `each`."""
    if "each" not in template:
        return [template]
    texts = {key: value for key, value in template.items() if isinstance(value, str)}
    rest = {key: value for key, value in template.items() if key not in texts and key != "each"}
    try:
        return [{key: text.format(**point) for key, text in texts.items()} | rest for point in _grid(template["each"])]
    except KeyError as error:
        raise ConfigError(
            f"{place}: check {template['title']!r} needs a value of {error}: each has {', '.join(template['each'])}"
        ) from None


def _members(scale, paper, name, families, runs):
    """The runs that a figure means by a name: those of a family, or a single one where there is such at that scale."""
    single = (name,) if (scale, paper, name) in runs else ()
    return families.get((scale, paper, name), single)


def _read_figures(root, families, runs):
    place = "config/figures.yaml"
    entries = _read_yaml(root, place)
    _validate(entries, root, "figures", place)
    figures = {}
    for name, entry in entries.items():
        checks = [check for template in entry["checks"] for check in _each(template, f"{place}: {name}")]
        for check in checks:
            if (check["kind"] in WITHOUT_TOLERANCE) == ("tolerance" in check):
                raise ConfigError(
                    f"{place}: {name}: check {check['title']!r} of kind {check['kind']}: give a tolerance to all kinds "
                    f"but {' and '.join(WITHOUT_TOLERANCE)}, whose tolerance follows from the seeds"
                )
        members = {
            scale: [_members(scale, entry["paper"], run, families, runs) for run in entry["runs"]] for scale in SCALES
        }
        for run, found in zip(entry["runs"], members[SCALES[0]], strict=True):
            if not found:
                raise ConfigError(f"{place}: {name}: unknown run {run!r}: config/{entry['paper']}.yaml has no such")
        figures[name] = Figure(
            name=name,
            paper=entry["paper"],
            module=entry.get("module", entry["paper"]),
            original=entry["original"],
            title=entry["title"],
            runs={scale: tuple(itertools.chain(*members[scale])) for scale in SCALES},
            checks=tuple(checks),
            references=_references(entry, root, f"{place}: {name}"),
            animations=tuple(entry.get("animations", ())),
        )
    return figures
