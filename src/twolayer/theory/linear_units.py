"""Averages of linear units, all in closed form."""

import numpy as np

from twolayer.theory.gaussian_integrals import normal_cdf
from twolayer.theory.nodes import Nodes


def linear_local_fields(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, _: Nodes
) -> tuple[np.ndarray, ...]:
    """As `UnitAverages.local_fields`; no nodes are used."""
    error = label - (M @ v)[:, None]
    squared_error = error[:, 0] ** 2 + v @ covariance @ v
    noise = squared_error[:, None, None] * np.outer(v, v)
    response = np.broadcast_to(-np.outer(v, v), noise.shape)
    return error * v, response, noise, error * M - covariance @ v, squared_error


def linear_value(mean: np.ndarray, _: np.ndarray) -> np.ndarray:
    """As `UnitAverages.values`."""
    return mean


def linear_products(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """As `UnitAverages.products`."""
    return covariance + mean[..., :, None] * mean[..., None, :]


def linear_sign_errors(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray, _: Nodes
) -> tuple[np.ndarray, np.ndarray]:
    """As `UnitAverages.sign_errors`; no nodes are used."""
    return normal_cdf(-labels * (M @ v) / np.sqrt(covariance @ v @ v)), np.zeros(len(M))
