"""Averages over the local fields of a two-layer network, for inputs from a Gaussian mixture.

In cluster a the local fields of the K hidden units are normal with mean M_a and a covariance common to all clusters.
With the error err = label - output and the signal u_k = v_k g'(lambda_k) err that reaches hidden unit k, everything
that the order-parameter equations need is an average over that law. erf and linear units have closed forms for all of
them, relu units for all but <u_k u_l>, which is integrated exactly along lines through quasi-random points.

Source: refinetti2021, order-parameter equations.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numba import njit
from scipy.special import ndtri
from scipy.stats import qmc

from twolayer.model.activations import ERF, RELU, Activation
from twolayer.model.mixtures import IsotropicMixture, SpectralMixture
from twolayer.theory.gaussian_integrals import (
    erf_field_and_value,
    erf_pair,
    erf_value,
    normal_cdf,
    normal_density,
    relu_pair,
    relu_value,
    tilt,
)

_FAR = 40.0  # standard deviations at which the normal density underflows


def sobol_normals(dimension: int, log2_size: int, seed: int) -> np.ndarray:
    """Scrambled Sobol points (2**log2_size, dimension) of the standard normal distribution."""
    sobol = qmc.Sobol(dimension, scramble=True, rng=np.random.default_rng(seed))
    return ndtri(np.clip(sobol.random_base2(log2_size), 1e-12, 1 - 1e-12))


@dataclass(frozen=True)
class Nodes:
    """Quasi-random lines in the space of the local fields.

    A line lets one combination of the local fields vary, through a point drawn for all the rest. Any choice of the
    combination is right; averages converge fast, and are smooth in the parameters, where no unit is nearly independent
    of it. A choice is kept until `aligned` makes a new one, since derivatives need it fixed.

    Attributes:
        normals: (n, K) points of the standard normal distribution.
        direction: (K,) coefficients of the combination.
        frame: (K, K) rotation of the points; its first columns belong to the largest variances.
    """

    normals: np.ndarray
    direction: np.ndarray
    frame: np.ndarray

    def aligned(self, covariance: np.ndarray) -> "Nodes":
        """The same points, with the combination that correlates best with the unit it correlates least with."""
        candidates = self.normals / np.sqrt(np.diag(covariance))
        shared = candidates @ covariance
        correlation = shared**2 / (np.sum(shared * candidates, axis=1)[:, None] * np.diag(covariance))
        direction = candidates[np.argmax(correlation.min(axis=1))]
        slope = _slope(direction, covariance)
        frame = np.linalg.eigh(covariance - np.outer(slope, slope))[1][:, ::-1]
        return replace(self, direction=direction, frame=frame)

    def lines(self, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Deviations of the local fields from their mean: points (n, K) + t * slope (K,), t standard normal."""
        slope = _slope(self.direction, covariance)
        # the symmetric root is smooth where eigenvalues cross, which eigenvectors are not
        return self.normals @ (self.frame.T @ _square_root(covariance - np.outer(slope, slope))), slope


def sobol_nodes(hidden: int, log2_size: int, seed: int) -> Nodes:
    """2**log2_size lines for `hidden` units, not aligned yet."""
    normals = sobol_normals(hidden, log2_size, seed)
    return Nodes(normals, direction=normals[0], frame=np.eye(hidden))


def _slope(direction, covariance):
    shared = covariance @ direction
    return shared / np.sqrt(direction @ shared)


def _square_root(covariance):
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    return (eigenvectors * np.sqrt(np.maximum(eigenvalues, 0))) @ eigenvectors.T  # below zero is rounding


@dataclass(frozen=True)
class LocalFieldAverages:
    """Averages over the local fields in each of C clusters; f is the network's output.

    Attributes:
        drive: (C, K) <u_k>.
        response: (C, K, K) <d u_k / d lambda_j>, by which <u_k z> = <u_k> <z> + sum_j response_kj Cov(lambda_j, z).
        noise: (C, K, K) <u_k u_l>.
        readout: (C, K) <err g(lambda_k)>.
        pmse: <err^2> / 2 over the whole mixture.
    """

    drive: np.ndarray
    response: np.ndarray
    noise: np.ndarray
    readout: np.ndarray
    pmse: float


def local_field_averages(
    M: np.ndarray,
    covariance: np.ndarray,
    v: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    activation: Activation,
    nodes: Nodes,
) -> LocalFieldAverages:
    """All averages that the order-parameter equations need.

    Args:
        M: (C, K) means of the local fields. covariance: (K, K) of the local fields, possibly singular.
        v: (K,) second layer. labels, weights: (C,) of the clusters.
        nodes: used for the noise of relu units alone.

    Source: refinetti2021, order-parameter equations.
    """
    averages = {ERF: _erf_averages, RELU: _relu_averages}.get(activation, _linear_averages)
    drive, response, noise, readout, squared_error = averages(M, covariance, v, labels[:, None], nodes)
    return LocalFieldAverages(drive, response, noise, readout, 0.5 * float(weights @ squared_error))


def _linear_averages(M, covariance, v, label, _):
    error = label - (M @ v)[:, None]
    squared_error = error[:, 0] ** 2 + v @ covariance @ v
    noise = squared_error[:, None, None] * np.outer(v, v)
    response = np.broadcast_to(-np.outer(v, v), noise.shape)
    return error * v, response, noise, error * M - covariance @ v, squared_error


def _erf_averages(M, covariance, v, label, _):
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
    squared_error = _erf_squared_error(second_mean[:, k, j], second_tilted[k, j], v, label)
    noise = np.empty_like(slopes)
    noise[:, k, j] = noise[:, j, k] = v[k] * v[j] * slopes[:, k, j] * squared_error

    products = erf_pair(*_pairs(M, covariance))
    return v * factor * error, response, noise, *_output(erf_value(M, np.diag(covariance)), products, v, label)


def _erf_squared_error(mean, covariance, v, label):
    """<err^2> for local fields (..., K) of that law."""
    a, b = np.triu_indices(len(v))
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    products = erf_pair(mean[..., a], mean[..., b], variance[..., a], variance[..., b], covariance[..., a, b])
    return label**2 - 2 * label * (erf_value(mean, variance) @ v) + products @ (np.where(a == b, 1, 2) * v[a] * v[b])


def _pairs(M, covariance):
    """The moments of every two local fields."""
    variance = np.diag(covariance)
    return M[:, :, None], M[:, None, :], variance[:, None], variance, covariance


def _output(values, products, v, label):
    """<err g(lambda_k)> and <err^2> from <g(lambda_k)> and <g(lambda_k) g(lambda_l)>."""
    readout = label * values - products @ v
    return readout, label[:, 0] * (label[:, 0] - values @ v) - readout @ v


def _relu_averages(M, covariance, v, label, nodes):
    hidden, variance = np.arange(len(v)), np.diag(covariance)
    both_on, slope_value, edge_value = relu_pair(*_pairs(M, covariance))
    products = M[:, :, None] * slope_value + variance[:, None] * edge_value + covariance * both_on
    drive = v * (label * both_on[:, hidden, hidden] - slope_value @ v)
    deviation = np.sqrt(variance)
    response = -np.outer(v, v) * both_on
    response[:, hidden, hidden] += v * (label * normal_density(M / deviation) / deviation - edge_value @ v)
    points, slope = nodes.lines(covariance)
    noise = np.outer(v, v) * _squared_error_where_on(M, v, label[:, 0], points, slope)
    return drive, response, noise, *_output(relu_value(M, variance), products, v, label)


@njit(cache=True)
def _switches(mean, point, slope, fields, at, order):
    """Local fields at t = 0, where along its line each unit switches, and the units in the order in which they do."""
    for k in range(len(mean)):
        fields[k] = mean[k] + point[k]
        at[k] = min(max(-fields[k] / slope[k], -_FAR), _FAR) if slope[k] != 0 else math.copysign(_FAR, -fields[k])
        rank = k
        while rank > 0 and at[order[rank - 1]] > at[k]:
            order[rank] = order[rank - 1]
            rank -= 1
        order[rank] = k


@njit(cache=True)
def _line_error(label, v, fields, slope):
    """The error err = offset + gradient * t at the lower end of a line, where the units with falling field are on."""
    offset, gradient = label, 0.0
    for k in range(len(v)):
        if slope[k] < 0:
            offset -= v[k] * fields[k]
            gradient -= v[k] * slope[k]
    return offset, gradient


@njit(cache=True)
def _squared_error_below(label, v, fields, slope, at, order, below):
    """Integral of err^2 along a line: up to each unit's switch, in `below`, and the whole."""
    offset, gradient = _line_error(label, v, fields, slope)
    total, last_cdf, last_density, last_edge = 0.0, 0.0, 0.0, 0.0
    for rank in range(len(v) + 1):
        cdf, density, edge = 1.0, 0.0, 0.0
        if rank < len(v):
            t = at[order[rank]]
            cdf, density = normal_cdf(t), normal_density(t)
            edge = t * density
        mass, first, second = cdf - last_cdf, last_density - density, cdf - last_cdf + last_edge - edge
        total += offset * offset * mass + 2 * offset * gradient * first + gradient * gradient * second
        if rank < len(v):
            k = order[rank]
            below[k] = total
            turn = 1 if slope[k] >= 0 else -1
            offset -= turn * v[k] * fields[k]
            gradient -= turn * v[k] * slope[k]
        last_cdf, last_density, last_edge = cdf, density, edge
    return total


@njit(cache=True)
def _squared_error_where_on(M, v, labels, points, slope):
    """<g'(lambda_k) g'(lambda_l) err^2> of relu units in each cluster, (C, K, K)."""
    clusters, hidden = M.shape
    result = np.zeros((clusters, hidden, hidden))
    fields, at, below, order = np.empty(hidden), np.empty(hidden), np.empty(hidden), np.empty(hidden, np.int64)
    for cluster in range(clusters):
        for point in points:
            _switches(M[cluster], point, slope, fields, at, order)
            total = _squared_error_below(labels[cluster], v, fields, slope, at, order, below)
            for k in range(hidden):
                for j in range(k + 1):
                    result[cluster, k, j] += _overlap(slope[k] >= 0, slope[j] >= 0, below[k], below[j], total)
        for k in range(hidden):
            for j in range(k + 1):
                result[cluster, k, j] /= len(points)
                result[cluster, j, k] = result[cluster, k, j]
    return result


@njit(cache=True)
def _overlap(k_rises, j_rises, below_k, below_j, total):
    """What an increasing integral gathers where two units are on: a rising unit above its switch, another below it."""
    if k_rises and j_rises:
        return total - max(below_k, below_j)
    if k_rises:
        return max(below_j - below_k, 0.0)
    if j_rises:
        return max(below_k - below_j, 0.0)
    return min(below_k, below_j)


def classification_error(
    M: np.ndarray,
    covariance: np.ndarray,
    v: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    activation: Activation,
    nodes: Nodes,
) -> tuple[float, float]:
    """Probability of a wrong sign of the output, half of that of a zero output included; and the latter alone.

    Args: as for `local_field_averages`; linear units use no nodes, erf units the points alone.
    """
    if activation == RELU:
        points, slope = nodes.aligned(covariance).lines(covariance)
        wrong, zero = _sign_errors(M, v, labels, points, slope)
    elif activation == ERF:
        margin = labels[:, None] * (activation(M[:, None] + nodes.normals @ _square_root(covariance)) @ v)
        wrong, zero = np.mean(margin < 0, axis=1), np.mean(margin == 0, axis=1)
    else:
        wrong, zero = normal_cdf(-labels * (M @ v) / np.sqrt(v @ covariance @ v)), np.zeros(len(M))
    return float(weights @ (wrong + 0.5 * zero)), float(weights @ zero)


def network_errors(
    M: np.ndarray,
    covariance: np.ndarray,
    v: np.ndarray,
    mixture: IsotropicMixture | SpectralMixture,
    activation: Activation,
    nodes: Nodes,
) -> tuple[float, float, float]:
    """pmse, classification error and probability of a zero output; arguments as for `local_field_averages`."""
    law = (M, covariance, v, mixture.labels, mixture.weights, activation, nodes)
    return local_field_averages(*law).pmse, *classification_error(*law)


@njit(cache=True)
def _sign_errors(M, v, labels, points, slope):
    """P(label f < 0) and P(f = 0) of relu units in each cluster."""
    clusters, hidden = M.shape
    wrong, zero = np.zeros(clusters), np.zeros(clusters)
    fields, at, order = np.empty(hidden), np.empty(hidden), np.empty(hidden, np.int64)
    for cluster in range(clusters):
        for point in points:
            _switches(M[cluster], point, slope, fields, at, order)
            line_wrong, line_zero = _line_sign_error(labels[cluster], v, fields, slope, at, order)
            wrong[cluster] += line_wrong / len(points)
            zero[cluster] += line_zero / len(points)
    return wrong, zero


@njit(cache=True)
def _line_sign_error(label, v, fields, slope, at, order):
    """Probability along a line that label f < 0, and that f = 0 because no unit is on."""
    wrong, zero, lower = 0.0, 0.0, -_FAR
    on = np.sum((slope < 0) & (v != 0))
    offset, gradient = _line_error(0.0, v, fields, slope)  # of -f
    for rank in range(len(v) + 1):
        upper = at[order[rank]] if rank < len(v) else _FAR
        if on == 0:
            zero += normal_cdf(upper) - normal_cdf(lower)
        else:
            wrong += _mass_above_zero(label * offset, label * gradient, lower, upper)
        if rank < len(v):
            k = order[rank]
            turn = 1 if slope[k] >= 0 else -1
            on += turn if v[k] != 0 else 0
            offset -= turn * v[k] * fields[k]
            gradient -= turn * v[k] * slope[k]
        lower = upper
    return wrong, zero


@njit(cache=True)
def _mass_above_zero(offset, gradient, lower, upper):
    """Normal probability that offset + gradient * t > 0 and lower < t < upper."""
    if gradient == 0:
        return normal_cdf(upper) - normal_cdf(lower) if offset > 0 else 0.0
    root = min(max(-offset / gradient, lower), upper)
    return normal_cdf(upper) - normal_cdf(root) if gradient > 0 else normal_cdf(root) - normal_cdf(lower)
