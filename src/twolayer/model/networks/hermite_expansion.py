"""Hermite expansion of an activation under Gaussian inputs, and the truncated polynomial.

He_i are the probabilists' Hermite polynomials, E He_i(g) He_j(g) = i! delta_ij for standard normal g.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numba import njit
from scipy.special import eval_hermitenorm, roots_hermitenorm

from twolayer.errors import ConfigError, NotConverged

MAX_NODES = 2**17
_PANEL = 32  # nodes of a panel
_BLOCK = 1024  # number of arguments whose recurrence runs in the first-level cache
REACH = 13.0  # range of an average in standard deviations; beyond, a Gaussian is below 1e-37


@dataclass(frozen=True, eq=False)
class HermiteExpansion:
    """The expansion of phi(z) for z of variance b^2: sum_{i <= l} h_i He_i(z / b), and the strength of the rest.

    Attributes:
        scale: b.
        coefficients: (l + 1,) h_i = E He_i(g) phi(b g) / i!.
        rest: h_s, the root mean square of the rest after the terms up to l.
        power: E phi(b g)^2.
    """

    scale: float
    coefficients: np.ndarray
    rest: float
    power: float

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """Return the polynomial sum_i h_i He_i(z / b), elementwise."""
        values = np.empty(z.shape, z.dtype)
        _fill_polynomial(np.ravel(z), self.coefficients, 1 / self.scale, np.ravel(values))
        return values

    def readout(self, z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return sum_k weights_k of the polynomial at z (M, K), (M,), without an array of its values."""
        outputs = np.empty(len(z))
        _read_polynomial(z, self.coefficients, 1 / self.scale, weights, outputs)
        return outputs


def hermite_expansion(
    function: Callable[[np.ndarray], np.ndarray], scale: float, degree: int, nodes: int = 100
) -> HermiteExpansion:
    """Expand z -> function(z) to a degree by Gauss-Hermite quadrature.

    Args:
        function: maps an array to an array of the same shape. scale: b, the standard deviation of z.
        nodes: number of nodes of the quadrature. The paper uses 100, with an error of 3e-3 for a function with a kink;
            `converged_expansion` chooses the number.

    Raises:
        ConfigError: the function is not finite.

    Source: demir2025, equivalent Hermite model.
    """
    return _expand(function, scale, degree, *_nodes(nodes))


def _expand(function, scale, degree, g, density):
    values = np.asarray(function(scale * g), float)
    if not np.isfinite(values).all():
        bad = scale * g[~np.isfinite(values)][0]
        raise ConfigError(f"the activation returns {values[~np.isfinite(values)][0]} at {bad:.4g}: it must be finite")
    polynomials = np.array([eval_hermitenorm(i, g) for i in range(degree + 1)])
    coefficients = polynomials @ (density * values) / [float(math.factorial(i)) for i in range(degree + 1)]
    rest = np.sum(density * (values - coefficients @ polynomials) ** 2)  # a sum of squares, so that no digits cancel
    return HermiteExpansion(scale, coefficients, math.sqrt(rest), float(np.sum(density * values**2)))


@cache
def _nodes(count):
    """Return nodes and weights of E f(g), without the outermost nodes, whose weights underflow."""
    g, weights = roots_hermitenorm(count)
    return g[weights > 0], weights[weights > 0] / math.sqrt(2 * math.pi)


def converged_expansion(
    function: Callable[[np.ndarray], np.ndarray], scale: float, degree: int, tolerance: float = 1e-5
) -> tuple[HermiteExpansion, int]:
    """Expand with enough nodes: their number doubles until the expansion no longer changes.

    Either side of zero has separate nodes, so that a kink or a jump at zero costs no accuracy.

    Args:
        tolerance: largest change of any coefficient and of the rest, in units of the root of the power.

    Returns: the expansion, and its number of nodes.

    Raises:
        NotConverged: the expansion still changes at `MAX_NODES` nodes.
    """
    panels = 1
    expansion = _expand(function, scale, degree, *half_line_nodes(panels))
    while (nodes := 4 * panels * _PANEL) <= MAX_NODES:
        panels, coarse = 2 * panels, expansion
        expansion = _expand(function, scale, degree, *half_line_nodes(panels))
        change = np.append(expansion.coefficients - coarse.coefficients, expansion.rest - coarse.rest)
        error = float(np.max(np.abs(change)))
        if error <= tolerance * math.sqrt(expansion.power):
            return expansion, nodes
    raise NotConverged(f"Hermite coefficients still change by {error:.2g} at {nodes // 2} nodes: raise the tolerance")


@cache
def unit_rule(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of the Gauss-Legendre rule on [0, 1]."""
    return tuple(0.5 * np.add(np.polynomial.legendre.leggauss(nodes), [[1], [0]]))


def panel_nodes(ends: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights (..., n) of an average over a standard normal variable.

    Args:
        ends: (..., p + 1) ends of panels, increasing. nodes: number of nodes in each panel.
    """
    (at, weights), width = unit_rule(nodes), np.diff(ends)[..., None]
    g = (ends[..., :-1, None] + width * at).reshape(*ends.shape[:-1], -1)
    return g, (width * weights).reshape(g.shape) * np.exp(-0.5 * g**2) / math.sqrt(2 * math.pi)


def half_line_nodes(panels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of E f(g), from panels of equal width on either side of zero."""
    g, weights = panel_nodes(np.linspace(0, REACH, panels + 1), _PANEL)
    return np.append(-g[::-1], g), np.append(weights[::-1], weights)


def hermite_basis(g: np.ndarray, degree: int) -> np.ndarray:
    """Return normalised Hermite polynomials (degree + 1, ...) He_i(g) / sqrt(i!)."""
    basis = np.empty((degree + 1, *g.shape))
    basis[0] = 1
    basis[1:2] = g
    _fill_orders(np.asarray(g, float).ravel(), basis.reshape(degree + 1, -1))
    return basis


@njit(cache=True, nogil=True)
def _fill_orders(g, basis):
    """Write the orders from 2 of `hermite_basis` at points (n,) to `basis` (degree + 1, n), which has the others."""
    for i in range(1, len(basis) - 1):
        below, here = math.sqrt(i / (i + 1)), 1 / math.sqrt(i + 1)
        for j in range(len(g)):
            basis[i + 1, j] = here * g[j] * basis[i, j] - below * basis[i - 1, j]


def degree_for(beta: float) -> int:
    """Return the degree of the equivalent model for spikes of size n^beta: ceil(beta / (1 - beta)), from 1 to 4."""
    return int(np.clip(math.ceil(beta / (1 - beta + 1e-6)), 1, 4))


@njit(cache=True, nogil=True, fastmath={"contract"})
def _clenshaw(z, coefficients, inverse_scale, value, above):
    """Write sum_i h_i He_i(z / b) of a block to `value`, from the highest order down; `above` is working space."""
    value[:] = coefficients[-1]
    above[:] = 0.0
    for i in range(coefficients.size - 2, -1, -1):
        h, order = coefficients[i], i + 1
        for j in range(z.size):
            lower = h + z[j] * inverse_scale * value[j] - order * above[j]
            above[j] = value[j]
            value[j] = lower


@njit(cache=True, nogil=True)
def _fill_polynomial(z, coefficients, inverse_scale, values):
    above = np.empty(_BLOCK)
    for start in range(0, z.size, _BLOCK):
        stop = min(start + _BLOCK, z.size)
        _clenshaw(z[start:stop], coefficients, inverse_scale, values[start:stop], above[: stop - start])


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _read_polynomial(z, coefficients, inverse_scale, weights, outputs):
    value, above = np.empty(_BLOCK), np.empty(_BLOCK)
    for row in range(z.shape[0]):
        total = 0.0
        for start in range(0, z.shape[1], _BLOCK):
            stop = min(start + _BLOCK, z.shape[1])
            _clenshaw(z[row, start:stop], coefficients, inverse_scale, value[: stop - start], above[: stop - start])
            for j in range(stop - start):
                total += weights[start + j] * value[j]
        outputs[row] = total
