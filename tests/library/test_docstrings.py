"""The examples in the docstrings of classes and functions."""

import doctest

import pytest

import twolayer as tl


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
