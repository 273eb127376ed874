"""Docstrings of classes and functions: their examples, and the errors that they state."""

import doctest
import inspect
import re

import numpy as np
import pytest
from raised import raised

import twolayer as tl
from twolayer.experiments import TASKS

FUNCTIONS = [name for name in tl.__all__ if name in TASKS or inspect.isfunction(getattr(tl, name))]


@pytest.mark.parametrize(
    "name",
    [
        "Inputs",
        "Start",
        "Teacher",
        "dense_generator",
        "kernel_regression",
        "kernel_theory",
        "predict",
        "readout_curve",
        "sliced_maximum",
        "teacher_student_curve",
        "teacher_student_sgd",
    ],
)
def test_examples(name):
    found = doctest.DocTestFinder(recurse=False).find(getattr(tl, name), name, globs={})
    assert sum(len(test.examples) for test in found) > 0
    for test in found:
        assert doctest.DocTestRunner().run(test).failed == 0


# It refers to the class `Task`, and does not call its method `run`.
NOT_CALLED = {"figure": {"NotConverged"}}


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


def test_errors_are_found_through_modules():
    assert "NotConverged" in raised("twolayer.theory.mixtures.fixed_point", "stationary_state")
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
