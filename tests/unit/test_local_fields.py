"""Averages over pre-activations."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sampling import ALL, assert_same_mean, random_distribution, sampled_averages, sampled_class_error
from scipy.stats import norm

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.networks.activations import ERF, RELU, activation_named
from twolayer.model.networks.two_layer_networks import LocalFields
from twolayer.theory.averages.mixture_averages import classification_error, local_field_averages, mixture_pmse
from twolayer.theory.averages.nodes import sobol_nodes
from twolayer.theory.averages.units import UnitAverages, by_series, unit_averages

AVERAGES = ("drive", "response", "noise", "readout", "pmse")
every_activation = pytest.mark.parametrize("activation", ALL.values(), ids=ALL)


@pytest.mark.slow
@every_activation
@pytest.mark.parametrize("own", [False, True], ids=["one covariance", "own covariances"])
def test_averages_of_samples(activation, own):
    problem = random_distribution(0, activation, own=own)
    batches = [sampled_averages(*problem, 100 + batch) for batch in range(8)]
    found = [local_field_averages(*problem, sobol_nodes(3, 12, batch)) for batch in range(4)]
    for name in AVERAGES:
        assert_same_mean([getattr(f, name) for f in found], [getattr(b, name) for b in batches], name, floor=1e-13)
    assert mixture_pmse(*problem) == pytest.approx(found[0].pmse, rel=1e-10)


@pytest.mark.slow
@every_activation
@pytest.mark.parametrize("own", [False, True], ids=["one covariance", "own covariances"])
def test_classification_error_of_samples(activation, own):
    problem = random_distribution(2, activation, own=own)
    batches = [sampled_class_error(*problem, 100 + batch) for batch in range(8)]
    found = classification_error(*problem, sobol_nodes(3, 14, 0))[0]
    assert found == pytest.approx(np.mean(batches), abs=1.5e-3)


def test_zero_output_where_all_units_are_off():
    fields = LocalFields(np.array([[-1.0, -1.0]]), np.diag([0.5, 2.0]), np.array([0.7, 0.4]), RELU)
    mixture = IsotropicMixture(np.zeros((1, 1)), np.ones(1), np.ones(1), 1.0)
    found = [classification_error(fields, mixture, sobol_nodes(2, 12, seed)) for seed in range(16)]
    error, zero = np.mean(found, axis=0)  # the standard deviation of `zero` is 7e-5 for one choice of the nodes
    off = norm.cdf(1 / math.sqrt(0.5)) * norm.cdf(1 / math.sqrt(2.0))
    assert zero == pytest.approx(off, abs=8e-5)
    assert error == pytest.approx(0.5 * off, abs=4e-5)


def test_units_without_output_do_not_decide_the_class():
    fields, mixture = random_distribution(3, RELU)
    fields = replace(fields, v=fields.v * np.array([1.0, 0.0, 0.0]))
    error, zero = classification_error(fields, mixture, sobol_nodes(3, 14, 0))
    on = norm.cdf(fields.M[:, 0] / math.sqrt(fields.covariance[0, 0]))
    assert zero == pytest.approx(mixture.weights @ (1 - on), abs=1e-4)
    wrong = mixture.weights @ np.where(mixture.labels * fields.v[0] < 0, on, 0)
    assert error == pytest.approx(wrong + 0.5 * zero, abs=1e-4)


@pytest.mark.parametrize("log2_nodes", [0, 3])
def test_one_relu_unit_needs_no_nodes(log2_nodes):
    fields, mixture = random_distribution(4, RELU, hidden=1)
    noise = local_field_averages(fields, mixture, sobol_nodes(1, log2_nodes, 0)).noise
    m, s, v, labels = fields.M[:, 0], math.sqrt(fields.covariance[0, 0]), fields.v, mixture.labels
    on, first = norm.cdf(m / s), m * norm.cdf(m / s) + s * norm.pdf(m / s)
    second = (m**2 + s**2) * on + m * s * norm.pdf(m / s)
    expected = v[0] ** 2 * (labels**2 * on - 2 * labels * v[0] * first + v[0] ** 2 * second)
    assert noise[:, 0, 0] == pytest.approx(expected, abs=1e-14)


def test_relu_noise_converges_with_the_nodes():
    problem = random_distribution(5, RELU, hidden=4)

    def noise(log2_size, seed):
        nodes = sobol_nodes(4, log2_size, seed).aligned(problem[0].covariance)
        return local_field_averages(*problem, nodes).noise

    reference = np.mean([noise(14, seed) for seed in range(20, 24)], axis=0)
    sizes = np.arange(4, 11)
    errors = [np.sqrt(np.mean([(noise(size, seed) - reference) ** 2 for seed in range(8)])) for size in sizes]
    assert np.polyfit(sizes, np.log2(errors), 1)[0] < -0.75
    assert errors[-1] < 5e-3 * np.abs(reference).max()


def test_relu_averages_are_smooth_where_eigenvalues_cross():
    """The second difference of a smooth average falls with the square of the shift; a jump would not."""
    fields, mixture = random_distribution(6, RELU, hidden=4)
    nodes = sobol_nodes(4, 8, 0).aligned(np.eye(4))
    direction = np.diag([1.0, -1.0, 0.5, 0.0])

    def second_difference(shift):
        noise = [
            local_field_averages(replace(fields, covariance=np.eye(4) + s * direction), mixture, nodes).noise
            for s in (-shift, 0, shift)
        ]
        return np.abs(noise[0] - 2 * noise[1] + noise[2]).max()

    assert second_difference(1e-4) < 2e-2 * second_difference(1e-3)


@every_activation
def test_singular_covariance(activation):
    fields, mixture = random_distribution(7, activation, hidden=4)
    root = np.random.default_rng(0).standard_normal((4, 2))
    nodes = sobol_nodes(4, 8, 0).aligned(root @ root.T)
    singular, near = (
        local_field_averages(replace(fields, covariance=root @ root.T + shift * np.eye(4)), mixture, nodes)
        for shift in (0, 1e-12)
    )
    for name in AVERAGES:
        expected = np.asarray(getattr(near, name))
        np.testing.assert_allclose(getattr(singular, name), expected, rtol=0, atol=1e-4 * (1 + np.abs(expected).max()))


def test_proportional_relu_units():
    """A unit of twice the weights is on with the other one and doubles its output."""
    copies = np.array([[1, 0], [2, 0], [0, 1]])
    fields, mixture = random_distribution(8, RELU, hidden=2)
    v, doubled = np.array([0.6, 0.2, -0.5]), np.array([1.0, -0.5])
    wide = LocalFields(fields.M @ copies.T, copies @ fields.covariance @ copies.T, v, RELU)
    found = local_field_averages(wide, mixture, sobol_nodes(3, 10, 0).aligned(wide.covariance))
    merged = local_field_averages(replace(fields, v=doubled), mixture, sobol_nodes(2, 10, 0))
    assert found.pmse == pytest.approx(merged.pmse, abs=1e-7)
    assert found.drive[:, [0, 2]] / v[[0, 2]] == pytest.approx(merged.drive / doubled, abs=1e-7)
    assert found.drive[:, 0] / v[0] == pytest.approx(found.drive[:, 1] / v[1], abs=1e-7)
    assert found.noise[:, 0, 1] / (v[0] * v[1]) == pytest.approx(found.noise[:, 0, 0] / v[0] ** 2, abs=1e-7)


KNOWN = [activation_named(name) for name in ("erf", "relu", "linear", "sign")]


@pytest.mark.parametrize("activation", KNOWN, ids=[activation.name for activation in KNOWN])
@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("correlation", [None, 0.9, -0.99, 1.0])
def test_quadrature_reproduces_the_closed_forms(activation, scale, correlation):
    """To 1e-7 of their scale, or 1e-3 where units with kinks are nearly the same; noise is taken at points."""
    fields, mixture = random_distribution(9, activation, hidden=4)
    root = np.linalg.cholesky(fields.covariance)
    if correlation is not None:  # the correlation of the first two units
        root[1] = 1.2 * (correlation * root[0] + math.sqrt(1 - correlation**2) * np.eye(4)[3])
    covariance = root @ root.T
    arguments = scale * fields.M, scale**2 * covariance, fields.v, mixture.labels[:, None], sobol_nodes(4, 13, 0)
    closed, series = unit_averages(activation), by_series(activation)
    tolerance = 1e-7 if activation == ERF or correlation in (None, 1.0) else 1e-3
    names = ("drive", "response", "noise", "readout", "squared error")
    for name, exact, found in zip(names, closed.local_fields(*arguments), series.local_fields(*arguments), strict=True):
        if activation.name == "sign" and name in names[:3]:
            continue  # the slope of sign units is not their derivative
        allowed = 0.005 * max(scale, 1) if name == "noise" else tolerance
        np.testing.assert_allclose(found, exact, rtol=0, atol=allowed * np.abs(exact).max(), err_msg=name)


def test_every_average_has_its_form_for_every_activation():
    forms = [unit_averages(activation) for activation in ALL.values()]
    averages = [name for name, kind in UnitAverages.__annotations__.items() if kind not in (bool, int, float)]
    assert all(callable(getattr(form, name)) for form in forms for name in averages)
