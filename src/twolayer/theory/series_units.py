"""Averages of units of any activation: Hermite series where two local fields are involved, points where there are more.

Source: refinetti2021, order-parameter equations; own derivation of this form.
"""

import numpy as np

from twolayer.model.activations import Activation
from twolayer.theory.gaussian_integrals import output_averages
from twolayer.theory.hermite_series import pair_averages, resolved_grid
from twolayer.theory.nodes import Nodes

_BLOCK = 512  # fields of random features that are averaged at a time


def series_local_fields(
    activation: Activation, M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, nodes: Nodes
) -> tuple[np.ndarray, ...]:
    """As `UnitAverages.local_fields`, where the slope is the derivative of the value; of the nodes, the points."""
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
    noise = np.stack(
        [_noise(activation, *law, v, nodes.points(covariance)) for law in zip(M, label[:, 0], strict=True)]
    )
    return drive, response, noise, *output_averages(grid.mean(value), products, v, label)


def _noise(activation, mean, label, v, deviations):
    """<u_k u_l> in one cluster."""
    fields = mean + deviations
    signal = v * activation.slope(fields) * (label - activation.value(fields) @ v)[:, None]
    return signal.T @ signal / len(signal)


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
    deviations = nodes.points(covariance) if covariance.ndim == 2 else np.stack([nodes.points(C) for C in covariance])
    margin = labels[:, None] * (activation(M[:, None] + deviations) @ v)
    return np.mean(margin < 0, axis=1), np.mean(margin == 0, axis=1)
