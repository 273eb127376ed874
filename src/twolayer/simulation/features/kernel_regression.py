"""Kernel ridge regression, and ridge regression on random features, of samples of a mixture."""

import math

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from twolayer.errors import NotConverged
from twolayer.model.networks.kernels import Kernel, kernel_matrix
from twolayer.model.networks.learning import wrong_signs

_CHUNK = 1000  # test samples whose outputs are computed at a time


def fit_kernel(matrix: np.ndarray, targets: np.ndarray, ridge: float) -> np.ndarray:
    """Return the coefficients (n,) of kernel ridge regression, (matrix + ridge)^-1 targets; overwrite the matrix.

    Raises:
        NotConverged: the matrix (n, n) is singular up to rounding.
    """
    matrix.flat[:: len(matrix) + 1] += ridge
    try:
        return cho_solve(cho_factor(matrix.T, lower=False, overwrite_a=True), targets)  # in LAPACK's memory order
    except LinAlgError as failure:
        raise NotConverged(
            f"the kernel matrix of {len(matrix)} samples is singular ({failure}): raise the ridge"
        ) from failure


def kernel_outputs(
    kernel: Kernel, inputs: np.ndarray, targets: np.ndarray, ridge: float, test: np.ndarray
) -> np.ndarray:
    """Return the outputs of kernel ridge regression for test inputs (t, D).

    Args:
        inputs: (n, D) and targets: (n,), the training samples. ridge: added to the diagonal of the kernel matrix.

    Raises:
        NotConverged: the kernel matrix is singular up to rounding.
    """
    coefficients = fit_kernel(kernel_matrix(kernel, inputs, inputs), targets, ridge)
    chunks = (test[start : start + _CHUNK] for start in range(0, len(test), _CHUNK))
    return np.concatenate([kernel_matrix(kernel, chunk, inputs) @ coefficients for chunk in chunks])


def feature_outputs(features: np.ndarray, targets: np.ndarray, ridge: float, test_features: np.ndarray) -> np.ndarray:
    """Return the outputs of ridge regression on features, whose kernel is their mean product.

    Args:
        features: (n, F). targets: (n,). ridge: ridge on the scale of the kernel z.z' / F. test_features: (t, F).

    Raises:
        NotConverged: the matrix of the features is singular up to rounding.
    """
    n, F = features.shape
    if n <= F:
        return test_features @ (features.T @ fit_kernel(features @ features.T / F, targets, ridge)) / F
    return test_features @ fit_kernel(features.T @ features / F, features.T @ targets / F, ridge)


def errors(outputs: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Return pmse and class error of outputs; a zero output is half an error."""
    return float(0.5 * np.mean((labels - outputs) ** 2)), float(np.mean(wrong_signs(outputs, labels)))


def gaussian_directions(dimension: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Draw directions (D, F) with independent normal coordinates over sqrt D, so that their features have the
    kernel."""
    return rng.standard_normal((dimension, count)) / math.sqrt(dimension)
