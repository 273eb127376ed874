"""One activation for all: what it is made of, and its compiled form."""

import math
import pickle

import numpy as np
import pytest
from numba import njit

from twolayer.errors import ConfigError
from twolayer.model.activations import (
    ACTIVATIONS,
    ERF,
    NAMED,
    REACH,
    RELU,
    Activation,
    activation_named,
    as_activation,
    compiled_slope,
    compiled_value,
    hermite,
)

OWN = {
    "sine": Activation.of(np.sin, np.cos, "sine"),
    "leaky": Activation.of(lambda x: np.where(x > 0, x, 0.1 * x), name="leaky"),
    "threshold": Activation.of(lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.3, 0), name="threshold"),
    "softsign": Activation.of(lambda x: x / (1 + np.abs(x)), name="softsign"),
    "square": Activation.of(np.square),
}
ALL = ACTIVATIONS | OWN
every_activation = pytest.mark.parametrize("activation", ALL.values(), ids=ALL)
FIELDS = np.random.default_rng(0).normal(0, 2, 500)


@njit
def compiled(activation, x):
    values, slopes = np.empty_like(x), np.empty_like(x)
    for i in range(x.size):
        values[i], slopes[i] = compiled_value(activation, x[i]), compiled_slope(activation, x[i])
    return values, slopes


@every_activation
def test_slope_is_the_derivative(activation):
    step = 1e-5
    differences = (activation(FIELDS + step) - activation(FIELDS - step)) / (2 * step)
    np.testing.assert_allclose(activation.slope(FIELDS), differences, rtol=1e-8, atol=1e-8)


@every_activation
def test_oddness(activation):
    assert activation.odd == np.allclose(activation(-FIELDS), -activation(FIELDS))


@every_activation
def test_precision_of_the_argument_is_kept(activation):
    single = FIELDS.astype(np.float32)
    assert activation(single).dtype == activation.slope(single).dtype == np.float32
    np.testing.assert_allclose(activation(single), activation(FIELDS), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(activation.slope(single), activation.slope(FIELDS), rtol=1e-4, atol=1e-5)


@every_activation
def test_arguments_are_left_alone(activation):
    x = FIELDS.copy()
    activation(x)[:], activation.slope(x)[:] = 7, 7
    np.testing.assert_array_equal(x, FIELDS)


@every_activation
def test_compiled_form(activation):
    values, slopes = compiled(activation.compiled, FIELDS)
    assert activation.tabulation_error < 3e-9
    np.testing.assert_allclose(values, activation(FIELDS), rtol=3e-9, atol=3e-9)
    np.testing.assert_allclose(slopes, activation.slope(FIELDS), rtol=3e-9, atol=3e-9)


@every_activation
def test_compiled_form_beyond_the_table(activation):
    """Straight lines go on; all else is unknown there, and NaN ends a simulation."""
    far = np.array([-1000.0, -REACH - 1, REACH + 1, 1000.0])
    values, slopes = compiled(activation.compiled, far)
    if activation.compiled.straight:
        np.testing.assert_allclose(values, activation(far), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(slopes, activation.slope(far), rtol=1e-9, atol=1e-9)
    else:
        assert np.isnan(values).all()
        assert np.isnan(slopes).all()
    assert np.isnan(compiled(activation.compiled, np.array([np.nan]))[0]).all() or activation == RELU


def test_straight_lines_are_told_from_others():
    bent = {"softsign", "sine", "square", "hermite2", "hermite3", "hermite4"}
    assert {name for name, activation in ALL.items() if not activation.compiled.straight} == bent


def test_hermite_polynomials_are_orthonormal():
    x, weights = np.polynomial.hermite_e.hermegauss(20)
    values = np.array([hermite(degree)(x) for degree in range(7)])
    np.testing.assert_allclose((values * weights) @ values.T / weights.sum(), np.eye(7), atol=1e-13)
    assert not hermite(0).slope(x).any()


def test_names():
    assert tuple(ACTIVATIONS) == NAMED
    assert all(activation_named(name) is activation for name, activation in ACTIVATIONS.items())
    assert activation_named("hermite7") is hermite(7)
    with pytest.raises(ConfigError, match=r"unknown activation 'reloo': choose one of erf, relu, .*hermite4"):
        activation_named("reloo")


def test_what_an_activation_is_made_from():
    assert as_activation("relu") is RELU
    assert as_activation(ERF) is ERF
    own = as_activation(np.tanh)
    assert own.name == "tanh"
    np.testing.assert_allclose(own.slope(FIELDS), 1 - np.tanh(FIELDS) ** 2, atol=1e-9)
    with pytest.raises(ConfigError, match=r"activation is 3: give a name \(erf, .*\), a function of arrays or an Act"):
        as_activation(3)


def test_a_known_name_does_not_make_a_known_activation():
    assert Activation.of(np.tanh, name="relu") != RELU


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_another_process_gets_the_same_activation(name):
    found = pickle.loads(pickle.dumps(ACTIVATIONS[name]))
    assert (found == ACTIVATIONS[name]) or name.startswith("hermite")  # which have no closed form to be known by
    np.testing.assert_array_equal(found(FIELDS), ACTIVATIONS[name](FIELDS))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (math.tanh, "'tanh' fails on an array of numbers"),
        (np.log, "'log' returns nan at -4.03: it must be finite"),
        (np.sum, r"'sum' makes of 38 numbers an array of shape \(\)"),
        (lambda x: x + 1j, "type complex128: it must return a real number for each"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_that_are_none(function, message):
    with pytest.raises(ConfigError, match=message):
        as_activation(function)


def test_numbers_in_the_place_of_functions():
    with pytest.raises(ConfigError, match="activation 'tanh' is made of no functions"):
        Activation("tanh", 3)


def test_tables_that_would_be_wrong():
    kinked = Activation.of(lambda x: np.maximum(x - math.pi / 10, 0), name="kinked")
    assert kinked.tabulation_error > 1e-6
    with pytest.raises(ConfigError, match=r"'kinked' cannot be tabulated to 1e-06, but to .*kinks at multiples of"):
        kinked.compiled  # noqa: B018


def test_steps_have_no_slope():
    assert [name for name, activation in ALL.items() if activation.flat] == ["sign"]
    with pytest.raises(
        ConfigError, match="activation is 'sign', whose slope is zero: use one with a slope for skating"
    ):
        ACTIVATIONS["sign"].require_slope("skating")
