"""Averages of linear units and of sign units in closed form.

Source: refinetti2021, order-parameter equations; own derivation of this form.
"""

import numpy as np

from twolayer.theory.averages.gaussian_integrals import bivariate_normal_cdf, normal_cdf, output_averages
from twolayer.theory.averages.nodes import Nodes


def linear_local_fields(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, _: Nodes
) -> tuple[np.ndarray, ...]:
    """Return the averages as `UnitAverages.local_fields` does, without nodes."""
    error = label - (M @ v)[:, None]
    squared_error = error[:, 0] ** 2 + v @ covariance @ v
    noise = squared_error[:, None, None] * np.outer(v, v)
    response = np.broadcast_to(-np.outer(v, v), noise.shape)
    return error * v, response, noise, error * M - covariance @ v, squared_error


def linear_value(mean: np.ndarray, _: np.ndarray) -> np.ndarray:
    """Return the averages as `UnitAverages.values` does."""
    return mean


def linear_products(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the averages as `UnitAverages.products` does."""
    return covariance + mean[..., :, None] * mean[..., None, :]


def linear_sign_errors(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray, _: Nodes
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities as `UnitAverages.sign_errors` does, without nodes."""
    margin = labels * (M @ v)
    deviation = np.broadcast_to(np.sqrt(covariance @ v @ v), margin.shape)
    wrong, spread = (margin < 0).astype(float), deviation > 0
    wrong[spread] = normal_cdf(-margin[spread] / deviation[spread])
    return wrong, (~spread & (margin == 0)).astype(float)


def sign_local_fields(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, _: Nodes
) -> tuple[np.ndarray, ...]:
    """Return the averages as `UnitAverages.local_fields` does, without nodes."""
    silent = np.zeros((len(M), len(v), len(v)))
    return (
        silent[:, 0],
        silent,
        silent,
        *output_averages(sign_value(M, np.diag(covariance)), sign_products(M, covariance), v, label),
    )


def sign_value(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return the averages as `UnitAverages.values` does."""
    return 1 - 2 * normal_cdf(-mean / np.sqrt(variance))


def sign_products(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the averages as `UnitAverages.products` does."""
    deviation = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    h, r = mean / deviation, covariance / (deviation[..., :, None] * deviation[..., None, :])
    both = bivariate_normal_cdf(h[..., :, None], h[..., None, :], np.clip(r, -1, 1))  # rounding can lead beyond -1 or 1
    above = normal_cdf(h)
    return 4 * both - 2 * above[..., :, None] - 2 * above[..., None, :] + 1
