"""Averages of relu units, in closed form but for the noise of SGD, which is integrated along quasi-random lines.

Source: refinetti2021, order-parameter equations; own derivation of the lines.
"""

import numpy as np

from twolayer.theory.gaussian_integrals import normal_density, output_averages, pair_moments, relu_pair, relu_value
from twolayer.theory.nodes import Nodes
from twolayer.theory.relu_lines import squared_error_where_on
from twolayer.theory.relu_rays import mean_sign_errors

_ROUNDING = 1e-12  # part of the largest below which a variance, or a difference of means, is none


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
    """As `UnitAverages.sign_errors`, with a relative accuracy that does not depend on the size of the errors.

    Rays lead in the few directions in which the clusters' fields differ, which are those in which a trained network
    decides; the nodes give their directions, and the fields in all others.
    """
    if covariance.ndim == 2:
        return _sign_errors_about(M, labels, *_axes_of_means(M, covariance), v, nodes)
    alone = [
        _sign_errors_about(M[[a]], labels[[a]], *_axes_of_means(M, own), v, nodes) for a, own in enumerate(covariance)
    ]
    wrong, zero = (np.concatenate(part) for part in zip(*alone, strict=True))
    return wrong, zero


def _sign_errors_about(M, labels, root, freedom, v, nodes):
    """The same of clusters with means M whose covariance has that root."""
    directions, others = nodes.rays(freedom)
    return mean_sign_errors(M, v, labels, others @ root[:, freedom:].T, directions @ root[:, :freedom].T, freedom)


def _axes_of_means(M, covariance):
    """Root (K, K) of the covariance, its first columns those in whose span the clusters differ; how many these are."""
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    present = eigenvalues > _ROUNDING * eigenvalues[-1]
    deviations = np.sqrt(eigenvalues[present])
    differences = ((M - M[0]) @ eigenvectors[:, present]) / deviations
    _, lengths, axes = np.linalg.svd(differences)
    freedom = max(int(np.sum(lengths > _ROUNDING * lengths.max(initial=0.0))), 1)
    root = np.zeros_like(covariance)
    root[:, : len(axes)] = (eigenvectors[:, present] * deviations) @ axes.T
    return root, freedom
