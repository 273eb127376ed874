"""Notebooks of the figures: what a reader edits, what is executed, and what JupyterLab saves."""

import json
import re
import shutil

import jupytext
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from jupytext import TextFileContentsManager
from small_project import CATALOGUE, ROOT

from twolayer.errors import ConfigError
from twolayer.experiments import TASKS
from twolayer.pipeline.report import comparison
from twolayer.pipeline.report.figure_page import Page
from twolayer.pipeline.report.notebooks import clean, set_preset
from twolayer.pipeline.report.website import notebook_index, tutorial
from twolayer.pipeline.report.website.figure_document import NOTEBOOKS, prose, read_notebook

NAMES = sorted(path.stem for path in (ROOT / NOTEBOOKS).glob("*.py"))


def parameters(name):
    """The names and values that the cell of parameters sets."""
    (cell,) = (cell for cell in read_notebook(ROOT, name).cells if "parameters" in cell.metadata.get("tags", []))
    values = {}
    exec(cell.source, values)
    return {key: value for key, value in values.items() if not key.startswith("__")}


def curve_of(name):
    """The variable that the notebook plots."""
    return re.search(r'curve="(\w+)"', (ROOT / NOTEBOOKS / f"{name}.py").read_text())[1]


def value_at(params, name):
    for key in name.split("."):
        params = params[key]
    return params


@pytest.mark.parametrize("name", NAMES)
def test_the_cell_shows_the_parameters_of_the_workflow(name):
    """At both presets, so that the workflow computes nothing in the last cell."""
    cell = parameters(name)
    assert cell["preset"] == "quick"
    for preset in ("quick", "paper") if "run" in cell else ():
        run = CATALOGUE.run(preset, CATALOGUE.figure(name).study, cell["run"])
        other_batch_size = preset == "paper" and name in ("fig15", "fig16")  # see `batch_sizes` in config/varpro.yaml
        assert (run in CATALOGUE.upstream(CATALOGUE.figure_runs(name, preset))) is not other_batch_size
        assert {key: value_at(json.loads(run.params), key) for key in cell["parameters"]} == cell["parameters"]


@pytest.mark.parametrize("name", [name for name in NAMES if "run" in parameters(name)])
def test_the_result_has_the_curve_that_is_plotted(name):
    run = CATALOGUE.run("quick", CATALOGUE.figure(name).study, parameters(name)["run"])
    outline = TASKS[run.task].result.placeholder(run.parameters)
    assert comparison.plot(outline, outline, curve_of(name)).axes
    plt.close("all")


def test_most_figures_have_a_run_to_change():
    without = [name for name in NAMES if "run" not in parameters(name)]
    assert set(without) <= {"fig5", "fig30", "fig31"}
    for name in without:
        assert f"config/{CATALOGUE.figure(name).study}.yaml" in (ROOT / NOTEBOOKS / f"{name}.py").read_text()


def test_a_run_with_another_parameter():
    run = CATALOGUE.run("quick", "varpro", "teachers")
    assert comparison.compute(CATALOGUE, run, {"gamma": [10.0, 100.0, 1000.0]}) is None
    stored, new = (comparison.compute(CATALOGUE, run, {"gamma": gamma}) for gamma in ([10.0, 100.1], [20.0]))
    assert new.gamma.values == [20.0]
    (axes,) = comparison.plot(stored, new, "density").axes
    assert [line.get_label() for line in axes.lines if not line.get_label().startswith("_")] == ["workflow", "new"]
    np.testing.assert_array_equal(axes.lines[-1].get_ydata(), new.density.values[0])
    with pytest.raises(ConfigError, match="unknown curve 'densty': choose one of"):
        comparison.plot(stored, new, "densty")


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"gama": 1.0}, "gama"), ({"gamma": "large"}, "parameters of teachers"), ({"gamma.x": 1.0}, "gamma")],
)
def test_a_wrong_parameter_is_one_sentence(changes, message):
    with pytest.raises(ConfigError, match=message) as raised:
        comparison.compute(CATALOGUE, CATALOGUE.run("quick", "varpro", "teachers"), changes)
    assert "\n" not in str(raised.value)


def test_a_wrong_preset_is_one_sentence():
    with pytest.raises(ConfigError, match="unknown preset 'quik': choose paper or quick"):
        Page.open("fig1", "quik")


@pytest.mark.parametrize("name", NAMES)
def test_saving_in_jupyterlab_changes_nothing(tmp_path, name):
    """A running kernel adds metadata to the notebook and to its cells, which are not written."""
    for file in (f"{name}.py", "jupytext.toml"):
        shutil.copy(ROOT / NOTEBOOKS / file, tmp_path / file)
    manager = TextFileContentsManager(root_dir=str(tmp_path))
    model = manager.get(f"{name}.py", type="notebook", content=True)
    model["content"]["metadata"]["language_info"] = {"name": "python", "version": "3.11.7"}
    for cell in model["content"]["cells"]:
        cell["metadata"] |= {"trusted": True, "execution": {"iopub.status.busy": "now"}}
    manager.save(model, f"{name}.py")
    assert (tmp_path / f"{name}.py").read_text() == (ROOT / NOTEBOOKS / f"{name}.py").read_text()


def test_the_preset_is_set_where_a_reader_looks_for_it():
    notebook = read_notebook(ROOT, "fig1")
    set_preset(notebook, "paper")
    sources = "\n".join(cell.source for cell in notebook.cells)
    assert re.findall(r'(?m)^preset = "(\w+)"', sources) == ["paper"]
    notebook.cells = notebook.cells[:1]
    with pytest.raises(ConfigError, match="in a cell with the tag"):
        set_preset(notebook, "quick")


def test_equal_notebooks_are_equal_files():
    def written():
        notebook = jupytext.read(ROOT / NOTEBOOKS / "fig1.py")
        notebook.metadata["papermill"] = {"output_path": ".partial-host-fig1.ipynb"}
        notebook.cells[0].metadata["papermill"] = {"start_time": "now"}
        return nbformat.writes(clean(notebook))

    assert written() == written()
    assert "papermill" not in written()
    assert json.loads(written())["metadata"]["language_info"] == {"name": "python"}


def test_the_text_of_a_notebook_ends_at_its_checks():
    text = prose(read_notebook(ROOT, "fig13"))
    assert text.startswith("Barboni et al. 2025")
    assert "$$f^*(x)" in text
    assert "## Checks" not in text
    assert "other parameters" not in text


@pytest.mark.slow
def test_the_tutorial_runs_and_becomes_a_page(tmp_path):
    tutorial.write(ROOT, tmp_path)
    page = (tmp_path / "tutorial.md").read_text()
    pictures = re.findall(r"!\[Picture of the section: (.*)\]\((.*)\)", page)
    assert [section for section, _ in pictures] == ["Your own mixture", "Your own features", "A phase diagram"]
    assert all((tmp_path / name).stat().st_size > 5000 for _, name in pictures)
    assert "half the mean squared error" in page
    written = (tmp_path / "tutorial.md").stat().st_mtime_ns
    tutorial.write(ROOT, tmp_path)
    assert (tmp_path / "tutorial.md").stat().st_mtime_ns == written, "a page that is current is kept"


def test_the_list_of_notebooks_has_each_of_them():
    links = re.findall(r"\]\(\.\./(workflow/[^)]+)\)", notebook_index.index(CATALOGUE))
    assert {f"{NOTEBOOKS}/{name}.py" for name in CATALOGUE.figures} <= set(links)
    assert all((ROOT / link).exists() for link in links)
