"""Second moments of functions of Gaussian fields against closed forms and quadrature in the plane."""

import math

import numpy as np
import pytest

from twolayer.errors import NotConverged
from twolayer.model.networks.activations import ERF, RELU, SIGMOID, TANH
from twolayer.model.networks.hermite_expansion import half_line_nodes
from twolayer.theory.averages.mehler import add_second_moments, cross_moments, hermite_series, largest_correlation

ACTIVATIONS = {"relu": RELU, "erf": ERF, "tanh": TANH, "sigmoid": SIGMOID}


def fields(k=6, strongest=0.9, seed=0):
    """A covariance of k fields of different variance, two of them with a given correlation."""
    A = np.random.default_rng(seed).standard_normal((k, 3 * k)) / np.sqrt(np.arange(1, k + 1))[:, None]
    C = A @ A.T
    C[0, 1] = C[1, 0] = strongest * math.sqrt(C[0, 0] * C[1, 1])
    return C, np.sqrt(np.diag(C))


def moments(function, C, deviation):
    series = hermite_series(function, deviation, largest_correlation(C, deviation))
    total = np.zeros_like(C)
    add_second_moments(total, series, C, deviation, 1.0)
    return total


def relu_kernel(C, deviation):
    rho = np.clip(C / np.outer(deviation, deviation), -1, 1)
    return np.outer(deviation, deviation) * (np.sqrt(1 - rho**2) + rho * (math.pi - np.arccos(rho))) / (2 * math.pi)


def test_relu_by_the_arccosine_kernel():
    C, deviation = fields()
    np.testing.assert_allclose(moments(RELU.value, C, deviation), relu_kernel(C, deviation), atol=1e-7 * C.max())


def test_erf_by_the_arcsine_law():
    C, deviation = fields(strongest=-0.7)
    scale = np.sqrt(1 + np.diag(C))
    expected = 2 / math.pi * np.arcsin(C / np.outer(scale, scale))
    np.testing.assert_allclose(moments(ERF.value, C, deviation), expected, atol=1e-6)


@pytest.mark.parametrize("name", ["relu", "tanh", "sigmoid"])
def test_any_function_by_quadrature_in_the_plane(name):
    """Of two functions of two fields, with nodes along lines through the plane, between which a kink may lie."""
    function, (g, weights) = ACTIVATIONS[name].value, half_line_nodes(32)
    rho, deviation = np.array([-0.5, 0.2, 0.8]), np.array([0.3, 1.0, 2.5])
    student = hermite_series(function, deviation, 0.8)
    label = hermite_series(RELU.value, np.array([1.7]), 0.8, student.degree)
    for i in range(3):
        other = rho[i] * g[:, None] + math.sqrt(1 - rho[i] ** 2) * g
        plane = weights @ (function(deviation[i] * g)[:, None] * RELU.value(1.7 * other)) @ weights
        assert cross_moments(student, label, rho)[i] == pytest.approx(plane, rel=1e-5)


def test_a_lower_degree_leaves_what_is_said():
    """No more than |rho|^(L + 1) of the root of the powers, and the diagonal is exact at any degree."""
    C, deviation = fields(strongest=0.5)
    exact, rho = relu_kernel(C, deviation), np.abs(C) / np.outer(deviation, deviation)
    for degree in (1, 2, 4, 8):
        total = np.zeros_like(C)
        add_second_moments(total, hermite_series(RELU.value, deviation, 0.5, degree), C, deviation, 1.0)
        bound = rho ** (degree + 1) * np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
        assert (np.abs(total - exact) <= bound + 1e-7 * exact.max()).all()
        np.testing.assert_allclose(np.diag(total), np.diag(exact), rtol=1e-9)


def test_what_does_not_converge():
    with pytest.raises(NotConverged, match="two pre-activations have the correlation 1, for which the Hermite series"):
        hermite_series(RELU.value, np.ones(2), 1.0)
    assert hermite_series(TANH.value, np.ones(2), 1.0).degree < 200
    with pytest.raises(NotConverged, match="less steep, and has no kink elsewhere than at zero"):
        hermite_series(lambda z: np.sign(z - 0.3), np.ones(2), 0.5)
