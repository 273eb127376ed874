"""Custom studies with edited configurations, from the file to the checks, in this process."""

import itertools
import json
import shutil
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib.pyplot as plt
import yaml

from twolayer.errors import TwolayerError
from twolayer.experiments import TASKS
from twolayer.figures.evidence import Evidence, Source
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.report.checks.check_results import judge, module_function
from twolayer.pipeline.report.checks.dry_run_of_checks import dry_run
from twolayer.pipeline.studies.runs import Run

ROOT = Path(__file__).parents[1]


@dataclass
class CustomStudy:
    """A study in a folder of its own. Results are kept, so that an edit computes what it changes and nothing else.

    Attributes:
        root: the folder, empty at first. name: of the study.
    """

    root: Path
    name: str
    results: dict = field(default_factory=dict)

    def __post_init__(self):
        self.root.mkdir(exist_ok=True)
        shutil.copytree(ROOT / "config" / "schemas", self.root / "config" / "schemas")
        settings = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
        (self.root / "config" / "config.yaml").write_text(yaml.safe_dump(settings | {"studies": [self.name]}))

    def content(self) -> dict:
        """The study's file as it comes with the project."""
        return yaml.safe_load((ROOT / "config" / f"{self.name}.yaml").read_text())

    def judged(self, content: Mapping, figure: str) -> list:
        """The check results of a figure at the quick preset, after it is drawn.

        Raises:
            TwolayerError: the configuration is refused.
        """
        (self.root / "config" / f"{self.name}.yaml").write_text(yaml.safe_dump(content))
        catalogue = Catalogue.load(self.root, environment={})
        entry = catalogue.figure(figure)
        dry_run(catalogue, [entry])
        runs = catalogue.figure_runs(figure, "quick")
        sources = {run.name: self._source(catalogue, run) for run in runs}
        evidence = Evidence("quick", sources)
        drawing = module_function(entry, "draw")(evidence)
        drawing.draw_without_rendering()
        plt.close(drawing)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return judge(entry, evidence)

    def _source(self, catalogue, run):
        return Source(self._result(catalogue, run), run.family, run.point, json.loads(run.params))

    def outcome(self, content: Mapping, figure: str) -> str:
        """Why a configuration is refused, or what is wrong with a figure and its checks; empty if nothing is."""
        try:
            outcomes = self.judged(content, figure)
        except TwolayerError as refusal:
            text = str(refusal)
            return f"no reason: {text}" if "cannot be made" in text or "\n" in text or ": " not in text else ""
        bad = [one.title for one in outcomes if one.status == "fail" and one.deviation is None]
        return f"nothing to compare: {bad[0]}" if bad else "" if outcomes else "no checks"

    def _result(self, catalogue: Catalogue, run: Run):
        inputs = {role: catalogue.run(run.preset, run.study, name) for role, name in run.inputs.items()}
        data = {role: self._result(catalogue, source) for role, source in inputs.items()}
        key = (run.task, run.params, *(f"{role} {id(one)}" for role, one in data.items()))
        if key not in self.results:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.results[key] = TASKS[run.task].run(run.parameters, **data)
        return self.results[key]


def edits(content: Mapping) -> Iterator[tuple[str, dict]]:
    """Every list and number of the parameters of a study, changed: what is changed and how, and the new content."""
    for path, value in _leaves(content["runs"]):
        for change, new in _changes(value):
            copy = yaml.safe_load(yaml.safe_dump(content))
            place = copy["runs"]
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = new
            yield f"{'.'.join(map(str, path))}: {change}", copy


def _leaves(value, path=()):
    """Paths and values of all numbers and lists in the parameters and grids of runs."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            if len(path) != 1 or key in ("params", "quick", "grid", "quick_grid"):
                yield from _leaves(one, (*path, key))
    elif len(path) > 1 and isinstance(value, list):
        yield path, value
        if all(isinstance(one, Mapping | list) for one in value):
            for place, one in enumerate(value):
                yield from _leaves(one, (*path, place))
    elif len(path) > 1 and isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _changes(value):
    """Other values of a number or a list."""
    if not isinstance(value, list):
        yield "halved", value / 2 if isinstance(value, float) else max(value // 2, 1)
        yield "doubled", 2 * value
        return
    yield "first alone", value[:1]
    yield "last alone", value[-1:]
    if len(value) > 2:
        yield "every other", value[::2]
    if len(value) > 1 and isinstance(value[0], int | float):
        yield "between", [(one + other) / 2 for one, other in itertools.pairwise(value)]
        yield "reversed", value[::-1]
