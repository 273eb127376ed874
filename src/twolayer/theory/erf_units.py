"""Averages of erf units, all in closed form.

Source: refinetti2021, order-parameter equations.
"""

import numpy as np

from twolayer.theory.gaussian_integrals import (
    erf_field_and_value,
    erf_pair,
    erf_value,
    output_averages,
    pair_moments,
    tilt,
)
from twolayer.theory.nodes import Nodes


def erf_local_fields(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, _: Nodes
) -> tuple[np.ndarray, ...]:
    """As `UnitAverages.local_fields`; no nodes are used."""
    hidden = np.arange(len(v))
    factor, mean, tilted = tilt(M, covariance)  # mean (C, k, i), tilted (k, i, j): the law weighted with g'(lambda_k)
    variance = np.diagonal(tilted, axis1=-2, axis2=-1)
    error = label - erf_value(mean, variance) @ v
    own_mean, own_covariance = mean[:, hidden, hidden, None], tilted[hidden, hidden]
    own_output = erf_field_and_value(own_mean, own_covariance, mean, variance) @ v
    curvature = factor * (own_output - label * own_mean[..., 0])  # <g''(lambda_k) err>, as g''(x) = -x g'(x)

    second_factor, second_mean, second_tilted = tilt(mean, tilted)  # weighted with g'(lambda_j) as well
    slopes = factor[..., None] * second_factor
    response = -np.outer(v, v) * slopes
    response[:, hidden, hidden] += v * curvature
    k, j = np.triu_indices(len(v))
    squared_error = _squared_error(second_mean[:, k, j], second_tilted[k, j], v, label)
    noise = np.empty_like(slopes)
    noise[:, k, j] = noise[:, j, k] = v[k] * v[j] * slopes[:, k, j] * squared_error

    outputs = output_averages(erf_value(M, np.diag(covariance)), erf_products(M, covariance), v, label)
    return v * factor * error, response, noise, *outputs


def erf_products(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """As `UnitAverages.products`."""
    return erf_pair(*pair_moments(mean, covariance))


def _squared_error(mean, covariance, v, label):
    """<err^2> for local fields (..., K) of that law."""
    a, b = np.triu_indices(len(v))
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    products = erf_pair(mean[..., a], mean[..., b], variance[..., a], variance[..., b], covariance[..., a, b])
    return label**2 - 2 * label * (erf_value(mean, variance) @ v) + products @ (np.where(a == b, 1, 2) * v[a] * v[b])
