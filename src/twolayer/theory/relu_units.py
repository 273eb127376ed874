"""Averages of relu units, in closed form but for the noise of SGD, which is integrated along quasi-random lines.

Source: refinetti2021, order-parameter equations; own derivation of the lines.
"""

import numpy as np

from twolayer.theory.gaussian_integrals import normal_density, output_averages, pair_moments, relu_pair, relu_value
from twolayer.theory.nodes import Nodes
from twolayer.theory.relu_lines import line_sign_errors, squared_error_where_on


def relu_local_fields(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, nodes: Nodes
) -> tuple[np.ndarray, ...]:
    """As `UnitAverages.local_fields`."""
    hidden, variance = np.arange(len(v)), np.diag(covariance)
    pairs = relu_pair(*pair_moments(M, covariance))
    both_on, slope_value, edge_value = pairs
    drive = v * (label * both_on[:, hidden, hidden] - slope_value @ v)
    deviation = np.sqrt(variance)
    response = -np.outer(v, v) * both_on
    response[:, hidden, hidden] += v * (label * normal_density(M / deviation) / deviation - edge_value @ v)
    points, slope = nodes.lines(covariance)
    noise = np.outer(v, v) * squared_error_where_on(M, v, label[:, 0], points, slope)
    outputs = output_averages(relu_value(M, variance), _products(M, covariance, pairs), v, label)
    return drive, response, noise, *outputs


def relu_products(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """As `UnitAverages.products`."""
    return _products(mean, covariance, relu_pair(*pair_moments(mean, covariance)))


def _products(mean, covariance, pairs):
    both_on, slope_value, edge_value = pairs
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    return mean[..., :, None] * slope_value + variance[..., :, None] * edge_value + covariance * both_on


def relu_sign_errors(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray, nodes: Nodes
) -> tuple[np.ndarray, np.ndarray]:
    """As `UnitAverages.sign_errors`."""
    points, slope = nodes.aligned(covariance).lines(covariance)
    return line_sign_errors(M, v, labels, points, slope)
