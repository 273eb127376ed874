"""The task from its parameters to a labelled result."""

import numpy as np
import pytest

from twolayer.errors import ConfigError, NotConverged
from twolayer.experiments import TASKS
from twolayer.model.networks.activations import ERF
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.parameters import parse
from twolayer.results.moments import moments_to_dataset
from twolayer.theory.teacher_student.sign_covariances import exact_sign_moments
from twolayer.theory.teacher_student.teacher_averages import teacher_pmse

LEARNING = {"hidden_units": 3, "last_time": 10.0, "seed": 4, "measurements": 6}


@pytest.fixture(scope="module")
def moments():
    return moments_to_dataset(exact_sign_moments(np.random.default_rng(0).standard_normal((90, 30))))


def curve(moments, learning=None, **params):
    task = TASKS["teacher_curve"]
    params = {"learning": LEARNING | (learning or {}), **params}
    return task.run(parse(task.parameters, params, "teacher_curve"), moments=moments)


def test_nodes_and_all_modes(moments):
    exact, few = curve(moments), curve(moments, nodes=12)
    np.testing.assert_allclose(few.pmse, exact.pmse, rtol=1e-4)
    assert dict(exact.sizes) == {
        "time": 7,
        "unit": 3,
        "other_unit": 3,
        "teacher_unit": 2,
        "other_teacher_unit": 2,
    }
    assert not exact.pmse_compression.any()
    assert 0 < few.pmse_compression.max() < 1e-4
    np.testing.assert_allclose(exact.time * 90, np.rint(exact.time * 90), atol=1e-9)
    assert (float(exact.time[0]), float(exact.time[-1])) == (0.0, 10.0)


def test_pmse_is_that_of_the_order_parameters(moments):
    found = curve(moments)
    order = OrderParameters(*(found[name].values for name in ("Q", "R", "T")))
    np.testing.assert_allclose(teacher_pmse(order, found.v.values, np.ones(2), activation=ERF), found.pmse)


def test_methods_agree(moments):
    euler, runge_kutta = curve(moments, method="euler", step=0.005), curve(moments)
    gap = float(abs(euler.pmse / runge_kutta.pmse - 1).max())
    assert 1e-6 < gap < 1e-3


@pytest.mark.parametrize("activation", ["linear", "relu"])
def test_other_units(moments, activation):
    learning = {"activation": activation, "last_time": 3.0, "measurements": 2}
    found = curve(moments, learning, log2_samples=7, step=0.5, nodes=8)
    assert float(found.pmse[-1]) < float(found.pmse[0])


def test_moments_that_do_not_fit(moments):
    with pytest.raises(ConfigError, match=r"Omega \(90, 90\) and Phi \(90, 29\) do not fit"):
        curve(moments.assign(Phi=moments.Phi[:, 1:].rename(latent="part")))


def test_too_many_steps_are_refused_before_the_first(moments):
    with pytest.raises(NotConverged, match=r"last_time is 1e[+]07: 1e[+]08 steps .* raise step, now 0.1, or set nodes"):
        curve(moments, {"last_time": 1e7})


def test_averages_state_their_error(moments):
    """Square and relu units need no points; tanh units state how much the points matter."""
    for activation in (np.square, "relu"):
        learning = {"activation": activation, "last_time": 1.0, "measurements": 2, "learning_rate": 0.02}
        few, many = (curve(moments, learning, log2_samples=size, nodes=8) for size in (2, 10))
        assert not few.pmse_sem.any()
        np.testing.assert_array_equal(few.pmse, many.pmse)
    learning = {"activation": "tanh", "last_time": 3.0, "measurements": 3}
    few, many = (curve(moments, learning, log2_samples=size, nodes=8) for size in (6, 14))
    assert 0 < few.pmse_sem[-1] <= 0.01 * few.pmse[-1]
    assert np.all(abs(few.pmse - many.pmse) <= 10 * few.pmse_sem + 1e-9)
