"""Averages over jointly Gaussian pre-activations a, b, c, d, in closed form: more of them than the equations need.

A function is named after the factors of its average, in the order of the fields: `value` is g(.), `slope` is g'(.) and
`field` the pre-activation itself, so `erf_slope_field_value` is <g'(a) b g(c)>. Means have shape (..., n) and
covariances (..., n, n) with the n fields of the average in that order; leading dimensions broadcast.
"""

import numpy as np

from twolayer.theory.averages.gaussian_integrals import (
    erf_pair,
    erf_value,
    normal_cdf,
    normal_density,
    relu_pair,
    relu_value,
    tilt,
)

__all__ = ["erf_value", "relu_value"]


def erf_value_value(mean, covariance):
    """<g(a) g(b)>."""
    return erf_pair(mean[..., 0], mean[..., 1], covariance[..., 0, 0], covariance[..., 1, 1], covariance[..., 0, 1])


def erf_slope_field(mean, covariance):
    """<g'(a) b>."""
    factor, mean, _ = tilt(mean, covariance)
    return factor[..., 0] * mean[..., 0, 1]


def erf_slope_field_value(mean, covariance):
    """<g'(a) b g(c)>."""
    factor, mean, covariance = tilt(mean, covariance)
    (field, value), variance = np.moveaxis(mean[..., 0, 1:3], -1, 0), covariance[..., 0, 2, 2]
    slope = 2 * normal_density(value / np.sqrt(1 + variance)) / np.sqrt(1 + variance)
    return factor[..., 0] * (field * erf_value(value, variance) + covariance[..., 0, 1, 2] * slope)


def erf_slope_slope_value_value(mean, covariance):
    """<g'(a) g'(b) g(c) g(d)>."""
    first, mean, covariance = tilt(mean, covariance)
    second, mean, covariance = tilt(mean[..., 0, :], covariance[..., 0, :, :])
    return first[..., 0] * second[..., 1] * erf_value_value(mean[..., 1, 2:], covariance[..., 1, 2:, 2:])


def relu_slope_field(mean, covariance):
    """<g'(a) b>."""
    deviation = np.sqrt(covariance[..., 0, 0])
    h = mean[..., 0] / deviation
    return mean[..., 1] * normal_cdf(h) + covariance[..., 0, 1] / deviation * normal_density(h)


def relu_slope_field_value(mean, covariance):
    """<g'(a) b g(c)>."""
    both_on, slope_value, edge_value = relu_pair(
        mean[..., 0], mean[..., 2], covariance[..., 0, 0], covariance[..., 2, 2], covariance[..., 0, 2]
    )
    return mean[..., 1] * slope_value + covariance[..., 0, 1] * edge_value + covariance[..., 1, 2] * both_on


def relu_value_value(mean, covariance):
    """<g(a) g(b)>."""
    with_own_field = [0, 0, 1]  # g(a) = g'(a) a
    return relu_slope_field_value(mean[..., with_own_field], covariance[..., with_own_field, :][..., with_own_field])
