"""Gaussian averages of any activation, by Hermite series of functions of one local field each.

For standard normal y and z of correlation r, Mehler's formula makes E f(y) h(z) = sum_n r^n f_n h_n, where
f_n = E f(y) He_n(y) / sqrt(n!). One-dimensional quadrature gives the f_n, so that an average over two fields costs no
more. Nodes lie in panels that end where a field meets a kink or jump of the activation, which then cost no accuracy.

Source: own derivation; refinetti2021 and goldt2021 for what is averaged.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twolayer.errors import NotConverged
from twolayer.model.activations import Activation

_REACH = 13.0  # standard deviations that an average goes to; beyond, a Gaussian is below 1e-37
_PANEL, _PANEL_WEIGHTS = 0.5 * np.add(np.polynomial.legendre.leggauss(16), [[1], [0]])  # on [0, 1]
_PANELS = (16, 32, 64, 128)  # of equal width, that the line is cut into where there are no kinks
_ORDERS = (32, 96, 288)
_EXACT, _ROUGH = 1e-8, 1e-2  # relative error at which an average is left as it is, and above which it is refused
_BLOCK = 512  # fields of random features that are averaged at a time


@dataclass(frozen=True, eq=False)
class FieldGrid:
    """Nodes z of a standard normal variable and their weights, for K fields mean + deviation z.

    The nodes of all K fields of one law are the same, and symmetric about zero.

    Attributes:
        z, weights: (..., n), or (n,) where they are those of all laws. fields: (..., K, n) values of the fields there.
    """

    z: np.ndarray
    weights: np.ndarray
    fields: np.ndarray

    @classmethod
    def of(cls, mean: np.ndarray, deviation: np.ndarray, kinks: np.ndarray, panels: int) -> "FieldGrid":
        """The grid for fields of that mean (..., K) and standard deviation (..., K), which may be zero."""
        ends = np.linspace(-_REACH, _REACH, panels + 1)
        if kinks.size:
            ends = _with_kinks(ends, mean, deviation, kinks)
        width = np.diff(ends)[..., None]
        z = (ends[..., :-1, None] + width * _PANEL).reshape(*ends.shape[:-1], -1)
        weights = (width * _PANEL_WEIGHTS).reshape(z.shape) * np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
        return cls(z, weights, mean[..., None] + deviation[..., None] * z[..., None, :])

    def coefficients(self, values: np.ndarray, order: int) -> np.ndarray:
        """f_0 to f_order of functions with these values (..., K, n) at the nodes: (..., K, order + 1)."""
        return (values * self.weights[..., None, :]) @ np.moveaxis(_hermite_basis(self.z, order), 0, -1)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """(..., K) averages of functions with these values (..., K, n) at the nodes."""
        return np.einsum("...ki,...i->...k", values, self.weights)


def _with_kinks(ends, mean, deviation, kinks):
    """Ends of panels (..., n): those given, and where a field meets a kink, and the mirror images of the latter."""
    with np.errstate(divide="ignore", invalid="ignore"):  # a field without deviation meets none
        met = np.nan_to_num((kinks - mean[..., None]) / deviation[..., None]).reshape(*mean.shape[:-1], -1)
    met = np.clip(np.concatenate([met, -met], axis=-1), -_REACH, _REACH)
    return np.sort(np.concatenate([np.broadcast_to(ends, (*met.shape[:-1], ends.size)), met], axis=-1), axis=-1)


def _hermite_basis(z, order):
    """(order + 1, ...) He_n(z) / sqrt(n!)."""
    basis = np.ones((order + 1, *z.shape))
    for n in range(order):
        basis[n + 1] = (z * basis[n] - math.sqrt(n) * basis[n - 1]) / math.sqrt(n + 1)
    return basis


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
    scales = [np.sqrt(grid.mean(f**2)) for f in functions]
    for order in _ORDERS:
        series = [grid.coefficients(f, order) for f in functions]
        found, unknown = [], 0.0
        for f, h in pairs:
            inside, beyond = _partial_sum(grid, correlation, functions[f], functions[h], series[f], series[h])
            found.append(inside + beyond)
            scale = scales[f][..., :, None] * scales[h][..., None, :]
            distance = np.minimum(1, order * (1 - np.abs(correlation)))  # from fields that are the same
            unknown = max(unknown, np.max(np.abs(beyond) * distance / np.where(scale > 0, scale, 1)))
        if unknown <= _EXACT:
            return found
    if not unknown <= _ROUGH:
        raise NotConverged(f"averages over two local fields are known to a part {unknown:.1g} of their scale only")
    return found


def _partial_sum(grid, correlation, f, h, f_n, h_n):
    """The terms of a series, and an estimate of those it leaves."""
    n = np.arange(f_n.shape[-1])
    inside = np.einsum("...kjn,...kn,...jn->...kj", correlation[..., None] ** n, f_n, h_n)
    weighted = f * grid.weights[..., None, :]
    same = weighted @ np.swapaxes(h, -1, -2) - f_n @ np.swapaxes(h_n, -1, -2)
    mirrored = weighted @ np.swapaxes(h[..., ::-1], -1, -2) - f_n @ np.swapaxes(h_n * (-1.0) ** n, -1, -2)
    return inside, np.abs(correlation) ** n.size * np.where(correlation >= 0, same, mirrored)


def resolved_grid(activation: Activation, mean: np.ndarray, deviation: np.ndarray) -> FieldGrid:
    """The grid with as many panels as it takes for the activation at fields of mean and deviation (..., K).

    Raises:
        NotConverged: there are none.
    """
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
