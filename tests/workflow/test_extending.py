"""The page docs/how_to/extend.md, followed in copies of the project: results appear, and the tests stay green."""

import shutil
from pathlib import Path

import pytest
import yaml
from small_project import ROOT, Project
from tutorials import blocks, follow

pytestmark = pytest.mark.slow

PAGE = "how_to/extend.md"
LEFT_OUT = ("results", "figures", "data", ".*", "*.egg-info", "__pycache__", "build", "dist")
TESTS = (  # tests that an extension can break, and parts of their names
    ("tests/library/test_front_door.py", "type_checkers or nearest_mean"),
    ("tests/library/test_bad_input.py", "nearest_mean"),
    ("tests/library/test_docstrings.py", "nearest_mean"),
    ("tests/workflow/test_documentation.py", "generated_pages"),
    ("tests/workflow/test_notebooks.py", "nearest or most_figures"),
    ("tests/workflow/test_schema.py", "current or nearest"),
    ("tests/workflow/test_findings.py", "test"),
    ("tests/workflow/test_labels_mixtures.py", "nearest"),
    ("tests/workflow/test_false_alarms.py", "quick and True"),
    ("tests/unit/test_style.py", "nearest"),
    ("tests/unit/test_activations.py", "sine and not both_simulations"),
    ("tests/unit/test_dependencies.py", "parameters or task"),
    ("tests/unit/test_layers.py", "test"),
    ("tests/unit/test_language.py", "test"),
)


@pytest.fixture
def documented(fresh_project, tmp_path):
    """A copy of the small project with the program that writes the reference."""
    project = fresh_project.copy(tmp_path / "project")
    (project.root / "docs" / "reference").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "reference.py", project.root / "docs")
    return project


def test_an_activation(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, PAGE, "An activation")
    assert (project.root / "sine.nc").exists()


def test_a_geometry(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, PAGE, "A geometry")
    assert (project.root / "triangle.nc").exists()


def test_a_task_and_a_figure(documented):
    project = documented
    project.own("src/twolayer/__init__.pyi")
    follow(project, PAGE, "A task")
    follow(project, PAGE, "A figure")
    assert (project.root / "figures/quick/nearest.pdf").exists()


def test_a_study(documented):
    project = documented
    follow(project, PAGE, "A study")
    assert "angles" in (project.root / "docs/reference/figures.md").read_text()
    assert (project.root / "figures/quick/angles.pdf").exists()


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """The whole project with all extensions of the page. Its figures are not made."""
    project = Project(tmp_path_factory.mktemp("extended") / "project")
    shutil.copytree(ROOT, project.root, ignore=_left_out)
    for title in ("An activation", "A geometry", "A task", "A figure"):
        follow(project, PAGE, title, commands="python")
    return project


def _left_out(folder, names):
    ignored = shutil.ignore_patterns(*LEFT_OUT if Path(folder) == ROOT else ("__pycache__", "*.egg-info"))
    return ignored(folder, names)


def test_the_tests_stay_green(extended):
    """At least one test of each file runs, and none fails. The author of an extension does not have to edit a test."""
    words = " or ".join(f"({Path(path).stem} and ({some}))" for path, some in TESTS)
    done = extended.run("pytest", "-vv", "-p", "no:cacheprovider", "-k", words, *dict(TESTS))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    passed = {line.partition("::")[0] for line in done.stdout.splitlines() if " PASSED" in line}
    assert passed == set(dict(TESTS))


def test_an_extension_is_as_short_as_the_page_says():
    """One line for an activation, six lines of configuration for a figure, the code cells of any other notebook."""
    (activation,) = (block.text for block in blocks(PAGE, "An activation") if block.language == "python")
    assert len(activation.strip().splitlines()) == 1
    *_, configuration = (block.text for block in blocks(PAGE, "A figure") if block.language == "yaml")
    assert list(yaml.safe_load(configuration)) == ["figures"]
    assert len(configuration.strip().splitlines()) == 6
    (notebook,) = (block.text for block in blocks(PAGE, "A figure") if block.file.startswith("workflow/notebooks"))
    cells = code_cells(notebook)
    for name in ("fig1", "fig22", "custom_mixture"):
        other = (ROOT / "workflow" / "notebooks" / f"{name}.py").read_text()
        assert code_cells(other.replace(f'"{name}"', '"nearest"')) == cells


def code_cells(notebook):
    """The lines of code of a notebook, without the computation of a run with other parameters."""
    lines = (line.strip() for line in notebook.splitlines())
    return [line for line in lines if line and not line.startswith(("#", "run = ", "parameters = ", "page.compare("))]
