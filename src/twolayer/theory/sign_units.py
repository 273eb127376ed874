"""Averages of sign units: no signal reaches the first layer, and products of outputs have closed forms."""

import numpy as np

from twolayer.theory.gaussian_integrals import bivariate_normal_cdf, normal_cdf, output_averages
from twolayer.theory.nodes import Nodes


def sign_local_fields(
    M: np.ndarray, covariance: np.ndarray, v: np.ndarray, label: np.ndarray, _: Nodes
) -> tuple[np.ndarray, ...]:
    """As `UnitAverages.local_fields`; no nodes are used."""
    silent = np.zeros((len(M), len(v), len(v)))
    return (
        silent[:, 0],
        silent,
        silent,
        *output_averages(sign_value(M, np.diag(covariance)), sign_products(M, covariance), v, label),
    )


def sign_value(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """As `UnitAverages.values`."""
    return 1 - 2 * normal_cdf(-mean / np.sqrt(variance))


def sign_products(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """As `UnitAverages.products`."""
    deviation = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    h, r = mean / deviation, covariance / (deviation[..., :, None] * deviation[..., None, :])
    both = bivariate_normal_cdf(h[..., :, None], h[..., None, :], np.clip(r, -1, 1))  # rounding can lead beyond
    above = normal_cdf(h)
    return 4 * both - 2 * above[..., :, None] - 2 * above[..., None, :] + 1
