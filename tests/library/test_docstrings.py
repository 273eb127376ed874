"""Docstrings of classes and functions: their examples, and the errors that they state."""

import doctest
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from raised import raised

import twolayer as tl
from twolayer.experiments import TASKS
from twolayer.library.describe import SETTINGS

FUNCTIONS = [name for name in tl.__all__ if name in TASKS or inspect.isfunction(getattr(tl, name))]


CLASSES = [name for name in tl.__all__ if name not in FUNCTIONS]
ERRORS = [name for name in CLASSES if issubclass(getattr(tl, name), Exception)]
ROOT = Path(__file__).parents[2]
KEYS = re.findall(r"(?m)^@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text())
VERBS = {
    "Apply", "Compute", "Create", "Define", "Draw", "Estimate", "Find", "Load", "Measure", "Read", "Return", "Run",
    "Smooth", "Solve", "Take", "Train", "Write",
}  # fmt: skip


def sections(name):
    """The first line of a docstring, and its sections by their titles."""
    first, *rest = re.split(
        r"(?m)^(Args|Attributes|Returns|Raises|Example|References):", inspect.getdoc(getattr(tl, name))
    )
    return first.partition("\n")[0], dict(zip(rest[::2], rest[1::2], strict=True))


def entries(section):
    """The names that a section describes, in order."""
    names = re.findall(r"(?m)^    (\w+(?:, \w+)*)(?: \([\w, ]+\))?: \S", section)
    return [name for listed in names for name in listed.split(", ")]


def arguments(name):
    """The names of the arguments of a function or class."""
    return [] if name in ERRORS else [*inspect.signature(getattr(tl, name)).parameters]


@pytest.mark.parametrize("name", tl.__all__)
def test_first_lines_are_one_sentence(name):
    first = sections(name)[0]
    assert first.endswith(".")
    assert first[0].isupper()
    if name in FUNCTIONS:
        assert first.split()[0] in VERBS


@pytest.mark.parametrize("name", tl.__all__)
def test_every_argument_is_described(name):
    found = sections(name)[1]
    described = entries(found.get("Args", "") + found.get("Attributes", ""))
    assert sorted(described) == sorted(arguments(name))


@pytest.mark.parametrize("name", sorted(TASKS.keys() & set(tl.__all__)))
def test_settings_follow_the_problem(name):
    """Files come last, numerical settings before them, and the docstring has the order of the signature."""
    order = arguments(name)
    assert entries(sections(name)[1]["Args"]) == order
    by_name = [
        one.name for one in inspect.signature(getattr(tl, name)).parameters.values() if one.kind == one.KEYWORD_ONLY
    ]
    files = [one for one in by_name if one in ("largest_gb", "checkpoint")]
    assert by_name[len(by_name) - len(files) :] == files
    settings = [one in SETTINGS for one in by_name[: len(by_name) - len(files)]]
    assert settings == sorted(settings)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_described(name):
    """A task describes each variable with its dimensions, and its unit if it has one."""
    if name == "write":  # returns nothing
        return
    found = sections(name)[1]["Returns"]
    if name not in TASKS:
        assert len(found.split()) > 2
        return
    layout = TASKS[name].result
    for dims, names in layout.variables.items():
        for variable in (one.rstrip("?") for one in names.split()):
            shape = f" ({', '.join(dims.split())})" if dims else ""
            (line,) = re.findall(rf"(?m)^    {variable}{re.escape(shape)}: (.+)", found)
            assert layout.units.get(variable, "") in line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with the image sets of the project in `images`."""
    (tmp_path / "images").symlink_to(ROOT / "workflow" / "resources")
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", tl.__all__)
def test_examples(name, folder):
    """Every example shows a result."""
    found = doctest.DocTestFinder(recurse=False).find(getattr(tl, name), name, globs={})
    assert any(example.want for test in found for example in test.examples)
    for test in found:
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("name", tl.__all__)
def test_references_are_listed(name):
    found = entries(sections(name)[1].get("References", ""))
    assert set(found) <= set(KEYS)
    assert found or name not in TASKS


# They refer to the class `Task`, and do not call its method `run`.
NOT_CALLED = {"figure": {"NotConverged"}, "predict": {"NotConverged"}}


def stated(function):
    """The errors that a docstring lists."""
    section = re.split(r"\n\w+:(?: |\n)", inspect.getdoc(function).partition("Raises:\n")[2])[0]
    return set(re.findall(r"(?m)^    (\w+):", section))


def found(name):
    """Return the errors that the code of a function, and `Task.run` for a task, can raise."""
    if name not in TASKS:
        return raised(getattr(tl, name).__module__, name) - NOT_CALLED.get(name, set())
    modules = [task.module for task in TASKS.values() if name in (task.name, task.function)]
    return {"ConfigError", "NotConverged", "ResultError"}.union(*(raised(module, "run") for module in modules))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_error_is_documented(name):
    assert found(name) == stated(getattr(tl, name))


@pytest.mark.parametrize("name", [name for name in CLASSES if name not in ERRORS])
def test_classes_refuse_wrong_arguments(name):
    assert stated(getattr(tl, name)) == {"ConfigError"}
    with pytest.raises(tl.ConfigError):
        getattr(tl, name)(**dict.fromkeys(arguments(name), object()))


def test_errors_are_found_through_modules():
    assert "NotConverged" in raised("twolayer.theory.mixtures.fixed_points.fixed_point", "stationary_state")
    assert "DataError" in raised(TASKS["moments"].module, "run")
    assert raised("twolayer.escaping", "terminal") == set()


def test_objects_show_what_differs_from_the_defaults():
    means = [[1.5, 0], [-0.5, 1]]
    mixture = tl.Mixture(means=means, labels=[1, -1], weights=[0.4, 0.6], sigma=0.6)
    shown = "means=((1.5, 0.0), (-0.5, 1.0)), labels=(1, -1), weights=(0.4, 0.6), sigma=0.6"
    assert repr(mixture) == f"Mixture(shape='custom', {shown})"
    assert repr(tl.Student("erf", 3, scale=1)) == "Student(activation='erf', hidden_units=3)"
    assert repr(tl.Student(np.sin, hidden_units=3)) == "Student(activation=sin, hidden_units=3)"
    assert repr(tl.Inputs(covariance=np.eye(3))) == "Inputs(covariance=<array of shape (3, 3)>)"


@pytest.mark.parametrize("name", tl.__all__)
def test_signatures_have_readable_types(name):
    one = getattr(tl, name)
    if callable(one) and not (inspect.isclass(one) and issubclass(one, Exception)):
        shown = str(inspect.signature(one))
        assert "Annotated" not in shown
        assert "Bounds" not in shown


def test_types_state_their_ranges():
    arguments = inspect.signature(tl.Mixture).parameters
    assert str(arguments["clusters_per_class"]) == "clusters_per_class: int >= 1 = 2"
    assert str(arguments["positive_fraction"]) == "positive_fraction: 0 < float < 1 = 0.5"
    assert str(arguments["sigma"]) == "sigma: float > 0 | None = None"
