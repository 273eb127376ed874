"""Averages over local fields."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from twolayer.model.activations import ACTIVATIONS, RELU
from twolayer.theory.local_fields import classification_error, local_field_averages, sobol_nodes, sobol_normals

SLOPES = {
    "erf": lambda x: math.sqrt(2 / math.pi) * np.exp(-0.5 * x**2),
    "relu": lambda x: (x > 0).astype(float),
    "linear": np.ones_like,
}
FIELDS = ("drive", "response", "noise", "readout")
all_activations = pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)


def law(seed, hidden=3, clusters=4):
    """M, covariance, v, labels and weights of some clusters."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((hidden, hidden + 2)) / math.sqrt(hidden + 2)
    weights = rng.uniform(0.5, 1.5, clusters)
    labels = np.where(np.arange(clusters) % 2, 1.0, -1.0)
    M = rng.standard_normal((clusters, hidden))
    return M, root @ root.T, rng.standard_normal(hidden), labels, weights / weights.sum()


def sampled_averages(M, covariance, v, labels, weights, activation, normals):
    """The same averages from plain points."""
    result, squared_error, wrong = {name: [] for name in FIELDS}, [], []
    deviation = normals @ np.linalg.cholesky(covariance).T
    for mean, label in zip(M, labels, strict=True):
        g = activation(mean + deviation)
        error = label - g @ v
        u = v * SLOPES[activation.name](mean + deviation) * error[:, None]
        result["drive"].append(u.mean(axis=0))
        result["response"].append(np.linalg.solve(covariance, deviation.T @ u / len(u)).T)
        result["noise"].append(u.T @ u / len(u))
        result["readout"].append((error[:, None] * g).mean(axis=0))
        squared_error.append(np.mean(error**2))
        wrong.append(np.mean(label * (g @ v) < 0) + 0.5 * np.mean(g @ v == 0))
    averages = {name: np.array(value) for name, value in result.items()}
    return averages | {"pmse": 0.5 * weights @ squared_error, "class_error": weights @ wrong}


@all_activations
@pytest.mark.parametrize("seed", [0, 1])
def test_averages_of_samples(activation, seed):
    problem = law(seed)
    batches = [sampled_averages(*problem, activation, sobol_normals(3, 15, 100 + batch)) for batch in range(8)]
    found = [local_field_averages(*problem, activation, sobol_nodes(3, 12, batch)) for batch in range(4)]
    for name in (*FIELDS, "pmse"):
        expected, own = np.array([b[name] for b in batches]), np.array([getattr(f, name) for f in found])
        variance = expected.var(axis=0, ddof=1) / len(expected) + own.var(axis=0, ddof=1) / len(own)
        gap = np.abs(own.mean(axis=0) - expected.mean(axis=0))
        assert gap.max() < 5 * np.sqrt(variance.max()), name


@all_activations
def test_classification_error_of_samples(activation):
    problem = law(2)
    batches = [sampled_averages(*problem, activation, sobol_normals(3, 15, 100 + b))["class_error"] for b in range(8)]
    found = classification_error(*problem, activation, sobol_nodes(3, 14, 0))[0]
    assert found == pytest.approx(np.mean(batches), abs=5e-4)


def test_zero_output_where_all_units_are_off():
    M, covariance, v = np.array([[-1.0, -1.0]]), np.diag([0.5, 2.0]), np.array([0.7, 0.4])
    error, zero = classification_error(M, covariance, v, np.ones(1), np.ones(1), RELU, sobol_nodes(2, 12, 0))
    off = norm.cdf(1 / math.sqrt(0.5)) * norm.cdf(1 / math.sqrt(2.0))
    assert zero == pytest.approx(off, abs=1e-5)
    assert error == pytest.approx(0.5 * off, abs=1e-5)


def test_units_without_output_do_not_decide_the_class():
    M, covariance, v, labels, weights = law(3)
    v = v * np.array([1.0, 0.0, 0.0])
    error, zero = classification_error(M, covariance, v, labels, weights, RELU, sobol_nodes(3, 14, 0))
    on = norm.cdf(M[:, 0] / math.sqrt(covariance[0, 0]))
    assert zero == pytest.approx(weights @ (1 - on), abs=1e-4)
    assert error == pytest.approx(weights @ np.where(labels * v[0] < 0, on, 0) + 0.5 * zero, abs=1e-4)


@pytest.mark.parametrize("log2_nodes", [0, 3])
def test_one_relu_unit_needs_no_nodes(log2_nodes):
    M, covariance, v, labels, weights = law(4, hidden=1)
    noise = local_field_averages(M, covariance, v, labels, weights, RELU, sobol_nodes(1, log2_nodes, 0)).noise
    m, s = M[:, 0], math.sqrt(covariance[0, 0])
    on, first = norm.cdf(m / s), m * norm.cdf(m / s) + s * norm.pdf(m / s)
    second = (m**2 + s**2) * on + m * s * norm.pdf(m / s)
    expected = v[0] ** 2 * (labels**2 * on - 2 * labels * v[0] * first + v[0] ** 2 * second)
    assert noise[:, 0, 0] == pytest.approx(expected, abs=1e-14)


def test_relu_noise_converges_with_the_nodes():
    problem = law(5, hidden=4)

    def noise(log2_size, seed):
        nodes = sobol_nodes(4, log2_size, seed).aligned(problem[1])
        return local_field_averages(*problem, RELU, nodes).noise

    reference = np.mean([noise(14, seed) for seed in range(20, 24)], axis=0)
    sizes = np.arange(4, 11)
    errors = [np.sqrt(np.mean([(noise(size, seed) - reference) ** 2 for seed in range(8)])) for size in sizes]
    assert np.polyfit(sizes, np.log2(errors), 1)[0] < -0.75
    assert errors[-1] < 5e-3 * np.abs(reference).max()


def test_relu_averages_are_smooth_where_eigenvalues_cross():
    """The second difference of a smooth average falls with the square of the shift; a jump would not."""
    M, _, v, labels, weights = law(6, hidden=4)
    nodes = sobol_nodes(4, 8, 0).aligned(np.eye(4))
    direction = np.diag([1.0, -1.0, 0.5, 0.0])

    def second_difference(shift):
        noise = [
            local_field_averages(M, np.eye(4) + s * direction, v, labels, weights, RELU, nodes).noise
            for s in (-shift, 0, shift)
        ]
        return np.abs(noise[0] - 2 * noise[1] + noise[2]).max()

    assert second_difference(1e-4) < 2e-2 * second_difference(1e-3)


@all_activations
def test_singular_covariance(activation):
    M, _, v, labels, weights = law(7, hidden=4)
    root = np.random.default_rng(0).standard_normal((4, 2))
    nodes = sobol_nodes(4, 8, 0).aligned(root @ root.T)
    singular = local_field_averages(M, root @ root.T, v, labels, weights, activation, nodes)
    near = local_field_averages(M, root @ root.T + 1e-12 * np.eye(4), v, labels, weights, activation, nodes)
    for name in FIELDS:
        assert getattr(singular, name) == pytest.approx(getattr(near, name), abs=1e-4)


def test_proportional_relu_units():
    """A unit of twice the weights is on with the other one and doubles its output."""
    copies = np.array([[1, 0], [2, 0], [0, 1]])
    M, covariance, _, labels, weights = law(8, hidden=2)
    v, doubled = np.array([0.6, 0.2, -0.5]), np.array([1.0, -0.5])
    nodes = sobol_nodes(3, 10, 0).aligned(copies @ covariance @ copies.T)
    found = local_field_averages(M @ copies.T, copies @ covariance @ copies.T, v, labels, weights, RELU, nodes)
    merged = local_field_averages(M, covariance, doubled, labels, weights, RELU, sobol_nodes(2, 10, 0))
    assert found.pmse == pytest.approx(merged.pmse, abs=1e-7)
    assert found.drive[:, [0, 2]] / v[[0, 2]] == pytest.approx(merged.drive / doubled, abs=1e-7)
    assert found.drive[:, 0] / v[0] == pytest.approx(found.drive[:, 1] / v[1], abs=1e-7)
    assert found.noise[:, 0, 1] / (v[0] * v[1]) == pytest.approx(found.noise[:, 0, 0] / v[0] ** 2, abs=1e-12)
