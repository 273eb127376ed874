"""Averages of erf, relu and polynomial units over at most four pre-activations of mean 0, in closed form and compiled.

Units of a student and of its teacher may differ. If one factor of every pair in a product is a polynomial, the average
is a finite sum over how often each pair is contracted (Price's theorem):

    E f_1(x_1) ... f_n(x_n) = sum over n_ij of prod_(i<j) C_ij^n_ij / n_ij!  prod_i E f_i^(n_i),   n_i = sum_j n_ij,

where E f^(n) is the mean of the n-th derivative over one field.

Source: goldt2021, integrals of the equations of motion; own derivation of the contractions.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from twolayer.model.networks.activation_functions import SLOPE_AT_ZERO
from twolayer.model.networks.activations import ERF, RELU, Activation

ERF_UNIT, RELU_UNIT, POLYNOMIAL = range(3)


class UnitForm(NamedTuple):
    """An activation with closed averages.

    Attributes:
        code: erf, relu or polynomial. coefficients: coefficients of a polynomial in rising order; for others a single
            zero.
    """

    code: int
    coefficients: np.ndarray


def unit_form(activation: Activation) -> UnitForm | None:
    """Return the closed form of an activation, or None if it has none."""
    if activation in (ERF, RELU):
        return UnitForm(ERF_UNIT if activation == ERF else RELU_UNIT, np.zeros(1))
    coefficients = activation.polynomial
    return None if coefficients is None else UnitForm(POLYNOMIAL, coefficients)


@njit(cache=True)
def fill_derivative_means(form, variance, means):
    """Fill means[n] = E f^(n)(x) for x ~ N(0, variance)."""
    means[:] = 0.0
    if form.code == POLYNOMIAL:
        size = form.coefficients.size
        for n in range(min(size, means.size)):
            moment = 1.0  # E x^(p - n)
            for p in range(n, size, 2):
                factor = 1.0  # p! / (p - n)!
                for i in range(p - n + 1, p + 1):
                    factor *= i
                means[n] += form.coefficients[p] * factor * moment
                moment *= variance * (p - n + 1)
    elif form.code == ERF_UNIT:
        value = SLOPE_AT_ZERO / math.sqrt(1 + variance)
        for n in range(1, means.size, 2):
            means[n] = value
            value *= -n / (1 + variance)
    else:
        means[0] = math.sqrt(variance / (2 * math.pi))
        means[1] = 0.5
        value = 1 / math.sqrt(2 * math.pi * variance) if variance > 0 else math.inf
        for n in range(2, means.size, 2):
            means[n] = value
            value *= -(n - 1) / variance


@njit(cache=True)
def degree_of(form):
    """Return the degree of a polynomial; for other forms a number that no polynomial has as degree."""
    return form.coefficients.size - 1 if form.code == POLYNOMIAL else 99


@njit(cache=True)
def contracted(means_a, means_b, shift_a, shift_b, degree, c):
    """Return E f^(shift_a)(x) h^(shift_b)(y) from the derivative means of f and h, one of which is a polynomial.

    `degree` is the degree of the polynomial.
    """
    total, factor = 0.0, 1.0
    for n in range(degree + 1):
        if n + max(shift_a, shift_b) < means_a.size:
            total += factor * means_a[n + shift_a] * means_b[n + shift_b]
        factor *= c / (n + 1)
    return total


@njit(cache=True)
def erf_product(X, Y, c):
    """Return E f(x) f(y) of erf units, where x and y have variances X and Y and covariance c."""
    return 2 / math.pi * math.asin(c / math.sqrt((1 + X) * (1 + Y)))


@njit(cache=True)
def erf_slopes(X, Y, c):
    """Return E f'(x) f'(y) of erf units."""
    return 2 / math.pi / math.sqrt((1 + X) * (1 + Y) - c * c)


@njit(cache=True)
def pair_product(f, h, X, Y, c, means_f, means_h):
    """Return E f(x) h(y), where x and y have variances X and Y and covariance c."""
    if f.code == POLYNOMIAL or h.code == POLYNOMIAL:
        return contracted(means_f, means_h, 0, 0, min(degree_of(f), degree_of(h)), c)
    if f.code == ERF_UNIT and h.code == ERF_UNIT:
        return erf_product(X, Y, c)
    if f.code == ERF_UNIT:
        return c / math.sqrt(2 * math.pi * (1 + X))
    if h.code == ERF_UNIT:
        return c / math.sqrt(2 * math.pi * (1 + Y))
    r = _correlation(X, Y, c)
    return (math.sqrt(max(X * Y - c * c, 0.0)) + c * (0.5 * math.pi + math.asin(r))) / (2 * math.pi)


@njit(cache=True)
def pair_slopes(f, h, X, Y, c, means_f, means_h):
    """Return E f'(x) h'(y)."""
    if f.code == POLYNOMIAL or h.code == POLYNOMIAL:
        return contracted(means_f, means_h, 1, 1, min(degree_of(f), degree_of(h)) - 1, c)
    if f.code == ERF_UNIT and h.code == ERF_UNIT:
        return erf_slopes(X, Y, c)
    if f.code == ERF_UNIT:
        return 0.5 * SLOPE_AT_ZERO / math.sqrt(1 + X)
    if h.code == ERF_UNIT:
        return 0.5 * SLOPE_AT_ZERO / math.sqrt(1 + Y)
    return 0.25 + math.asin(_correlation(X, Y, c)) / (2 * math.pi)


@njit(cache=True)
def pair_curvature(f, h, X, Y, c, means_f, means_h):
    """Return E f''(x) h(y)."""
    if f.code == ERF_UNIT:  # f''(x) = -x f'(x)
        return -c / (1 + X) * pair_slopes(f, h, X, Y, c, means_f, means_h)
    if f.code == POLYNOMIAL or h.code == POLYNOMIAL:
        return contracted(means_f, means_h, 2, 0, min(degree_of(f) - 2, degree_of(h)), c)
    if h.code == ERF_UNIT:
        return 0.0
    return math.sqrt(max(Y - c * c / X, 0.0)) / (2 * math.pi * math.sqrt(X))


@njit(cache=True)
def _correlation(X, Y, c):
    return min(max(c / math.sqrt(X * Y), -1.0), 1.0)


@njit(cache=True)
def four_polynomials(slope_degree, degree_a, degree_b, k, j, a, b, C, means):
    """Return E g'(z_k) g'(z_j) f(z_a) h(z_b) of polynomials, from the derivative means (fields, n) of g, g, f and h."""
    total, at_k = 0.0, 1.0
    for kj in range(slope_degree + 1):
        at_ka = at_k
        for ka in range(min(slope_degree - kj, degree_a) + 1):
            at_kb = at_ka
            for kb in range(min(slope_degree - kj - ka, degree_b) + 1):
                weight = at_kb * means[k, 1 + kj + ka + kb]
                if weight != 0:
                    total += weight * _rest(slope_degree, degree_a, degree_b, j, a, b, kj, ka, kb, C, means)
                at_kb *= C[k, b] / (kb + 1)
            at_ka *= C[k, a] / (ka + 1)
        at_k *= C[k, j] / (kj + 1)
    return total


@njit(cache=True)
def _rest(slope_degree, degree_a, degree_b, j, a, b, kj, ka, kb, C, means):
    """Return the sum over contractions among j, a and b, after all contractions with k."""
    total, at_j = 0.0, 1.0
    for ja in range(min(slope_degree - kj, degree_a - ka) + 1):
        at_jb = at_j
        for jb in range(min(slope_degree - kj - ja, degree_b - kb) + 1):
            weight = at_jb * means[j, 1 + kj + ja + jb]
            if weight != 0:
                at_ab = weight
                for ab in range(min(degree_a - ka - ja, degree_b - kb - jb) + 1):
                    total += at_ab * means[a, ka + ja + ab] * means[b, kb + jb + ab]
                    at_ab *= C[a, b] / (ab + 1)
            at_jb *= C[j, b] / (jb + 1)
        at_j *= C[j, a] / (ja + 1)
    return total
