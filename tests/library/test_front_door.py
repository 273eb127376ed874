"""The public classes and functions, and the correspondence of functions and tasks."""

import dataclasses
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import twolayer as tl
from twolayer.experiments import TASKS
from twolayer.library.stub import stub
from twolayer.parameters import parse, to_json

MEANS = {"means": [[1.5, 0], [-0.5, 1], [-0.5, -1]], "labels": [1, -1, -1], "weights": [0.5, 0.3, 0.2]}


@pytest.fixture(scope="module")
def objects():
    return (
        tl.Mixture(**MEANS, sigma=0.6),
        tl.Student("erf", hidden_units=3, dimension=200, seed=0),
        tl.Schedule(learning_rate=0.2, weight_decay=0.01, last_time=10, measurements=6),
    )


def test_the_page_of_the_front_door(objects):
    mixture, student, schedule = objects
    theory = tl.learning_curve(mixture, student, schedule, log2_nodes=10)
    runs = tl.online_sgd(mixture, student, schedule, seeds=10, log2_nodes=10)
    gap = (runs.pmse.mean("seed") - theory.pmse) / runs.pmse.std("seed", ddof=1) * np.sqrt(10)
    assert float(abs(gap[1:]).max()) < 5
    assert theory.pmse.attrs["long_name"] == "half the mean squared error"


def test_a_verb_is_the_task(objects):
    mixture, student, schedule = objects
    ours = tl.order_parameter_sgd(mixture, student, schedule, seeds=2, seed=3)
    values = {"student": dataclasses.asdict(student), "schedule": dataclasses.asdict(schedule), "seeds": 2, "seed": 3}
    task = TASKS["order_parameter_sgd"]
    geometry = {"sigma": 0.6, "input_dimension": 200, "geometry": MEANS}
    inputs = TASKS["isotropic_mixture"]
    made = inputs.run(parse(inputs.parameters, geometry, "here"))
    theirs = task.run(parse(task.parameters, values, "here"), mixture=made)
    xr.testing.assert_identical(ours.drop_attrs(), theirs.drop_attrs())
    assert ours.attrs["params"] == to_json(parse(task.parameters, values, "here"))


@pytest.mark.slow
def test_results_are_as_good_as_objects(objects, tmp_path):
    mixture, student, schedule = objects
    tl.write(tl.isotropic_mixture(mixture), tmp_path / "mixture.nc")
    read = tl.read(tmp_path / "mixture.nc")
    for one, other in [
        (tl.learning_curve(mixture, student, schedule), tl.learning_curve(read, student, schedule)),
        (tl.bayes_error(mixture), tl.bayes_error(read)),
        (features(mixture), features(read)),
    ]:
        xr.testing.assert_allclose(one, other)


def features(mixture):
    return tl.random_features(mixture, input_dimension=30, features_per_dimension=[2], projections=1)


def test_parameters_may_be_numpy_s_and_mappings(objects):
    mixture, _, schedule = objects
    student = {"activation": "erf", "hidden_units": np.int64(3), "dimension": 200}
    assert tl.Mixture(**{name: np.array(values) for name, values in MEANS.items()}, sigma=np.float64(0.6)) == mixture
    assert float(tl.learning_curve(mixture, student, schedule).pmse[-1]) > 0


def test_every_task_is_a_verb():
    assert set(TASKS) <= set(tl.__all__) == set(dir(tl))
    for name in tl.__all__:
        assert getattr(tl, name).__doc__, name


@pytest.mark.parametrize("name", TASKS)
def test_a_verb_describes_itself(name):
    function, task = getattr(tl, name), TASKS[name]
    arguments = inspect.signature(function).parameters
    fields = {field.name: field for field in dataclasses.fields(task.parameters)}
    for field in fields.keys() - {"geometry"}:
        assert field in arguments
        assert field in function.__doc__.partition("Returns:")[0], field
        if fields[field].default is not dataclasses.MISSING:
            assert arguments[field].default == fields[field].default
    for argument in arguments:
        assert argument in function.__doc__, argument


def test_type_checkers_see_the_same():
    current = Path(tl.__file__).with_suffix(".pyi").read_text() == stub()
    assert current, "call `python -m twolayer.library.stub > src/twolayer/__init__.pyi`, which writes it"


def test_nothing_else_has_that_name():
    with pytest.raises(AttributeError, match="no attribute 'onlin_sgd', and there is no task of that name"):
        tl.onlin_sgd  # noqa: B018


def test_import_loads_nothing_heavy():
    program = "import sys, twolayer; print(*{'numpy', 'numba', 'xarray', 'torch', 'scipy'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == []
