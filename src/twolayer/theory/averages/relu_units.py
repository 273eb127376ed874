"""Averages of relu units in closed form, except the noise of SGD, which is integrated along quasi-random lines.

Source: refinetti2021, order-parameter equations; own derivation of the lines.
"""

import math

import numpy as np
from numba import njit

from twolayer.theory.averages.gaussian_integrals import (
    compiled_relu_pair,
    normal_cdf,
    normal_density,
    pair_moments,
    relu_pair,
)
from twolayer.theory.averages.nodes import Nodes
from twolayer.theory.averages.relu_lines import squared_error_where_on
from twolayer.theory.averages.relu_rays import mean_sign_errors

_ROUNDING = 1e-12  # part of the largest variance below which another counts as zero
_DISTINCT = 1e-6  # part of the largest difference of means below which another has no axis of its own
# Part of the longest row that makes a row nearly as long. Rows of symmetric clusters have other ratios of lengths, so
# that rounding errors do not change which row is first.
_NEARLY = 0.62


def relu_local_fields(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, nodes: Nodes
) -> tuple[np.ndarray, ...]:
    """Return the averages as `UnitAverages.local_fields` does."""
    drive, response, readout, squared_error = _closed_averages(M, covariance, v, label[:, 0])
    points, slope = nodes.lines(covariance)
    noise = np.outer(v, v) * squared_error_where_on(M, v, label[:, 0], points, slope)
    return drive, response, noise, readout, squared_error


@njit(cache=True, error_model="numpy")
def _closed_averages(M, covariance, v, labels):
    """Return drive, response and readout of `LocalFieldAverages`, and the mean squared error (C,).

    They are NaN if a unit has no variance.
    """
    clusters, hidden = M.shape
    drive, readout = np.empty((clusters, hidden)), np.empty((clusters, hidden))
    response, squared_error = np.empty((clusters, hidden, hidden)), np.empty(clusters)
    for a in range(clusters):
        squared_error[a] = labels[a] * labels[a]
        for k in range(hidden):
            deviation, output = math.sqrt(covariance[k, k]), 0.0
            slope, density = normal_cdf(M[a, k] / deviation), normal_density(M[a, k] / deviation) / deviation
            value = M[a, k] * slope + covariance[k, k] * density
            error_slope, error_value, error_edge = labels[a] * slope, labels[a] * value, labels[a] * density
            for j in range(hidden):
                both_on, slope_value, edge_value = compiled_relu_pair(
                    M[a, k], M[a, j], covariance[k, k], covariance[j, j], covariance[k, j]
                )
                response[a, k, j] = -v[k] * v[j] * both_on
                error_slope -= v[j] * slope_value
                error_edge -= v[j] * edge_value
                error_value -= v[j] * (M[a, k] * slope_value + covariance[k, k] * edge_value)
                output += v[j] * covariance[k, j] * both_on
            drive[a, k] = v[k] * error_slope
            response[a, k, k] += v[k] * error_edge
            readout[a, k] = error_value - output
            squared_error[a] -= v[k] * (labels[a] * value + readout[a, k])
    return drive, response, readout, squared_error


def relu_products(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the averages as `UnitAverages.products` does."""
    both_on, slope_value, edge_value = relu_pair(*pair_moments(mean, covariance))
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    return mean[..., :, None] * slope_value + variance[..., :, None] * edge_value + covariance * both_on


def relu_sign_errors(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray, nodes: Nodes
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities as `UnitAverages.sign_errors` does, with a relative accuracy independent of their size.

    Rays run in the few directions in which the clusters' fields differ. A trained network decides along these
    directions. The nodes give the directions of the rays, and the fields in all other directions.
    """
    if covariance.ndim == 2:
        return _sign_errors_about(M, labels, *_axes_of_means(M, covariance), v, nodes)
    alone = [
        _sign_errors_about(M[[a]], labels[[a]], *_axes_of_means(M, block), v, nodes)
        for a, block in enumerate(covariance)
    ]
    wrong, zero = (np.concatenate(part) for part in zip(*alone, strict=True))
    return wrong, zero


def _sign_errors_about(M, labels, root, freedom, v, nodes):
    """Return the probabilities for clusters with means M whose covariance has the given root."""
    directions, others = nodes.rays(freedom)
    return mean_sign_errors(M, v, labels, others @ root[:, freedom:].T, directions @ root[:, :freedom].T, freedom)


def _axes_of_means(M, covariance):
    """Return a root (K, K) of the covariance and the number of its leading columns in whose span the clusters
    differ.

    The axes follow from the order of clusters and units. Rounding errors turn eigenvectors and singular vectors if two
    eigenvalues or two lengths are equal, but they do not turn these axes.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    present = eigenvalues > _ROUNDING * eigenvalues[-1]
    deviations = np.sqrt(eigenvalues[present])
    units = eigenvectors[:, present] * deviations
    axes = _orthonormal(((M - M[0]) @ eigenvectors[:, present]) / deviations, np.empty((0, len(deviations))), _DISTINCT)
    freedom = max(len(axes), 1)
    axes = _orthonormal(units, axes, math.sqrt(_ROUNDING))
    root = np.zeros_like(covariance)
    root[:, : len(axes)] = units @ axes.T
    return root, freedom


def _orthonormal(rows, axes, smallest):
    """Return orthonormal axes (n, R), and behind them further axes for the span of rows (m, R).

    Each new axis is the first of the rows whose part outside the span of the present axes is nearly the longest.

    Args:
        smallest: relative to the longest row, the length of a part that counts as zero.
    """
    longest = np.linalg.norm(rows, axis=1).max(initial=0.0)
    while len(axes) < rows.shape[1]:
        outside = rows - (rows @ axes.T) @ axes
        outside -= (outside @ axes.T) @ axes  # once more, for the digits that cancel in the first difference
        lengths = np.linalg.norm(outside, axis=1)
        if lengths.max(initial=0.0) <= smallest * longest:
            break
        row = np.argmax(lengths > _NEARLY * lengths.max())
        axes = np.vstack([axes, outside[row] / lengths[row]])
    return axes
