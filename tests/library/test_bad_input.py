"""Every function, and whatever may be given to it that is wrong: one sentence each, and nothing is computed."""

import dataclasses
import inspect
from typing import Annotated, Literal, get_args, get_origin

import numpy as np
import pytest
import xarray as xr

import twolayer as tl
from twolayer.experiments import TASKS
from twolayer.io import made_by
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.parameters import hints_of

MIXTURE = tl.Mixture(means=[[1.0, 0], [-1, 0]], labels=[1, -1], weights=[0.5, 0.5], sigma=1, dimension=20)
STUDENT = tl.Student("erf", 2, dimension=20)
SCHEDULE = tl.Schedule(learning_rate=0.1, last_time=1, measurements=2)
PROBLEMS = [
    STUDENT,
    SCHEDULE,
    tl.SpikedData(20, 30),
    tl.Axes(width=[1.0]),
    tl.ImageAxes(width=[1.0]),
    tl.ConvexProblem([1.0], [0.1]),
    tl.MixtureProblem([1.0], [2.0], 20),
    tl.TeacherLearning(last_time=1.0),
    tl.Teacher("erf", 2),
]
SAMPLES = {"inputs": np.ones((5, 2)), "features": np.arange(10.0).reshape(5, 2) % 3}
VALUES = {
    "mixture": MIXTURE,
    "images": ".",
    "classes": [0, 1],
    "widths": [4, 4],
    "iterations": [0],
    "activation": "erf",
}
FIELDS = [(name, field) for name, task in TASKS.items() for field in hints_of(task.parameters) if field != "geometry"]
ROLES = [(name, role.rstrip("?")) for name, task in TASKS.items() for role in task.inputs]
ARRAYS = [(name, array.rstrip("?")) for name, task in TASKS.items() for array in task.arrays]


def arguments(name, **changes):
    """What a function needs, and changes."""
    task, required = TASKS[name], inspect.signature(getattr(tl, name)).parameters.values()
    values = {one.name: None for one in required if one.default is inspect.Parameter.empty}
    hints = hints_of(task.parameters)
    for argument in values:
        if argument in task.arrays:
            values[argument] = SAMPLES.get(argument, np.arange(5.0))
        elif argument in task.inputs and argument != "mixture":
            values[argument] = made_by(xr.Dataset(), task.makers(argument)[0], "{}", 0.0)
        else:
            values[argument] = VALUES[argument] if argument in VALUES else example(hints[argument])
    if name in ("class_learning", "class_replica"):
        values["problem"] = tl.ConvexProblem([1.0], [0.1], ["square"])
    if name == "optimal_ridge":
        values["problem"] = tl.ConvexProblem([1.0], [0.1, 10.0])
    if name == "class_mixture":
        values |= {"means": [[1.0], [-1.0]], "labels": [0, 1]}
    if name == "giant_step_limit":
        values["data"] = tl.SpikedData(20, 30, ranks=[0], ratios=[1])
    if name == "data_learning":
        values["problem"] = tl.ConvexProblem([1.0], [0.1], labels="classes")
    return values | changes


def example(hint):
    """A value that a field of this type takes."""
    origin, parts = get_origin(hint), get_args(hint)
    if dataclasses.is_dataclass(hint):
        return next(problem for problem in PROBLEMS if type(problem) is hint)
    if origin is Annotated:
        return next(value for value in ((100,) if parts[0] is int else (0.5,)) if parts[1].hold(value))
    if origin is tuple:
        return [example(parts[0])]
    if not parts:
        return hint(1)
    return example(parts[0]) if type(None) in parts else parts[0]


def refused(name, **values):
    """The sentence by which a function refuses these arguments."""
    with pytest.raises((tl.ConfigError, tl.ResultError, tl.DataError)) as caught:
        getattr(tl, name)(**values)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 600
    return text


@pytest.mark.parametrize("name", TASKS)
def test_unknown_argument(name):
    assert f"{name}: unknown argument 'sed': allowed are" in refused(name, **arguments(name, sed=1))


@pytest.mark.parametrize("name", [name for name in TASKS if arguments(name)])
def test_missing_argument(name):
    values = arguments(name)
    missing = next(iter(values))
    assert f"{name}: the argument '{missing}' is missing" in refused(
        name, **{key: value for key, value in values.items() if key != missing}
    )


def test_arguments_without_a_name():
    with pytest.raises(
        tl.ConfigError, match="4 arguments have no name: only mixture, student, schedule may be positional"
    ):
        tl.online_sgd(MIXTURE, STUDENT, SCHEDULE, 3)
    with pytest.raises(tl.ConfigError, match="online_sgd: student is given twice"):
        tl.online_sgd(MIXTURE, STUDENT, student=STUDENT, schedule=SCHEDULE)


@pytest.mark.parametrize(("name", "field"), FIELDS)
@pytest.mark.parametrize(
    "bad", [object(), "nonsense", float("nan"), -1, [[1]]], ids=["object", "text", "NaN", "-1", "list"]
)
def test_parameters(name, field, bad):
    """A wrong value of each parameter; those that are right for it are passed over."""
    hint = hints_of(TASKS[name].parameters)[field]
    if fits(hint, bad):
        pytest.skip("it is one of the values that are allowed")
    assert field in refused(name, **arguments(name, **{field: bad}))


def fits(hint, value):
    """Return whether a value has the type and the range of a field."""
    origin, parts = get_origin(hint), get_args(hint)
    if type(None) in parts:
        return fits(parts[0], value)
    if origin is Literal:
        return value in parts
    if origin is Annotated and parts[0] in (int, float):
        return value == -1 and parts[1].hold(value)
    return (hint in (int, float) and value == -1) or (hint is str and isinstance(value, str))


@pytest.mark.parametrize(("name", "role"), ROLES)
@pytest.mark.parametrize("bad", [3, STUDENT, xr.Dataset({"x": 1}), "mixture.nc"], ids=["3", "class", "dataset", "path"])
def test_inputs_of_the_wrong_kind(name, role, bad):
    text = refused(name, **arguments(name, **{role: bad}))
    assert f"{name}: " in text
    assert "give " in text


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if "geometry" in hints_of(task.parameters)])
@pytest.mark.parametrize("bad", [3, STUDENT, xr.Dataset({"x": 1})], ids=["3", "class", "dataset"])
def test_mixtures_of_the_wrong_kind(name, bad):
    assert "give a Mixture" in refused(name, **arguments(name, mixture=bad))


@pytest.mark.slow
def test_results_of_other_functions():
    curve = tl.learning_curve(MIXTURE, STUDENT, SCHEDULE, log2_nodes=6)
    for name, role in ROLES:
        if "learning_curve" in TASKS[name].makers(role):
            continue
        assert f"{role} is a result of learning_curve" in refused(name, **arguments(name, **{role: curve}))


@pytest.mark.parametrize(("name", "array"), ARRAYS)
@pytest.mark.parametrize(
    "bad",
    [np.full((5, 2), np.nan), "text", np.ones((0, 2)), np.ones((4, 2)), np.ones((5, 2, 2)), {}, [[1, 2], [3]]],
    ids=["NaN", "text", "empty", "short", "deep", "mapping", "ragged"],
)
def test_arrays(name, array, bad):
    text = refused(name, **arguments(name, **{array: bad}))
    assert array in text or "belong together" in text or "have " in text


@pytest.mark.parametrize(("name", "field"), [one for one in FIELDS if "activation" in one[1]])
def test_activations(name, field):
    hint = hints_of(TASKS[name].parameters)[field]
    several = hint is not ActivationLike
    for bad in ("rleu", 3, lambda: 1, lambda x: x[:1], lambda x: x + np.nan, len):
        text = refused(name, **arguments(name, **{field: [bad] if several else bad}))
        assert "activation" in text


def test_nothing_is_computed_from_too_few_samples():
    common = {"input_dimension": 10, "projections": 1}
    assert "which gives no feature" in refused(
        "random_features", mixture=MIXTURE, **common, features_per_dimension=[0.01]
    )
    text = refused("random_features", mixture=MIXTURE, **common, features_per_dimension=[1.0], simulated_samples=1)
    assert "simulated_samples is 1: it must be at least 2" in text
    text = refused("feature_cloud", mixture=MIXTURE, input_dimension=10, features_per_dimension=1.0, samples=1)
    assert "samples is 1: it must be at least 2" in text


def test_classes_in_the_wrong_place():
    text = refused("online_sgd", mixture=MIXTURE, student=SCHEDULE, schedule=STUDENT)
    assert "student: found Schedule(" in text
    assert dataclasses.is_dataclass(STUDENT)
