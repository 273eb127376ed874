"""Every notebook as a reader uses it: one parameter of the marked cell is changed, then all cells run.

The notebooks read the results of the quick preset: `snakemake quick` makes them. Without them the tests are skipped.
"""

import json
from functools import cache

import pytest
from small_project import CATALOGUE, ROOT

from twolayer.errors import TwolayerError
from twolayer.experiments import TASKS
from twolayer.parameters import parse
from twolayer.pipeline.report.notebooks import run_cells
from twolayer.pipeline.report.website.figure_document import NOTEBOOKS, read_notebook

pytestmark = pytest.mark.slow

LONGEST = 1.0  # minutes of a run that a reader waits for


def marked(notebook):
    """The cell of parameters."""
    (cell,) = (cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", []))
    return cell


@cache
def values(name):
    """The names and values that the cell of a notebook sets."""
    found = {}
    exec(marked(read_notebook(ROOT, name)).source, found)
    return {key: value for key, value in found.items() if not key.startswith("__")}


NAMES = [
    path.stem
    for path in sorted((ROOT / NOTEBOOKS).glob("*.py"))
    if "run" in values(path.stem)
    and CATALOGUE.run("quick", CATALOGUE.figure(path.stem).study, values(path.stem)["run"]).minutes <= LONGEST
]


def others(value):
    """Other values of a parameter, the most natural first."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, 2 * value]
    if isinstance(value, float):
        return [0.8 * value, 0.1] if value else [0.1]
    if isinstance(value, list):
        return [value[:-1], [0.8 * one if isinstance(one, float) else one for one in value]]
    if isinstance(value, str):
        return [other for other in ("erf", "relu", "tanh", "logistic", "square") if other != value]
    return []


def changed(name):
    """The parameters of the cell of which one has another value that is allowed."""
    cell = values(name)
    run = CATALOGUE.run("quick", CATALOGUE.figure(name).study, cell["run"])
    for key, value in cell["parameters"].items():
        for other in others(value):
            parameters = json.loads(run.params)
            place = parameters
            *path, last = key.split(".")
            for part in path:
                place = place.setdefault(part, {})
            place[last] = other
            try:
                parse(TASKS[run.task].parameters, parameters, name)
            except TwolayerError:
                continue
            return cell["parameters"] | {key: other}
    raise AssertionError(f"no parameter of the cell of {name} can have another value")


def products():
    """Times of all results and figures."""
    paths = [path for folder in ("results/quick", "figures/quick") for path in (ROOT / folder).rglob("*.*")]
    return {path: path.stat().st_mtime_ns for path in paths}


@pytest.mark.parametrize("name", NAMES)
def test_a_run_with_another_value_is_plotted(name, monkeypatch):
    runs = CATALOGUE.upstream(CATALOGUE.figure_runs(name, "quick"))
    if not all((ROOT / run.path).exists() for run in runs):
        pytest.skip(f"no results of {name}: snakemake figures/quick/{name}.pdf")
    monkeypatch.chdir(ROOT)
    notebook = read_notebook(ROOT, name)
    marked(notebook).source += f"\nparameters = {changed(name)!r}"
    before = products()
    executed = run_cells(notebook)
    outputs = executed.cells[-1].outputs
    assert [list(one.data) for one in outputs if "data" in one][-1][0] == "image/png", outputs
    errors = [one.text for cell in executed.cells for one in cell.get("outputs", []) if one.get("name") == "stderr"]
    assert not [text for text in errors if "error" in text.lower()]
    assert products() == before


def test_every_notebook_with_a_short_run_is_tested():
    assert len(NAMES) > 40
