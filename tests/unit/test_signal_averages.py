"""Averages over the signals of a student of a teacher: against sampled fields, and where they have closed forms."""

import numpy as np
import pytest

from twolayer.model.networks.activations import as_activation
from twolayer.theory.averages.nodes import sobol_nodes, sobol_normals
from twolayer.theory.averages.unit_forms import fill_derivative_means, unit_form
from twolayer.theory.teacher_student.signal_averages import Signals

NOISE = 0.3
UNITS = {name: name for name in ("erf", "relu", "linear", "hermite2", "hermite3", "tanh")} | {"square": np.square}
CLOSED = (
    {("erf", teacher) for teacher in UNITS if teacher != "tanh"}
    | {("linear", teacher) for teacher in UNITS if teacher != "tanh"}
    | {(s, t) for s in ("square", "hermite2", "hermite3") for t in ("linear", "square", "hermite2", "hermite3")}
    | {("relu", "relu"), ("relu", "erf")}
)


def problem(hidden=2, teachers=2, seed=0):
    rng, fields = np.random.default_rng(seed), hidden + teachers
    root = rng.standard_normal((fields, fields)) + np.eye(fields)
    return 0.4 * root @ root.T / fields, rng.standard_normal(fields)


def sampled(signals, C, u, hidden, log2_points):
    """Response, noise and readout as averages over points, by Stein's lemma for the response."""
    fields = sobol_normals(len(u), log2_points, 1) @ np.linalg.cholesky(C).T
    own, other = fields[:, :hidden], fields[:, hidden:]
    outputs = np.hstack([signals.student(own), signals.teacher(other)])
    error, slopes = -outputs @ u, signals.student.slope(own) * u[:hidden]
    pulls = (slopes * error[:, None]).T @ fields / len(fields)
    weight = error**2 + signals.label_noise**2
    noise = np.einsum("n,nk,nl->kl", weight, slopes, slopes) / len(fields)
    return pulls @ np.linalg.inv(C), noise, error @ outputs[:, :hidden] / len(fields), np.mean(error**2) / 2


@pytest.mark.parametrize("teacher", UNITS)
@pytest.mark.parametrize("student", UNITS)
def test_any_two_kinds_of_units(student, teacher):
    C, u = problem()
    signals = Signals(UNITS[student], UNITS[teacher], NOISE, points=sobol_nodes(4, 14, 0))
    assert signals.exact == ((student, teacher) in CLOSED)
    found, pmse = signals.averages(C, u, 2), signals.pmse(C[None], u[None], 2)
    for ours, known in zip((*found, pmse[0]), sampled(signals, C, u, 2, 18), strict=True):
        assert np.abs(ours - known).max() < (0.06 if "hermite3" in (student, teacher) else 0.02) * np.abs(known).max()


@pytest.mark.parametrize("pair", sorted(CLOSED))
def test_units_that_are_the_same(pair):
    """Two units with one field count as one with the sum of their weights."""
    C, u = problem(hidden=1, teachers=1)
    doubled, shares = np.kron(C, np.ones((2, 2))), np.array([0.3, 0.7, 0.6, 0.4])
    signals = Signals(*(UNITS[name] for name in pair), NOISE)
    one, two = signals.averages(C, u, 1), signals.averages(doubled, np.repeat(u, 2) * shares, 2)
    np.testing.assert_allclose(
        two.noise / np.outer(shares[:2], shares[:2]), one.noise[0, 0] * np.ones((2, 2)), rtol=1e-7
    )
    np.testing.assert_allclose(two.readout, one.readout[0] * np.ones(2), rtol=1e-9)


def test_the_square_in_closed_form():
    """The noise of square units as a product of matrices."""
    C, u = problem(hidden=3)
    noise = Signals(np.square, np.square).averages(C, u, 3).noise
    U = np.diag(u)
    t, t2 = np.trace(C @ U), np.trace(C @ U @ C @ U)
    known = 4 * (C * (t**2 + 2 * t2) + 4 * t * C @ U @ C + 8 * C @ U @ C @ U @ C)[:3, :3]
    np.testing.assert_allclose(noise, np.outer(u[:3], u[:3]) * known, rtol=1e-10)


def test_parts_of_the_gradient_noise():
    C, u = problem()
    for student in ("erf", "tanh"):
        full, labels, none = (
            Signals(student, "erf", NOISE, part, sobol_nodes(4, 8, 0)).averages(C, u, 2).noise
            for part in ("full", "labels", "none")
        )
        silent = Signals(student, "erf", points=sobol_nodes(4, 8, 0)).averages(C, u, 2).noise
        assert not none.any()
        np.testing.assert_allclose(full - silent, labels, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("function", "degree"),
    [("linear", 1), (np.square, 2), (lambda x: x**3 - 3 * x, 3), ("hermite4", 4), (lambda x: x**6 + x, 6)],
)
def test_polynomials_are_recognised(function, degree):
    coefficients = as_activation(function).polynomial
    x = np.linspace(-3, 3, 7)
    assert len(coefficients) == degree + 1
    np.testing.assert_allclose(np.polynomial.Polynomial(coefficients)(x), as_activation(function)(x), atol=1e-8)


@pytest.mark.parametrize("function", ["erf", "relu", "sign", "tanh", "sigmoid", np.sin, np.abs, lambda x: x**7])
def test_nothing_else_is_a_polynomial(function):
    assert as_activation(function).polynomial is None


@pytest.mark.parametrize("unit", ["erf", "relu", "linear", "hermite3", "square"])
def test_means_of_derivatives(unit):
    """E f^(n)(x) is E f(x) He_n(x / s) / s^n for a Gaussian of standard deviation s, by integration by parts."""
    deviation, means = 0.8, np.empty(4)
    fill_derivative_means(unit_form(as_activation(UNITS[unit])), deviation**2, means)
    x = np.linspace(-12, 12, 200_001)
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    hermite = np.ones_like(x), x, x**2 - 1, x**3 - 3 * x
    known = [
        np.trapezoid(as_activation(UNITS[unit])(deviation * x) * polynomial * density, x) / deviation**n
        for n, polynomial in enumerate(hermite)
    ]
    np.testing.assert_allclose(means, known, atol=1e-7)
