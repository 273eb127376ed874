"""Second moments of functions of jointly Gaussian fields, by Mehler's formula.

For fields z_i = s_i g_i, g_i standard normal with correlations rho_ij, and normalised Hermite polynomials he_l,

    E phi(z_i) psi(z_j) = sum_l a_il b_jl rho_ij^l,    a_il = E he_l(g) phi(s_i g),    b_jl = E he_l(g) psi(s_j g).

The error of the terms up to L is at most |rho_ij|^(L + 1) times the root of E phi^2 E psi^2, for any functions.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numba import njit
from numpy.polynomial.polynomial import polyval

from twolayer.errors import NotConverged
from twolayer.model.networks.hermite_expansion import half_line_nodes, hermite_basis

TOLERANCE = 1e-7  # error of any moment, in units of the root of the powers
MAX_DEGREE = 2000
MAX_PANELS = 256
_PAIRS = 64  # number of pairs whose series are summed together

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class HermiteSeries:
    """The function phi(z_i) of k fields with one deviation each, in normalised Hermite polynomials.

    Attributes:
        coefficients: (k, L + 1) a_il. power: (k,) E phi(z_i)^2.
    """

    coefficients: np.ndarray
    power: np.ndarray

    @property
    def degree(self) -> int:
        """The degree L."""
        return self.coefficients.shape[1] - 1


def hermite_series(
    function: Function, deviation: np.ndarray, correlation: float, degree: int | None = None
) -> HermiteSeries:
    """Return the series of a function, exact to `TOLERANCE` even if the function has a kink at zero.

    Args:
        function: maps an array to an array of the same shape. deviation: (k,) s_i.
        correlation: largest absolute correlation of one of these fields with any other.
        degree: L; by default, the smallest degree that suffices for this correlation.

    Raises:
        NotConverged: degree or quadrature nodes would grow beyond `MAX_DEGREE` or `MAX_PANELS`.
    """
    widest = np.array([deviation.max()])  # the field that needs the most panels
    degree = _degree(function, widest, abs(correlation)) if degree is None else degree
    return _integrate(function, deviation, degree, _panels(function, widest, degree))


def _degree(function, deviation, correlation):
    """Return the degree beyond which the moment of two fields is below the tolerance."""
    degree = 2
    while degree <= MAX_DEGREE:
        series = _integrate(function, deviation, degree, _panels(function, deviation, degree))
        rest = series.power[0] - np.sum(series.coefficients**2)
        if rest * correlation ** (degree + 1) <= TOLERANCE * series.power[0]:
            return degree
        degree = 2 * degree
    raise NotConverged(
        f"two pre-activations have the correlation {correlation:.6g}, for which the Hermite series of the activation "
        f"needs a degree beyond {MAX_DEGREE}: make spikes or step smaller"
    )


def _panels(function, deviation, degree):
    """Return the number of panels of nodes on either side of zero that the coefficients need."""
    panels, probe = 1, _integrate(function, deviation, degree, 1)
    while panels < MAX_PANELS:
        finer = _integrate(function, deviation, degree, 2 * panels)
        error = np.abs(finer.coefficients - probe.coefficients).max()
        if error <= TOLERANCE * math.sqrt(finer.power[0]):
            return panels
        panels, probe = 2 * panels, finer
    raise NotConverged(
        f"coefficients of a Hermite series still change by {error:.2g} with {panels} panels of nodes: use an "
        "activation that is less steep, and has no kink elsewhere than at zero"
    )


def _integrate(function, deviation, degree, panels):
    g, weights, polynomials = _nodes(degree, panels)
    values = function(deviation[:, None] * g)
    return HermiteSeries(values @ polynomials, values**2 @ weights)


@cache
def _nodes(degree, panels):
    """Return nodes, their weights, and (nodes, degree + 1) weighted normalised Hermite polynomials."""
    g, weights = half_line_nodes(panels)
    return g, weights, (hermite_basis(g, degree) * weights).T


def largest_correlation(covariance: np.ndarray, deviation: np.ndarray) -> float:
    """Return the largest absolute correlation of two different fields."""
    return float(_largest_correlation(covariance, 1 / deviation))


def cross_moments(series: HermiteSeries, other: HermiteSeries, correlation: np.ndarray) -> np.ndarray:
    """Return E phi(z_i) psi(z) (k,) for one further field z.

    Args:
        other: series of the further field. correlation: (k,) of the further field with the others.
    """
    return polyval(correlation, (series.coefficients * other.coefficients).T, tensor=False)


def add_second_moments(
    total: np.ndarray, series: HermiteSeries, covariance: np.ndarray, deviation: np.ndarray, weight: float
) -> None:
    """Add E phi(z_i) phi(z_j) to a (k, k) matrix, with a weight.

    Args:
        covariance: (k, k) of the fields. deviation: (k,) roots of its diagonal.
    """
    _add(total, np.ascontiguousarray(series.coefficients.T), covariance, 1 / deviation, TOLERANCE, weight)
    total.flat[:: len(total) + 1] += weight * series.power


@njit(cache=True, nogil=True)
def _largest_correlation(covariance, scale):
    largest = 0.0
    for i in range(len(covariance)):
        for j in range(i):
            largest = max(largest, abs(covariance[i, j] * scale[i] * scale[j]))
    return largest


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _add(total, a, covariance, scale, tolerance, weight):
    """Add the series of every pair of different fields, a few pairs at a time, up to the degree that their correlations
    need.

    Args:
        total: (k, k), symmetric. a: (L + 1, k).
    """
    rho, power, value = np.empty(_PAIRS), np.empty(_PAIRS), np.empty(_PAIRS)
    for i in range(len(total)):
        for start in range(0, i, _PAIRS):
            pairs = min(_PAIRS, i - start)
            for j in range(pairs):
                rho[j] = covariance[i, start + j] * scale[i] * scale[start + j]
                value[j], power[j] = 0.0, weight
            for order in range(len(a)):
                left = 0.0
                for j in range(pairs):
                    value[j] += a[order, i] * a[order, start + j] * power[j]
                    power[j] *= rho[j]
                    left += abs(power[j])
                if left < tolerance:
                    break
            for j in range(pairs):
                total[i, start + j] += value[j]
        for j in range(i):
            total[j, i] = total[i, j]
