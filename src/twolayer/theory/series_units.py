"""Averages of units of any activation: Hermite series where two local fields are involved, points where there are more.

Source: refinetti2021, order-parameter equations; own derivation of this form.
"""

from collections.abc import Callable

import numpy as np
from numba import njit

from twolayer.model.activations import FINE, Activation, compiled_slope, compiled_value
from twolayer.theory.erf_sums import MOST_UNITS
from twolayer.theory.gaussian_integrals import output_averages
from twolayer.theory.hermite_series import pair_averages, resolved_grid
from twolayer.theory.nodes import Nodes

_BLOCK = 512  # fields of random features that are averaged at a time


def series_local_fields(
    activation: Activation, M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, nodes: Nodes
) -> tuple[np.ndarray, ...]:
    """As `UnitAverages.local_fields`, where the slope is the derivative of the value; of the nodes, the points."""
    drive, response, *outputs = two_field_averages(activation, M, covariance, v, label)
    noise = signal_products(activation, M, v, label[:, 0], nodes.points(covariance))
    return drive, response, noise, *outputs


def summed_local_fields(
    activation: Activation,
    noise: Callable[..., np.ndarray],
    M: np.ndarray,
    covariance: np.ndarray,
    v: np.ndarray,
    label: np.ndarray,
    nodes: Nodes,
) -> tuple[np.ndarray, ...]:
    """The same with the noise in closed form, where the units are few enough."""
    if len(v) > MOST_UNITS:
        return series_local_fields(activation, M, covariance, v, label, nodes)
    drive, response, *outputs = two_field_averages(activation, M, covariance, v, label)
    return drive, response, noise(M, covariance, v, label[:, 0]), *outputs


def two_field_averages(
    activation: Activation, M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return drive, response and readout of `LocalFieldAverages`, and the mean squared error (C,)."""
    deviation, correlation = _standardised(covariance)
    grid = resolved_grid(activation, M, np.broadcast_to(deviation, M.shape))
    value, slope = activation.value(grid.fields), activation.slope(grid.fields)
    tilted = slope * grid.z[..., None, :]
    wanted = [(0, 0), (1, 0), (1, 1), (2, 0)]
    products, slope_value, slopes, tilted_value = pair_averages(grid, correlation, [value, slope, tilted], wanted)
    # by partial integration, <z_k g'_k g_j> = deviation_k <g''_k g_j> + correlation_kj deviation_j <g'_k g'_j>
    curvature = (tilted_value - correlation * deviation * slopes) / deviation[:, None]
    drive = v * (label * grid.mean(slope) - slope_value @ v)
    response, hidden = -np.outer(v, v) * slopes, np.arange(len(v))
    response[:, hidden, hidden] += v * (label * grid.mean(tilted) / deviation - curvature @ v)
    return drive, response, *output_averages(grid.mean(value), products, v, label)


def signal_products(
    activation: Activation, M: np.ndarray, v: np.ndarray, labels: np.ndarray, deviations: np.ndarray
) -> np.ndarray:
    """<u_k u_l> in each cluster, (C, K, K), over points with these deviations (n, K) from the means M."""
    if activation.tabulation_error <= FINE:
        return _compiled_products(activation.compiled, M, v, labels, deviations)
    return np.stack([_products(activation, *law, v, deviations) for law in zip(M, labels, strict=True)])


def _products(activation, mean, label, v, deviations):
    """<u_k u_l> in one cluster."""
    fields = mean + deviations
    signal = v * activation.slope(fields) * (label - activation.value(fields) @ v)[:, None]
    return signal.T @ signal / len(signal)


@njit(cache=True)
def _compiled_products(activation, M, v, labels, deviations):
    clusters, hidden = M.shape
    products, signal = np.zeros((clusters, hidden, hidden)), np.empty(hidden)
    for a in range(clusters):
        for point in deviations:
            error = labels[a]
            for k in range(hidden):
                field = M[a, k] + point[k]
                error -= v[k] * compiled_value(activation, field)
                signal[k] = v[k] * compiled_slope(activation, field)
            square = error * error
            for k in range(hidden):
                for j in range(k + 1):
                    products[a, k, j] += square * signal[k] * signal[j]
        for k in range(hidden):
            for j in range(k + 1):
                products[a, k, j] /= len(deviations)
                products[a, j, k] = products[a, k, j]
    return products


def series_value(activation: Activation, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """As `UnitAverages.values`."""
    grid = resolved_grid(activation, mean, np.broadcast_to(np.sqrt(variance), mean.shape))
    return grid.mean(activation.value(grid.fields))


def series_products(activation: Activation, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """As `UnitAverages.products`."""
    deviation, correlation = _standardised(covariance)
    grid = resolved_grid(activation, *np.broadcast_arrays(mean, deviation))
    return pair_averages(grid, correlation, [activation.value(grid.fields)], [(0, 0)])[0]


def _standardised(covariance):
    """Standard deviations (..., K) and correlations (..., K, K)."""
    deviation = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    correlation = np.clip(covariance / (deviation[..., :, None] * deviation[..., None, :]), -1, 1)  # beyond is rounding
    correlation[..., *np.diag_indices(covariance.shape[-1])] = 1
    return deviation, correlation


def series_law(activation: Activation, mean: np.ndarray, deviation: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    """As `UnitAverages.feature_law`."""
    spread = np.broadcast_to(deviation, mean.shape)
    parts = [
        _law(activation, mean[:, start : start + _BLOCK], spread[:, start : start + _BLOCK], order)
        for start in range(0, mean.shape[1], _BLOCK)
    ]
    return tuple(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))


def _law(activation, mean, deviation, order):
    grid = resolved_grid(activation, mean[..., None], deviation[..., None])  # each field by itself
    value = activation.value(grid.fields)
    coefficients = np.moveaxis(grid.coefficients(value, order)[..., 0, :], -1, 0)
    centred = value - coefficients[0][..., None, None]
    return coefficients[0], grid.mean(centred**2)[..., 0], coefficients[1:]


def sampled_sign_errors(
    activation: Activation, M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray, nodes: Nodes
) -> tuple[np.ndarray, np.ndarray]:
    """As `UnitAverages.sign_errors`, for any activation; of the nodes, the points."""
    shared = covariance.ndim == 2
    deviations = nodes.points(covariance)[None] if shared else np.stack([nodes.points(C) for C in covariance])
    if activation.tabulation_error <= FINE:
        return _compiled_signs(activation.compiled, M, v, labels, deviations)
    margin = labels[:, None] * (activation(M[:, None] + deviations) @ v)
    return np.mean(margin < 0, axis=1), np.mean(margin == 0, axis=1)


@njit(cache=True)
def _compiled_signs(activation, M, v, labels, deviations):
    clusters, hidden = M.shape
    wrong, zero = np.zeros(clusters), np.zeros(clusters)
    for a in range(clusters):
        for point in deviations[min(a, len(deviations) - 1)]:
            output = 0.0
            for k in range(hidden):
                output += v[k] * compiled_value(activation, M[a, k] + point[k])
            wrong[a] += labels[a] * output < 0
            zero[a] += output == 0
    return wrong / deviations.shape[1], zero / deviations.shape[1]
