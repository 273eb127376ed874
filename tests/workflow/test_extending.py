"""The page docs/extending.md, followed in a copy of the project."""

import pytest
from tutorials import follow

pytestmark = pytest.mark.slow

PAGE = "extending.md"


def test_an_activation(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, PAGE, "An activation")
    assert (project.root / "cube.nc").exists()


def test_a_geometry(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, PAGE, "A geometry")
    assert (project.root / "triangle.nc").exists()


def test_a_task_and_a_figure(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, PAGE, "A task")
    follow(project, PAGE, "A figure")
    assert (project.root / "figures/quick/nearest.pdf").exists()


def test_a_study(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, PAGE, "A study")
    assert (project.root / "figures/quick/cloud.pdf").exists()
