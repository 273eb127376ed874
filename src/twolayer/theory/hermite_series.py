"""Gaussian averages of any activation, by Hermite series of functions of one local field each.

For standard normal y and z of correlation r, Mehler's formula makes E f(y) h(z) = sum_n r^n f_n h_n, where
f_n = E f(y) He_n(y) / sqrt(n!). One-dimensional quadrature gives the f_n, so that an average over two fields costs no
more. Nodes lie in panels that end where a field meets a kink or jump of the activation, which then cost no accuracy.

Source: own derivation; refinetti2021 and goldt2021 for what is averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numba import njit

from twolayer.errors import NotConverged
from twolayer.model.activations import Activation
from twolayer.model.hermite import REACH, hermite_basis, panel_nodes

_PANEL = 16  # nodes
_PANELS = (16, 32, 64, 128)  # of equal width, that the line is cut into where there are no kinks
_ORDERS = (32, 96, 288)
_EXACT, _ROUGH = 1e-8, 1e-2  # relative error at which an average is left as it is, and above which it is refused
_BLOCK = 512  # fields of random features that are averaged at a time
_MOST_KINKS = 200  # of an activation; more of them are oscillations
_NEGLIGIBLE = 1e-18  # power of a correlation below which a remainder does not count


@dataclass(frozen=True, eq=False)
class FieldGrid:
    """Nodes z of a standard normal variable and their weights, for K fields mean + deviation z.

    The nodes of all K fields of one law are the same, and symmetric about zero.

    Attributes:
        z, weights: (..., n), or (n,) where they are those of all laws. fields: (..., K, n) values of the fields there.
        panels: number of panels, where all are of equal width.
    """

    z: np.ndarray
    weights: np.ndarray
    fields: np.ndarray
    panels: int | None = None

    @classmethod
    def of(cls, mean: np.ndarray, deviation: np.ndarray, kinks: np.ndarray, panels: int) -> "FieldGrid":
        """The grid for fields of that mean (..., K) and standard deviation (..., K), which may be zero."""
        if not kinks.size:
            z, weights = _equal_panels(panels)
            return cls(z, weights, mean[..., None] + deviation[..., None] * z, panels)
        z, weights = panel_nodes(_with_kinks(np.linspace(-REACH, REACH, panels + 1), mean, deviation, kinks), _PANEL)
        return cls(z, weights, mean[..., None] + deviation[..., None] * z[..., None, :])

    def coefficients(self, values: np.ndarray, order: int) -> np.ndarray:
        """f_0 to f_order of functions with these values (..., K, n) at the nodes: (..., K, order + 1)."""
        if self.panels is not None:
            return values @ _weighted_basis(self.panels, order)
        return (values * self.weights[..., None, :]) @ np.moveaxis(hermite_basis(self.z, order), 0, -1)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """(..., K) averages of functions with these values (..., K, n) at the nodes."""
        return values @ self.weights if self.panels is not None else np.einsum("...ki,...i->...k", values, self.weights)


@lru_cache
def _equal_panels(panels):
    """Nodes and weights (n,) of panels of equal width."""
    return panel_nodes(np.linspace(-REACH, REACH, panels + 1), _PANEL)


@lru_cache
def _weighted_basis(panels, order):
    """(n, order + 1) weights of the nodes times He_n / sqrt(n!) there."""
    z, weights = _equal_panels(panels)
    return (weights * hermite_basis(z, order)).T


def _with_kinks(ends, mean, deviation, kinks):
    """Ends of panels (..., n): those given, and where a field meets a kink, and the mirror images of the latter."""
    with np.errstate(divide="ignore", invalid="ignore"):  # a field without deviation meets none
        met = np.nan_to_num((kinks - mean[..., None]) / deviation[..., None]).reshape(*mean.shape[:-1], -1)
    met = np.clip(np.concatenate([met, -met], axis=-1), -REACH, REACH)
    return np.sort(np.concatenate([np.broadcast_to(ends, (*met.shape[:-1], ends.size)), met], axis=-1), axis=-1)


def pair_averages(
    grid: FieldGrid, correlation: np.ndarray, functions: Sequence[np.ndarray], pairs: Sequence[tuple[int, int]]
) -> list[np.ndarray]:
    """<f_k h_j> (..., K, K) over every two fields k and j, for pairs (f, h) of functions.

    Terms beyond the last order are taken to be those at correlation +-1, which the nodes give, times a power of the
    correlation: none is missing between fields that are the same, and little between others.

    Args:
        correlation: (..., K, K) of the fields.
        functions: each (..., K, n), values at the nodes. pairs: numbers of the functions.

    Raises:
        NotConverged: what is beyond the last order cannot be told.
    """
    laws = functions[0].shape[:-2]
    shared = correlation if correlation.ndim == 2 else np.broadcast_to(correlation, (*laws, *correlation.shape[-2:]))
    correlations, weights = _three(shared), grid.weights.reshape(-1, grid.weights.shape[-1])
    scales = [np.sqrt(grid.mean(f**2)).reshape(-1, f.shape[-2]) for f in functions]
    for order in _ORDERS:
        series = [_three(grid.coefficients(f, order)) for f in functions]
        found, unknown = [], 0.0
        for f, h in pairs:
            values = _three(functions[f]), _three(functions[h])
            average, part = _pair(correlations, weights, *values, series[f], series[h], scales[f], scales[h])
            found.append(average.reshape(*laws, *correlation.shape[-2:]))
            unknown = max(unknown, part)
        if unknown <= _EXACT:
            return found
    if not unknown <= _ROUGH:
        raise NotConverged(f"averages over two local fields are known to a part {unknown:.1g} of their scale only")
    return found


def _three(values):
    """Values (laws, ..., ...) with one leading axis."""
    return np.ascontiguousarray(values).reshape(-1, *values.shape[-2:])


@njit(cache=True)
def _pair(correlations, weights, f, h, f_n, h_n, f_scale, h_scale):
    """<f_k h_j> (laws, K, K), and the largest part of its scale that is unknown.

    Correlations (laws, K, K) and weights (laws, n) may be those of one law for all.
    """
    laws, fields, orders = f_n.shape
    total, unknown = np.empty((laws, fields, fields)), 0.0
    for a in range(laws):
        correlation, weight = correlations[min(a, len(correlations) - 1)], weights[min(a, len(weights) - 1)]
        for k in range(fields):
            for j in range(fields):
                r, found = correlation[k, j], 0.0
                for n in range(orders - 1, -1, -1):
                    found = found * r + f_n[a, k, n] * h_n[a, j, n]
                if abs(r) ** orders > _NEGLIGIBLE:
                    beyond = abs(r) ** orders * _remainder(r >= 0, weight, f[a, k], h[a, j], f_n[a, k], h_n[a, j])
                    scale = f_scale[a, k] * h_scale[a, j]
                    distance = min(1.0, orders * (1 - abs(r)))  # from fields that are the same
                    unknown = max(unknown, abs(beyond) * distance / (scale if scale > 0 else 1.0))
                    found += beyond
                total[a, k, j] = found
    return total, unknown


@njit(cache=True)
def _remainder(same, weight, f, h, f_n, h_n):
    """What a series at correlation +1 (`same`) or -1 leaves."""
    rest, size = 0.0, len(weight)
    for i in range(size):
        rest += weight[i] * f[i] * h[i if same else size - 1 - i]
    for n in range(len(f_n)):
        rest -= f_n[n] * h_n[n] * (1 if same or n % 2 == 0 else -1)
    return rest


def resolved_grid(activation: Activation, mean: np.ndarray, deviation: np.ndarray) -> FieldGrid:
    """The grid with as many panels as it takes for the activation at fields of mean and deviation (..., K).

    Raises:
        NotConverged: there are none.
    """
    if activation.kinks.size > _MOST_KINKS:
        raise NotConverged(
            f"averages of the activation {activation.name!r} are unknown: it changes too fast at "
            f"{activation.kinks.size} places, where {_MOST_KINKS} kinks are allowed: use a smoother one"
        )
    # a function may be less smooth at zero without a kink there, as an exponential linear unit is
    for kinks, ladder in ((activation.kinks, _PANELS[:2]), (np.union1d(activation.kinks, 0.0), _PANELS)):
        finer = _probe(activation, mean, deviation, kinks, ladder[0])
        for panels in ladder[1:]:
            (grid, coarse), finer = finer, _probe(activation, mean, deviation, kinks, panels)
            change = np.max(np.abs(finer[1] - coarse) / np.sqrt(1 + coarse[..., -1:]))
            if change <= _EXACT:
                return grid
    if not change <= _ROUGH:
        raise NotConverged(
            f"averages of the activation {activation.name!r} over local fields of standard deviation up to "
            f"{np.max(deviation):.3g} are off by {change:.1g}: it is too rough, or grows too fast"
        )
    return finer[0]


def _probe(activation, mean, deviation, kinks, panels):
    """A grid, and what shows whether it is fine enough: the first moments of value and slope."""
    grid = FieldGrid.of(mean, deviation, kinks, panels)
    value, slope = activation.value(grid.fields), activation.slope(grid.fields)
    seen = [grid.coefficients(value, 6), grid.coefficients(slope, 6)]
    return grid, np.concatenate([*seen, grid.mean(value**2 + slope**2)[..., None]], axis=-1)
