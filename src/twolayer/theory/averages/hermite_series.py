"""Gaussian averages of any activation, by Hermite series of functions of one pre-activation each.

For standard normal y and z of correlation r, Mehler's formula makes E f(y) h(z) = sum_n r^n f_n h_n, where
f_n = E f(y) He_n(y) / sqrt(n!). One-dimensional quadrature gives the f_n, so that an average over two fields costs no
more. The nodes are in panels that end where a field meets a kink or jump of the activation, so that kinks cost no
accuracy.

Source: own derivation; refinetti2021 and goldt2021 for the averages that are needed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from twolayer.errors import NotConverged
from twolayer.model.networks.activations import Activation
from twolayer.model.networks.hermite_expansion import REACH, hermite_basis, panel_nodes

_PANEL = 16  # nodes in a panel
_PANELS = (16, 32, 64, 128)  # numbers of panels of equal width if the activation has no kinks
# numbers of panels for a single check of the coefficients of all orders, against the last of the numbers above
_KNOWN_PANELS = (8, 10, 12, 16, 32, 64)
_ORDERS = (32, 96, 288, 1152)
_RESOLVED = 512  # number of nodes that resolves the last order, which wide and nearly identical fields need
_EXACT, _ROUGH = 1e-8, 1e-2  # relative errors: below the first an average is accepted, above the second it is refused
_CLOSE = 1e-6  # relative error that is accepted where only the last order, which costs much, would reduce it
_KNOWN = 16  # largest mean and deviation of fields for which numbers of panels are cached
_NEAR_ZERO = np.concatenate([-(2.0 ** np.arange(5)), [0.0], 2.0 ** np.arange(5)])  # ends of panels for wider fields
_MOST_KINKS = 64  # of an activation; one with more oscillates, or costs seconds for each average
_ENDS = 0.9  # part of the range of nodes beyond which a normal number hardly comes
_NEGLIGIBLE = 1e-18  # power of a correlation below which a remainder is neglected


@dataclass(frozen=True, eq=False)
class FieldGrid:
    """Nodes z of a standard normal variable and their weights, for K fields mean + deviation z.

    The nodes of all K fields of one distribution are the same, and symmetric about zero.

    Attributes:
        z, weights: (..., n), or (n,) if all distributions share them. fields: (..., K, n) values of the fields at the
            nodes.
        panels: number of panels, if all have equal width.
    """

    z: np.ndarray
    weights: np.ndarray
    fields: np.ndarray
    panels: int | None = None

    @classmethod
    def of(cls, mean: np.ndarray, deviation: np.ndarray, kinks: np.ndarray, panels: int) -> "FieldGrid":
        """Return the grid for fields of this mean (..., K) and standard deviation (..., K), which may be zero."""
        if not kinks.size:
            z, weights = _equal_panels(panels)
            return cls(z, weights, mean[..., None] + deviation[..., None] * z, panels)
        z, weights = panel_nodes(_with_kinks(np.linspace(-REACH, REACH, panels + 1), mean, deviation, kinks), _PANEL)
        return cls(z, weights, mean[..., None] + deviation[..., None] * z[..., None, :])

    def coefficients(self, values: np.ndarray, order: int) -> np.ndarray:
        """Return the coefficients f_0 to f_order (..., K, order + 1) of functions with these values (..., K, n) at the
        nodes.
        """
        if self.panels is not None:
            return values @ _weighted_basis(self.panels, order)
        return (values * self.weights[..., None, :]) @ np.moveaxis(hermite_basis(self.z, order), 0, -1)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Return the averages (..., K) of functions with these values (..., K, n) at the nodes."""
        return values @ self.weights if self.panels is not None else np.einsum("...ki,...i->...k", values, self.weights)


@lru_cache
def _equal_panels(panels):
    """Return nodes and weights (n,) of panels of equal width."""
    return panel_nodes(np.linspace(-REACH, REACH, panels + 1), _PANEL)


@lru_cache
def _weighted_basis(panels, order):
    """Return (n, order + 1) weights of the nodes times He_n / sqrt(n!) there."""
    z, weights = _equal_panels(panels)
    return (weights * hermite_basis(z, order)).T


def _with_kinks(ends, mean, deviation, kinks):
    """Return ends of panels (..., n): the given ones, the places where a field meets a kink, and the mirror images of
    these.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # a field without deviation meets no kink
        met = np.nan_to_num((kinks - mean[..., None]) / deviation[..., None]).reshape(*mean.shape[:-1], -1)
    met = np.clip(np.concatenate([met, -met], axis=-1), -REACH, REACH)
    return np.sort(np.concatenate([np.broadcast_to(ends, (*met.shape[:-1], ends.size)), met], axis=-1), axis=-1)


def pair_averages(
    grid: FieldGrid, correlation: np.ndarray, functions: Sequence[np.ndarray], pairs: Sequence[tuple[int, int]]
) -> list[np.ndarray]:
    """Return <f_k h_j> (..., K, K) over every two fields k and j, for pairs (f, h) of functions.

    Terms beyond the last order are replaced by the terms at correlation +-1, which the nodes give, times a power of the
    correlation. This is exact between identical fields, and nearly exact between others.

    Args:
        correlation: (..., K, K) of the fields.
        functions: each (..., K, n), values at the nodes. pairs: numbers of the functions.

    Raises:
        NotConverged: the terms beyond the last order cannot be determined.
    """
    distributions, hidden = functions[0].shape[:-2], correlation.shape[-1]
    shared = correlation if correlation.ndim == 2 else np.broadcast_to(correlation, (*distributions, hidden, hidden))
    correlations, numbers = _three(shared), np.array(pairs)
    stacked = np.concatenate(functions, axis=-2)
    same, opposite = (_three(ends) for ends in _products_at_ends(grid, stacked))
    for order in _ORDERS if stacked.shape[-1] >= _RESOLVED else _ORDERS[:-1]:
        found, unknown = _pairs(correlations, same, opposite, _three(grid.coefficients(stacked, order)), numbers)
        if unknown <= (_EXACT if order < _ORDERS[-2] else _CLOSE):
            break
    if not unknown <= _ROUGH:
        raise NotConverged(
            f"averages over two pre-activations are known only to a part {unknown:.1g} of their scale: use a smoother "
            "activation"
        )
    return list(found.reshape(-1, *distributions, hidden, hidden))


def _three(values):
    """Return values (distributions, ..., ...) with one leading axis."""
    return np.ascontiguousarray(values).reshape(-1, *values.shape[-2:])


def _products_at_ends(grid, functions):
    """Return <f_i(z) f_j(z)> and <f_i(z) f_j(-z)> (..., F, F) of functions (..., F, n), from their even and
    odd parts.
    """
    half = functions.shape[-1] // 2
    above, below = functions[..., half:], functions[..., half - 1 :: -1]
    weights, parts = 0.5 * grid.weights[..., None, half:], (above + below, above - below)
    even, odd = ((part * weights) @ part.swapaxes(-1, -2) for part in parts)
    return even + odd, even - odd


@njit(cache=True)
def _pairs(correlations, same, opposite, series, pairs):
    """Return <f_k h_j> (pairs, distributions, K, K), and the largest part of its scale that is unknown.

    Args:
        correlations: (distributions, K, K), or (1, K, K) if all distributions have the same.
        same, opposite: (distributions, F K, F K) averages of f_k h_j at correlation 1 and -1.
        series: (distributions, F K, orders) coefficients. pairs: (pairs, 2) numbers of functions.
    """
    distributions, orders, fields = len(series), series.shape[2], correlations.shape[1]
    total, unknown = np.empty((len(pairs), distributions, fields, fields)), 0.0
    for number in range(len(pairs)):
        f, h = pairs[number, 0] * fields, pairs[number, 1] * fields
        for a in range(distributions):
            correlation = correlations[min(a, len(correlations) - 1)]
            for k in range(fields):
                for j in range(fields):
                    if f == h and j < k:
                        total[number, a, k, j] = total[number, a, j, k]
                        continue
                    r = correlation[k, j]
                    found, even, odd = _series(r, series[a, f + k], series[a, h + j])
                    if abs(r) ** orders > _NEGLIGIBLE:
                        end = same if r >= 0 else opposite
                        rest = end[a, f + k, h + j] - even - (odd if r >= 0 else -odd)
                        beyond = abs(r) ** orders * rest
                        scale = math.sqrt(same[a, f + k, f + k] * same[a, h + j, h + j])
                        distance = min(1.0, orders * (1 - abs(r)))  # distance from identical fields
                        unknown = max(unknown, abs(beyond) * distance / (scale if scale > 0 else 1.0))
                        found += beyond
                    total[number, a, k, j] = found
    return total, unknown


@njit(cache=True)
def _series(r, f_n, h_n):
    """Return the sum of r^n f_n h_n, and sums of f_n h_n over even and over odd n."""
    found, sums = 0.0, (0.0, 0.0)
    for n in range(len(f_n) - 1, -1, -1):
        term = f_n[n] * h_n[n]
        found = found * r + term
        sums = (sums[1] + term, sums[0])
    return found, sums[0], sums[1]


def resolved_grid(activation: Activation, mean: np.ndarray, deviation: np.ndarray) -> FieldGrid:
    """Return a grid with enough panels for the activation at fields of mean and deviation (..., K).

    Raises:
        NotConverged: no number of panels is enough.
    """
    if activation.kinks.size > _MOST_KINKS:
        raise NotConverged(
            f"averages of the activation {activation.name!r} are unknown: it changes too fast at "
            f"{activation.kinks.size} places, where {_MOST_KINKS} kinks are allowed: use a smoother one"
        )
    reach, largest = np.abs(mean).max(initial=0), deviation.max(initial=0)
    if reach <= _KNOWN and largest <= _KNOWN:
        bounds = math.ceil(reach) + 1, max(math.ceil(2 * math.log2(largest or 1)), -4)
        known = [_panels_up_to(part, *bounds) for part in activation.parts]
        if None not in known:
            kinks = np.unique(np.concatenate([one.kinks for one in known]))
            return FieldGrid.of(mean, deviation, kinks, max(one.panels for one in known))
    # a function may be less smooth at zero without a kink there, as an exponential linear unit is, and it changes most
    # near zero, where few nodes of a wide field are
    more = np.union1d(activation.kinks, _NEAR_ZERO if largest > _KNOWN else 0.0)
    for kinks, ladder in ((activation.kinks, _PANELS[:2]), (more, _PANELS)):
        finer = _probe(activation, mean, deviation, kinks, ladder[0])
        for panels in ladder[1:]:
            (grid, coarse), finer = finer, _probe(activation, mean, deviation, kinks, panels)
            change = _change(coarse, finer[1])
            if change <= _EXACT:
                return grid
    if not change <= _ROUGH:
        raise NotConverged(
            f"averages of the activation {activation.name!r} over pre-activations of standard deviation up to "
            f"{np.max(deviation):.3g} are off by {change:.1g}: use an activation that is smoother or grows more slowly"
        )
    return finer[0]


class _Panels(NamedTuple):
    """Kinks at which panels end, and the number of other panels."""

    kinks: np.ndarray
    panels: int


@lru_cache
def _panels_up_to(activation, reach, level):
    """Return panels for means from -reach to reach and the deviation 2^(level / 2), or None if there are not enough.

    Wider fields need more panels.
    """
    per_unit, order = (4, 6) if activation.kinks.size else (16, _ORDERS[0])
    means = np.linspace(-reach, reach, per_unit * reach + 1)
    deviations = np.full(means.shape, 2.0 ** (level / 2))
    for kinks, numbers in ((activation.kinks, _KNOWN_PANELS), (np.union1d(activation.kinks, 0.0), _PANELS[:-1])):
        exact = _probe(activation, means, deviations, kinks, _PANELS[-1], order)[1]
        for panels in numbers:
            change = _change(_probe(activation, means, deviations, kinks, panels, order)[1], exact)
            if change <= _EXACT:
                return _Panels(kinks, panels)
    return _Panels(kinks, _PANELS[-1]) if change <= _ROUGH else None


def _change(coarse, fine):
    """Return the largest difference of the moments on two grids, relative to the functions where these exceed one.

    It is at least the part of the mean square from the ends of the grid, where averages without a limit come from.
    """
    *_, square, ends = np.moveaxis(fine, -1, 0)
    return max(np.max(np.abs(fine - coarse) / np.sqrt(1 + coarse[..., -2:-1])), np.max(ends / (1 + square)))


def _probe(activation, mean, deviation, kinks, panels, order=6):
    """Return a grid and the first moments of value and slope on it, which show whether the grid is fine enough."""
    grid = FieldGrid.of(mean, deviation, kinks, panels)
    value, slope = activation.value(grid.fields), activation.slope(grid.fields)
    squares = value**2 + slope**2
    means = [grid.mean(squares), grid.mean(squares * (np.abs(grid.z) > _ENDS * REACH)[..., None, :])]
    coefficients = grid.coefficients(np.stack([value, slope]), order)
    return grid, np.concatenate([*coefficients, np.stack(means, axis=-1)], axis=-1)
