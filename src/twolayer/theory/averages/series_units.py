"""Averages of units of any activation: Hermite series for two pre-activations, quadrature points for more.

Source: refinetti2021, order-parameter equations; own derivation of this form.
"""

import numpy as np
from numba import njit

from twolayer.model.networks.activations import REACH, Activation, table_values, table_values_and_slopes
from twolayer.theory.averages.gaussian_integrals import output_averages
from twolayer.theory.averages.hermite_series import pair_averages, resolved_grid
from twolayer.theory.averages.nodes import Nodes

_BLOCK = 256  # number of fields that are averaged at a time, each with its own grid
_POINTS, _TABULATED = 512, 128  # numbers of points that are averaged at a time, and from a table


def series_local_fields(
    activation: Activation, M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, nodes: Nodes
) -> tuple[np.ndarray, ...]:
    """Return the averages as `UnitAverages.local_fields` does, for units whose slope is the derivative of their value.

    The averages use only the points of the nodes, and these only for more than `exact_units` units.
    """
    units = _units(activation, M, covariance)
    drive, response, *outputs = _two_field_averages(units, v, label)
    if len(v) > exact_units(activation):
        noise = signal_products(activation, M, v, label[:, 0], nodes.points(covariance))
    else:
        noise = _exact_signal_products(units, v, label)
    return drive, response, noise, *outputs


def exact_units(activation: Activation) -> int:
    """Return the number of units up to which the noise is known from averages over at most two fields."""
    return 2 if activation.kinks.size == 0 else 1


def two_field_averages(
    activation: Activation, M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return drive, response and readout of `LocalFieldAverages`, and the mean squared error (C,)."""
    return _two_field_averages(_units(activation, M, covariance), v, label)


def _two_field_averages(units, v, label):
    deviation, correlation, grid, value, slope = units
    tilted = slope * grid.z[..., None, :]
    wanted = [(0, 0), (1, 0), (1, 1), (2, 0)]
    products, slope_value, slopes, tilted_value = pair_averages(grid, correlation, [value, slope, tilted], wanted)
    # by partial integration, <z_k g'_k g_j> = deviation_k <g''_k g_j> + correlation_kj deviation_j <g'_k g'_j>
    curvature = (tilted_value - correlation * deviation * slopes) / deviation[:, None]
    drive = v * (label * grid.mean(slope) - slope_value @ v)
    response, hidden = -np.outer(v, v) * slopes, np.arange(len(v))
    response[:, hidden, hidden] += v * (label * grid.mean(tilted) / deviation - curvature @ v)
    return drive, response, *output_averages(grid.mean(value), products, v, label)


def _exact_signal_products(units, v, label):
    """Return <u_k u_l> in each cluster, (C, K, K), of one or two units.

    The error of the output is a sum of one share e_k = label / K - v_k g_k for each unit. With s_k = v_k g'_k, the
    average of u_1 u_2 is <s_1 s_2 (e_1 + e_2)^2>, a sum of averages over one function of each field.
    """
    _, correlation, grid, value, slope = units
    share, s = label[..., None] / len(v) - v[:, None] * value, v[:, None] * slope
    alone = grid.mean((s * share) ** 2)
    if len(v) == 1:
        return alone[..., None]
    functions = [s, s * share, s * share**2, s**2, s**2 * share, share, share**2]
    wanted = [(2, 0), (1, 1), (4, 5), (3, 6)]
    outer, inner, mixed, squares = pair_averages(grid, correlation, functions, wanted)
    noise, unit, other = outer + outer.swapaxes(1, 2) + 2 * inner, [0, 1], [1, 0]
    noise[:, unit, unit] = alone + 2 * mixed[:, unit, other] + squares[:, unit, other]
    return noise


def _units(activation, M, covariance):
    """Return deviations and correlations of the fields, their grid, and values and slopes (C, K, n) of the units."""
    deviation, correlation = _standardised(covariance)
    grid = resolved_grid(activation, M, np.broadcast_to(deviation, M.shape))
    return deviation, correlation, grid, *values_and_slopes(activation, grid.fields)


def values_and_slopes(activation: Activation, fields: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return g and g' of an array of any shape, from the table of the activation if the table is fine and holds all
    fields.
    """
    if activation.fine_table is None or not np.abs(fields).max(initial=0) < REACH:
        return activation.value(fields), activation.slope(fields)
    values, slopes = np.empty((2, *fields.shape))
    table_values_and_slopes(activation.fine_table, fields.ravel(), values.ravel(), slopes.ravel())
    return values, slopes


def signal_products(
    activation: Activation, M: np.ndarray, v: np.ndarray, labels: np.ndarray, deviations: np.ndarray
) -> np.ndarray:
    """Return <u_k u_l> in each cluster, (C, K, K), over points with these deviations (n, K) from the means M."""
    if _in_table(activation, M, deviations):
        return _tabulated_products(activation.fine_table, M, v, labels, np.ascontiguousarray(deviations.T))
    products = np.zeros((*M.shape, len(v)))
    for start in range(0, len(deviations), _POINTS):
        signals = _signals(activation, M, v, labels, deviations[start : start + _POINTS].T)
        products += signals @ signals.swapaxes(1, 2)
    return products / len(deviations)


def _in_table(activation, M, deviations):
    """Return whether the activation has a fine table that holds all fields."""
    return activation.fine_table is not None and np.abs(M).max() + np.abs(deviations).max() < REACH


def _signals(activation, M, v, labels, deviations):
    """Return u (C, K, n) at deviations (K, n)."""
    fields = M[..., None] + deviations
    error = labels[:, None] - v @ activation.value(fields)
    return v[:, None] * activation.slope(fields) * error[:, None]


@njit(cache=True)
def _tabulated_products(table, M, v, labels, deviations):
    """Return <u_k u_l> (C, K, K) over points with deviations (K, n), from the table of the activation."""
    hidden, points = deviations.shape
    block = min(points, _TABULATED)
    products, signals = np.zeros((len(M), hidden, hidden)), np.empty((hidden, block))
    fields, values, error = np.empty((3, block))
    for start in range(0, points, block):
        size = min(points - start, block)
        for a in range(len(M)):
            error[:] = labels[a]
            for k in range(hidden):
                for i in range(size):
                    fields[i] = M[a, k] + deviations[k, start + i]
                table_values_and_slopes(table, fields[:size], values, signals[k])
                for i in range(size):
                    error[i] -= v[k] * values[i]
            for k in range(hidden):
                for i in range(size):
                    signals[k, i] *= v[k] * error[i]
            _add_products(signals[:, :size], products[a])
    return products / points


@njit(cache=True, fastmath={"reassoc", "contract"})  # lets the compiler add several terms at a time
def _add_products(signals, products):
    """Add the sums over points of all products of signals (K, n) to `products` (K, K)."""
    for k in range(len(signals)):
        for j in range(k + 1):
            total = 0.0
            for i in range(signals.shape[1]):
                total += signals[k, i] * signals[j, i]
            products[k, j] += total
            if j != k:
                products[j, k] += total


def series_value(activation: Activation, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return the averages as `UnitAverages.values` does."""
    grid = resolved_grid(activation, mean, np.broadcast_to(np.sqrt(variance), mean.shape))
    return grid.mean(activation.value(grid.fields))


def series_products(activation: Activation, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the averages as `UnitAverages.products` does."""
    deviation, correlation = _standardised(covariance)
    grid = resolved_grid(activation, *np.broadcast_arrays(mean, deviation))
    return pair_averages(grid, correlation, [activation.value(grid.fields)], [(0, 0)])[0]


def _standardised(covariance):
    """Return standard deviations (..., K) and correlations (..., K, K)."""
    deviation = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    # values outside [-1, 1] are rounding errors
    correlation = np.clip(covariance / (deviation[..., :, None] * deviation[..., None, :]), -1, 1)
    correlation[..., *np.diag_indices(covariance.shape[-1])] = 1
    return deviation, correlation


def series_distribution(
    activation: Activation, mean: np.ndarray, deviation: np.ndarray, order: int
) -> tuple[np.ndarray, ...]:
    """Return the distribution as `UnitAverages.feature_distribution` does."""
    means, deviations = mean.ravel(), np.broadcast_to(deviation, mean.shape).ravel()
    parts = [
        _distribution(activation, means[start : start + _BLOCK], deviations[start : start + _BLOCK], order)
        for start in range(0, mean.size, _BLOCK)
    ]
    joined = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    return tuple(part.reshape(*part.shape[:-1], *mean.shape) for part in joined)


def _distribution(activation, mean, deviation, order):
    grid = resolved_grid(activation, mean[..., None], deviation[..., None])  # treats each field on its own
    value = activation.value(grid.fields)
    coefficients = np.moveaxis(grid.coefficients(value, order)[..., 0, :], -1, 0)
    centred = value - coefficients[0][..., None, None]
    return coefficients[0], grid.mean(centred**2)[..., 0], coefficients[1:]


def series_rest(activation: Activation, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Return the variance (n,) of units without their linear part, for fields of mean and deviation (n,).

    It is an average of squares, so that no digits cancel.
    """
    return np.concatenate(
        [
            _rest(activation, mean[start : start + _BLOCK, None], deviation[start : start + _BLOCK, None])
            for start in range(0, len(mean), _BLOCK)
        ]
    )


def _rest(activation, mean, deviation):
    grid = resolved_grid(activation, mean, deviation)  # treats each field on its own
    value = activation.value(grid.fields)
    constant, linear = np.moveaxis(grid.coefficients(value, 1)[..., None], -2, 0)
    return grid.mean((value - constant - linear * grid.z[..., None, :]) ** 2)[:, 0]


def sampled_sign_errors(
    activation: Activation, M: np.ndarray, covariance: np.ndarray, v: np.ndarray, labels: np.ndarray, nodes: Nodes
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities as `UnitAverages.sign_errors` does, for any activation.

    The averages use only the points of the nodes.
    """
    shared = covariance.ndim == 2
    deviations = nodes.points(covariance)[None] if shared else np.stack([nodes.points(C) for C in covariance])
    if _in_table(activation, M, deviations):
        return _tabulated_signs(activation.fine_table, M, v, labels, np.ascontiguousarray(deviations.swapaxes(1, 2)))
    margin = labels[:, None] * (activation(M[:, None] + deviations) @ v)
    return np.mean(margin < 0, axis=1), np.mean(margin == 0, axis=1)


@njit(cache=True)
def _tabulated_signs(table, M, v, labels, deviations):
    """Return the probabilities from the table of the activation; deviations (1 or C, K, n)."""
    clusters, hidden = M.shape
    size = deviations.shape[2]
    wrong, zero = np.zeros(clusters), np.zeros(clusters)
    fields, values, output = np.empty(size), np.empty(size), np.empty(size)
    for a in range(clusters):
        row = min(a, len(deviations) - 1)
        output[:] = 0.0
        for k in range(hidden):
            for i in range(size):
                fields[i] = M[a, k] + deviations[row, k, i]
            table_values(table, fields, values)
            for i in range(size):
                output[i] += v[k] * values[i]
        for i in range(size):
            wrong[a] += labels[a] * output[i] < 0
            zero[a] += output[i] == 0
        wrong[a] /= size
        zero[a] /= size
    return wrong, zero
