"""Averages from tables and few panels, against formulas and many panels."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from twolayer.errors import NotConverged
from twolayer.model.networks.activations import (
    REACH,
    Activation,
    activation_named,
    table_values,
    table_values_and_slopes,
)
from twolayer.model.networks.hermite_expansion import panel_nodes
from twolayer.theory.averages.hermite_series import FieldGrid, pair_averages, resolved_grid
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.averages.series_units import (
    sampled_sign_errors,
    series_local_fields,
    signal_products,
)
from twolayer.theory.averages.units import unit_averages

NAMES = ("tanh", "sigmoid", "softplus", "gelu", "swish")
LABELS = np.array([1.0, -1.0, 1.0])


def distribution(spread, hidden=4):
    """Means, covariance and second layer of fields of about that standard deviation."""
    rng = np.random.default_rng(3)
    root = rng.standard_normal((hidden, hidden))
    return rng.standard_normal((len(LABELS), hidden)), spread**2 * root @ root.T / hidden, rng.standard_normal(hidden)


def without_table(activation):
    """The same activation, for which code on arrays takes only the formula."""
    same = replace(activation)
    object.__setattr__(same, "fine_table", None)
    return same


@pytest.mark.parametrize("name", ["erf", *NAMES])
def test_tables(name):
    activation = activation_named(name)
    x = np.append(np.random.default_rng(0).uniform(-REACH, REACH, 1000), [-REACH, 0.0, np.nextafter(REACH, 0)])
    values, again, slopes = np.empty((3, x.size))
    table_values(activation.fine_table, x, values)
    table_values_and_slopes(activation.fine_table, x, again, slopes)
    np.testing.assert_array_equal(values, again)
    np.testing.assert_allclose(values, activation.value(x), rtol=2e-9, atol=2e-9)
    np.testing.assert_allclose(slopes, activation.slope(x), rtol=2e-9, atol=2e-9)


@pytest.mark.parametrize("spread", [0.01, 0.7, 3.0])
@pytest.mark.parametrize("name", NAMES)
def test_remembered_panels_are_enough(name, spread):
    M, covariance, _ = distribution(spread)
    deviation = np.broadcast_to(np.sqrt(np.diag(covariance)), M.shape)
    correlation = covariance / np.outer(deviation[0], deviation[0])
    activation, found = activation_named(name), []
    for grid in (resolved_grid(activation, M, deviation), FieldGrid.of(M, deviation, activation.kinks, 128)):
        value, slope = activation.value(grid.fields), activation.slope(grid.fields)
        found.append(pair_averages(grid, correlation, [value, slope], [(0, 0), (1, 0), (1, 1)]))
    for few, many in zip(*found, strict=True):
        np.testing.assert_allclose(few, many, rtol=1e-7, atol=1e-7 * np.abs(many).max())


@pytest.mark.parametrize("name", NAMES)
def test_narrow_fields_have_few_panels(name):
    M, covariance, _ = distribution(0.5)
    deviation = np.broadcast_to(np.sqrt(np.diag(covariance)), M.shape)
    assert resolved_grid(activation_named(name), M, deviation).panels < 16


@pytest.mark.parametrize("name", ["leaky", "elu"])
def test_remembered_panels_end_at_kinks(name):
    """An exponential linear unit has none, but is less smooth at zero."""
    functions = {"leaky": lambda x: np.maximum(x, 0.1 * x), "elu": lambda x: np.where(x > 0, x, np.expm1(-np.abs(x)))}
    slopes = {"leaky": lambda x: np.where(x > 0, 1.0, 0.1), "elu": lambda x: np.exp(np.minimum(x, 0.0))}
    activation = Activation.of(functions[name], slopes[name])
    M, covariance, _ = distribution(0.7)
    deviation = np.broadcast_to(np.sqrt(np.diag(covariance)), M.shape)
    grid = resolved_grid(activation, M, deviation)
    below = ndtr(-M / deviation)
    slope_below = {"leaky": 0.1 * below, "elu": np.exp(M + deviation**2 / 2) * ndtr(-M / deviation - deviation)}[name]
    assert grid.mean(activation.slope(grid.fields)) == pytest.approx(1 - below + slope_below, rel=1e-10)


def test_an_oscillating_activation_is_refused():
    activation = Activation.of(lambda x: np.sin(100 * x), name="fast")
    with pytest.raises(NotConverged, match=r"'fast' are unknown: it changes too fast at .* places"):
        resolved_grid(activation, np.zeros((1, 2)), np.ones((1, 2)))


@pytest.mark.parametrize("spread", [0.5, 30.0])
@pytest.mark.parametrize("name", NAMES)
def test_tables_and_formulas_agree(name, spread):
    """With wide fields, some are beyond the table."""
    M, covariance, v = distribution(spread)
    activation, nodes = activation_named(name), sobol_nodes(len(v), 10, 0)
    points = nodes.points(covariance)
    plain = without_table(activation)
    found, expected = (signal_products(one, M, v, LABELS, points) for one in (activation, plain))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8 * np.abs(expected).max())
    found, expected = (sampled_sign_errors(one, M, covariance, v, LABELS, nodes)[0] for one in (activation, plain))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    if spread < 1:
        pair = (series_local_fields(one, M, covariance, v, LABELS[:, None], nodes) for one in (activation, plain))
        for found, expected in zip(*pair, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("spread", "correlation"), [(0.3, 0.2), (1.0, 0.9999), (3.0, -0.97), (8.0, 0.8)])
def test_noise_of_two_units_is_exact(name, spread, correlation):
    """Against a product of two quadrature rules, to 1e-8 of the largest entry."""
    activation, deviation = activation_named(name), spread * np.array([1.0, 0.6])
    covariance = np.outer(deviation, deviation) * np.array([[1, correlation], [correlation, 1]])
    M, _, v = distribution(1.0, hidden=2)
    z, weights = panel_nodes(np.linspace(-10, 10, 41), 16)
    fields = M[:, :, None] + np.linalg.cholesky(covariance) @ np.stack(np.meshgrid(z, z)).reshape(2, -1)
    signals = v[:, None] * activation.slope(fields) * (LABELS[:, None] - v @ activation.value(fields))[:, None]
    expected = (signals * np.outer(weights, weights).ravel()) @ signals.swapaxes(1, 2)
    found = series_local_fields(activation, M, covariance, v, LABELS[:, None], None)[2]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize(("spread", "correlation"), [(8.0, 0.99), (8.0, 0.9999), (15.0, -0.99)])
def test_wide_and_nearly_identical_fields(spread, correlation):
    """Against a product of two quadrature rules, to 1e-5; order 288 alone leaves up to 1e-4."""
    activation, deviation = activation_named("tanh"), spread * np.array([[1.0, 0.6]])
    M, z, weights = np.array([[0.5, -1.0]]), *panel_nodes(np.linspace(-10, 10, 81), 16)
    slant = correlation * z[:, None] + math.sqrt(1 - correlation**2) * z
    slopes = (
        activation.slope(M[0, 0] + deviation[0, 0] * z)[:, None],
        activation.slope(M[0, 1] + deviation[0, 1] * slant),
    )
    grid = resolved_grid(activation, M, deviation)
    correlations = np.array([[1, correlation], [correlation, 1]])
    (found,) = pair_averages(grid, correlations, [activation.slope(grid.fields)], [(0, 0)])
    assert found[0, 0, 1] == pytest.approx(weights @ (slopes[0] * slopes[1]) @ weights, rel=1e-5)


@pytest.mark.parametrize("name", ["swish", "leaky"])
def test_noise_of_one_unit_is_exact(name):
    """Against a fine quadrature rule, also for a unit with a kink."""
    leaky = Activation.of(lambda x: np.maximum(x, 0.1 * x), lambda x: np.where(x > 0, 1.0, 0.1))
    activation = leaky if name == "leaky" else activation_named(name)
    M, covariance, v = distribution(0.7, hidden=1)
    z, weights = panel_nodes(np.linspace(-10, 10, 200_001), 4)
    fields = M + math.sqrt(covariance[0, 0]) * z
    signals = v * activation.slope(fields) * (LABELS[:, None] - v * activation.value(fields))
    found = series_local_fields(activation, M, covariance, v, LABELS[:, None], None)[2]
    np.testing.assert_allclose(found[:, 0, 0], signals**2 @ weights, rtol=1e-5 if name == "leaky" else 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_few_units_need_no_nodes(name):
    units = unit_averages(activation_named(name))
    assert [units.needs_nodes(hidden) for hidden in (1, 2, 3)] == [False, False, True]
    M, covariance, v = distribution(1.0, hidden=2)
    noise = units.local_fields(M, covariance, v, LABELS[:, None], None)[2]
    points = [sobol_nodes(2, 13, seed).points(covariance) for seed in range(4)]
    sampled = np.array([signal_products(activation_named(name), M, v, LABELS, one) for one in points])
    assert np.abs(noise - sampled.mean(axis=0)).max() <= 2 * np.abs(sampled - sampled.mean(axis=0)).max()


FAST = Activation("fast", lambda x: np.exp(x**2), lambda x: 2 * x * np.exp(x**2))


@pytest.mark.parametrize("variance", [0.1, 0.2])
def test_a_finite_mean_square_of_a_fast_activation(variance):
    """<exp(2 y^2)> = 1 / sqrt(1 - 4 variance)."""
    deviation = np.array([math.sqrt(variance)])
    grid = resolved_grid(FAST, np.zeros(1), deviation)
    found = grid.mean(FAST.value(grid.fields) ** 2)
    np.testing.assert_allclose(found, 1 / math.sqrt(1 - 4 * variance), rtol=1e-6)


@pytest.mark.parametrize("variance", [0.26, 0.32, 1.0])
def test_an_infinite_mean_square_is_refused(variance):
    """The nodes have an end, so that their average is finite."""
    with pytest.raises(NotConverged, match=r"averages of the activation 'fast' .* grows more slowly"):
        resolved_grid(FAST, np.zeros(1), np.array([math.sqrt(variance)]))
