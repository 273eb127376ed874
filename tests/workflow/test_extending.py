"""The page docs/extending.md, followed in a copy of the project."""

import re
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text()


def section(title):
    """The blocks of a section: language, what to do with it, text."""
    text = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    (found,) = [part for part in text if part.startswith(title + "\n")]
    return re.findall(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", found, flags=re.MULTILINE | re.DOTALL)


def merge(content, more):
    """Nested mappings and lists put together."""
    for key, value in more.items():
        if isinstance(value, dict):
            merge(content.setdefault(key, {}), value)
        else:
            content[key] = content[key] + value if isinstance(content.get(key), list) else value


def follow(project, title):
    """Do what a section says."""
    for language, place, text in section(title):
        if language == "console":
            for command in text.strip().splitlines():
                done = project.run("bash", "-c", command)
                assert done.returncode == 0, done.stderr
        elif place.startswith("merge into "):
            project.edit(
                place.removeprefix("merge into "), lambda content, text=text: merge(content, yaml.safe_load(text))
            )
        elif place.startswith("add to "):
            with (project.root / place.removeprefix("add to ")).open("a") as file:
                file.write("\n\n" + text)
        else:
            path = project.root / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def test_an_activation(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, "An activation")
    assert (project.root / "cube.nc").exists()


def test_a_geometry(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, "A geometry")
    assert (project.root / "triangle.nc").exists()


def test_a_task_and_a_figure(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, "A task")
    follow(project, "A figure")
    assert (project.root / "figures/quick/nearest.pdf").exists()


def test_a_study(fresh_project, tmp_path):
    project = fresh_project.copy(tmp_path / "project")
    follow(project, "A study")
    assert (project.root / "figures/quick/cloud.pdf").exists()
