"""The spectral measure of a vector against a full diagonalisation."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigvalsh_tridiagonal

from twolayer.errors import NotConverged
from twolayer.theory.numerics.spectral_measure import spectral_measure


@given(st.integers(1, 25), st.integers(1, 25), st.integers(0, 10**6))
def test_against_eigenvectors(size, rank, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((size, rank))
    matrix, vector = A @ A.T, rng.standard_normal(size)
    eigenvalues, weights = spectral_measure(matrix, vector)
    plain, vectors = np.linalg.eigh(matrix)
    np.testing.assert_allclose(eigenvalues, plain, atol=1e-12 * plain[-1])
    for power in (-1, 0, 1, 2):  # moments, because only the sum of the weights of equal eigenvalues is defined
        expected = (vector @ vectors) ** 2 @ (plain + 0.1) ** power
        assert weights @ (eigenvalues + 0.1) ** power == pytest.approx(expected, rel=1e-9)


def test_degenerate_matrices():
    eigenvalues, weights = spectral_measure(np.eye(3), np.array([1.0, 2.0, 2.0]))
    assert eigenvalues == pytest.approx([1, 1, 1])
    assert weights.sum() == pytest.approx(9)
    assert spectral_measure(np.diag([3.0, 1.0]), np.zeros(2))[1] == pytest.approx([0, 0])


def test_no_numbers():
    with pytest.raises(NotConverged, match="has NaN or infinity"):
        spectral_measure(np.full((3, 3), np.nan), np.ones(3))


def test_degenerate_eigenvalues_beside_large_ones():
    """The covariance of a figure has 500 features of rank 400, with noise. Rounding errors off the diagonal are
    small relative to the largest eigenvalue, but not to neighbouring eigenvalues, and do not decrease."""
    path = Path(__file__).parent / "degenerate_tridiagonal.csv"
    diagonal, beside = np.loadtxt(path, delimiter=",", skiprows=1).T
    matrix = np.diag(diagonal) + np.diag(beside[:-1], 1) + np.diag(beside[:-1], -1)
    eigenvalues, weights = spectral_measure(matrix, np.eye(len(diagonal))[0])
    expected = eigvalsh_tridiagonal(diagonal, beside[:-1])
    np.testing.assert_allclose(eigenvalues, expected, atol=1e-14 * expected[-1])
    assert weights.sum() == pytest.approx(1)
