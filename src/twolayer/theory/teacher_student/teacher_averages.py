"""Averages over the pre-activations of a student and of its teacher.

All fields z = (lambda, nu) are normal with mean 0 and covariance C = ((Q, R), (R^T, T)). With output weights
u = (v, -A) the error err = label - output is -sum_a u_a g(z_a), and the signal that reaches hidden unit k is
s_k = v_k g'(z_k) err. The equations of motion need

    response_ka = <d s_k / d z_a>,   noise_kl = <s_k s_l>,   readout_k = <err g(z_k)>,

with which <s_k x> = sum_a response_ka Cov(z_a, x) for inputs x. In this form no determinant vanishes if units align.

Source: goldt2021, equations of motion; own derivation of this form.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.polynomial import Chebyshev, Polynomial

from twolayer.model.networks.activations import Activation, as_activation
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.theory.averages.units import unit_averages

FAST = {"reassoc", "contract", "nsz", "arcp"}  # fast arithmetic that still distinguishes NaN and infinity from numbers


class Averages(NamedTuple):
    """response (K, K + M), noise (K, K) and readout (K,)."""

    response: np.ndarray
    noise: np.ndarray
    readout: np.ndarray


class _Room(NamedTuple):
    """A tilted covariance (K + M, K + M); 1 / sqrt(1 + its diagonal); and all averages <g(z_a) g(z_b)>, as angles."""

    tilted: np.ndarray
    root: np.ndarray
    angles: np.ndarray


def field_covariance(order: OrderParameters) -> np.ndarray:
    """Return the covariance C (..., K + M, K + M) of all pre-activations."""
    T = np.broadcast_to(order.T, (*order.Q.shape[:-2], *order.T.shape[-2:]))
    return np.block([[order.Q, order.R], [np.swapaxes(order.R, -1, -2), T]])


def teacher_pmse(order: OrderParameters, v: np.ndarray, A: np.ndarray, *, activation: Activation) -> np.ndarray:
    """Return half the mean squared error (...), without sampling.

    Args:
        order: order parameters with any leading axes, such as time. v: (..., K), with the same axes. A: (M,).

    Source: goldt2021, generalisation error.
    """
    C = field_covariance(order)
    products = unit_averages(as_activation(activation)).products(np.zeros(C.shape[:-1]), C)
    u = np.concatenate([v, np.broadcast_to(-A, (*v.shape[:-1], len(A)))], axis=-1)
    return 0.5 * np.einsum("...a,...ab,...b->...", u, products, u)


@njit(cache=True)
def averages_room(hidden, fields):
    """Return arrays for the averages, and for intermediate results."""
    angles = hidden * fields + hidden * (hidden + 1) * fields * (fields + 1) // 4
    averages = Averages(np.empty((hidden, fields)), np.empty((hidden, hidden)), np.empty(hidden))
    return averages, _Room(np.empty((fields, fields)), np.empty(fields), np.empty(angles))


@njit(cache=True, fastmath=FAST, error_model="numpy")
def erf_averages(C, u, averages, room, full):
    """Fill the averages of erf units, from the fields' covariance C and output weights u.

    Args:
        averages, room: from `averages_room`. full: whether to fill the noise, which costs most; else it is zero.
    """
    response, noise, readout = averages
    (tilted, root, angles), hidden, fields = room, readout.size, u.size
    pairs, start = fields * (fields + 1) // 2, hidden * fields
    for k in range(hidden):
        spread, curvature = 1 + C[k, k], 0.0
        for a in range(fields):
            joint = spread * (1 + C[a, a])
            slopes = 2 / math.pi / math.sqrt(joint - C[k, a] ** 2)  # <g'(z_k) g'(z_a)>
            response[k, a] = -u[k] * u[a] * slopes
            curvature += u[a] * slopes * C[k, a] / spread  # <g''(z_k) err>, as g''(x) = -x g'(x)
            angles[k * fields + a] = C[k, a] / math.sqrt(joint)
        if full:
            for a in range(fields):
                for b in range(a + 1):  # the distribution weighted with g'(z_k)
                    tilted[a, b] = tilted[b, a] = C[a, b] - C[a, k] * C[b, k] / spread
            for j in range(k + 1):
                noise[k, j] = -response[k, j]
                _tilted_cosines(tilted, j, root, angles[start : start + pairs])
                start += pairs
        response[k, k] += u[k] * curvature
    _to_arcsines(angles[:start])
    start = hidden * fields
    for k in range(hidden):
        readout[k] = 0.0
        for a in range(fields):
            readout[k] -= 2 / math.pi * u[a] * angles[k * fields + a]
        for j in range(k + 1):
            if full:
                noise[k, j] *= 2 / math.pi * _quadratic_form(u, angles[start : start + pairs])
                start += pairs
            else:
                noise[k, j] = 0.0
            noise[j, k] = noise[k, j]


@njit(cache=True, fastmath=FAST, error_model="numpy")
def _tilted_cosines(C, j, root, cosines):
    """Return sin of pi / 2 <g(z_a) g(z_b)>, for b <= a, in the distribution weighted with g'(z_j)."""
    spread, pair = 1 + C[j, j], 0
    for a in range(root.size):
        root[a] = 1 / math.sqrt(1 + C[a, a] - C[a, j] ** 2 / spread)
        for b in range(a + 1):
            cosines[pair] = (C[a, b] - C[a, j] * C[b, j] / spread) * root[a] * root[b]
            pair += 1


@njit(cache=True, fastmath=FAST, error_model="numpy")
def _quadratic_form(u, lower):
    """Return sum_ab u_a u_b S_ab from the lower half of S, row by row."""
    total, pair = 0.0, 0
    for a in range(u.size):
        row = 0.5 * u[a] * lower[pair + a]
        for b in range(a):
            row += u[b] * lower[pair + b]
        total += 2 * u[a] * row
        pair += a + 1
    return total


def _arcsine_series(terms):
    """Return falling coefficients of (asin(sqrt s) / sqrt s - 1) / s in powers of s, for s up to 1/4, by
    interpolation.
    """
    s = (1 + np.cos(np.pi * (np.arange(terms) + 0.5) / terms)) / 8
    fit = Chebyshev.fit(s, (np.arcsin(np.sqrt(s)) / np.sqrt(s) - 1) / s, terms - 1, domain=[0, 1 / 4])
    return tuple(fit.convert(kind=Polynomial).coef[::-1].tolist())


_SERIES = _arcsine_series(13)


@njit(cache=True, fastmath=FAST, error_model="numpy")
def _to_arcsines(x):
    """Replace x by its arcsine, to about 2e-16, several at a time, unlike math.asin."""
    for i in range(x.size):
        size = abs(x[i])
        outer = size > 0.5  # here asin x = pi / 2 - 2 asin sqrt((1 - x) / 2)
        s = 0.5 * (1 - size) if outer else size * size
        root = math.sqrt(s) if outer else size
        series = 0.0
        for coefficient in _SERIES:
            series = series * s + coefficient
        root += root * s * series
        x[i] = math.copysign(0.5 * math.pi - 2 * root if outer else root, x[i])
