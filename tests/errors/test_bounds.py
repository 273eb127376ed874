"""Stated bounds of deterministic errors: the true error stays below them, and they are not much larger."""

import numpy as np
import pytest

from twolayer.experiments.mixture_inputs.bayes_errors import bayes_errors
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.mixture_inputs.shapes import build
from twolayer.model.networks.activations import ACTIVATIONS, Activation, compiled_slope, compiled_value
from twolayer.theory.mixtures.bayes_error import bayes_error

TABULATED = {name: ACTIVATIONS[name] for name in ("tanh", "sigmoid", "softplus", "hermite3")} | {
    "sine": Activation.of(np.sin, np.cos, "sine"),
    "softsign": Activation.of(lambda x: x / (1 + np.abs(x)), lambda x: 1 / (1 + np.abs(x)) ** 2, "softsign"),
}


@pytest.fixture(scope="module")
def table_errors():
    """True and stated error of each table. The true errors are taken where activations bend."""
    places = 2 * np.random.default_rng(0).standard_normal(4000)
    found = {}
    for name, activation in TABULATED.items():
        true = []
        for function, tabulated in ((activation.value, compiled_value), (activation.slope, compiled_slope)):
            exact, table = function(places), activation.compiled
            gaps = np.abs([tabulated(table, x) for x in places] - exact)
            true.append(np.max(gaps / np.maximum(np.abs(exact), 1)))
        found[name] = max(true), activation.tabulation_error
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", TABULATED)
def test_tables_are_as_accurate_as_stated(table_errors, name):
    true, stated = table_errors[name]
    assert 0 < true < 1.5 * stated


@pytest.mark.slow
def test_stated_errors_of_tables_are_not_much_too_large(table_errors):
    assert np.median([stated / true for true, stated in table_errors.values()]) < 1.5


@pytest.mark.slow
def test_least_errors_of_all_tasks_have_the_standard_error_of_the_quadrature():
    geometry = Geometry(shape="custom", means=((1.5, 0.0), (-0.5, 1.0), (-0.5, -1.0)), labels=(1.0, -1.0, -1.0))
    found = bayes_errors(geometry, np.array([0.5, 0.8]), 20)
    expected = [bayes_error(build(geometry, sigma, 20).embed(20)) for sigma in (0.5, 0.8)]
    np.testing.assert_array_equal(np.transpose([found["bayes_error"][1], found["bayes_error_sem"][1]]), expected)
