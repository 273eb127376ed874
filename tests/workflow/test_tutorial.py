"""The tutorial and the guides that need the results of figure 1, followed in a copy of the project."""

import shutil
from pathlib import Path

import pytest
from small_project import ROOT, Project
from tutorials import assert_same, blocks, follow

pytestmark = pytest.mark.slow

LEFT_OUT = ("results", "figures", "data", ".*", "*.egg-info", "__pycache__", "build", "dist", "_build")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The whole project after the tutorial up to the changed parameter."""
    copy = Project(tmp_path_factory.mktemp("tutorial") / "project")
    shutil.copytree(ROOT, copy.root, ignore=_left_out, symlinks=True)
    for section in ("Make a figure", "Read the checks", "Change a parameter"):
        follow(copy, "tutorial.md", section)
    return copy


def _left_out(folder, names):
    return shutil.ignore_patterns(*LEFT_OUT if Path(folder) == ROOT else ("__pycache__", "*.egg-info"))(folder, names)


def test_the_tutorial_changes_a_parameter(project):
    assert (project.root / "figures/quick/fig1.pdf").exists()


def test_the_tutorial_in_python(project):
    follow(project, "tutorial.md", "The same in Python")


def test_the_tutorial_on_another_mixture(project):
    follow(project, "tutorial.md", "Your own mixture")


def test_every_block_of_the_tutorial_is_followed():
    sections = {"Make a figure", "Read the checks", "Change a parameter", "The same in Python", "Your own mixture"}
    assert {block.section for block in blocks("tutorial.md")} == sections | {"Install"}
    (install,) = blocks("tutorial.md", "Install")
    assert install.text == "make setup\n. .venv/bin/activate\n"


@pytest.mark.parametrize("page", ["change_a_parameter", "read_results", "cite"])
def test_a_guide(project, page):
    shutil.copy(ROOT / "config/mixtures.yaml", project.root / "config/mixtures.yaml")
    follow(project, f"how_to/{page}.md")


def test_differences_from_a_page_are_found():
    assert_same("a 1\nb   2\n", "a ...\nb 2\n")
    assert_same("1 of 2, error 0.5 %\n", "1 of 2, error 0.51 %\n")
    for printed in ("2 of 2, error 0.51 %", "1 of 2, error 0.8 %", "1 of 2, error 5.1 %", "1 of 2, error -0.51 %"):
        with pytest.raises(AssertionError, match="the page shows"):
            assert_same(printed, "1 of 2, error 0.51 %\n")
