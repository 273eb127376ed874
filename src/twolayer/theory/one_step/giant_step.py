"""Ridge regression on the features of a drawn first layer after giant steps, on isotropic inputs.

A step of size eta ~ k adds a spike to the first layer. Given the component kappa of the inputs along the directions of
the spikes, features and labels are jointly close to Gaussian, with moments that depend on kappa:

    phi_i ~ mu_i + a_i w_i . x + b_i g_i,   mu_i = E phi(u_i . kappa + c_i xi),   a_i = E xi phi / c_i,

for first-layer weights u_i along V and w_i across, c_i = |w_i|, and independent normal g_i.

Source: own derivation from the Gaussian equivalence of features at given kappa.
"""

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.interpolate import RectBivariateSpline
from scipy.sparse.linalg import LinearOperator, gmres, svds

from twolayer.errors import NotConverged
from twolayer.model.networks.activations import Activation
from twolayer.model.teachers.label_functions import LabelFunction
from twolayer.theory.averages.series_units import series_rest
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.numerics.anderson import accelerated
from twolayer.theory.numerics.spectral_measure import inverse
from twolayer.theory.one_step.label_averages import Outputs, conditional_labels

_REACH = 6.5  # range of kappa, in standard deviations
# Gauss-Legendre nodes on either side of zero: the smallest number, and the number per unit of the ratio
NODES = {1: (40, 12), 2: (16, 5)}
MOST_SPIKES = max(NODES)
_MOST_OF_GRID = 200  # nodes on one side of a grid
_MOST_IN_PANEL = 400  # nodes on one side, above which one Gauss-Legendre rule takes seconds
_PER_DEVIATION, _PER_LOGARITHM = 16, 20  # nodes of splines in the mean and in the logarithm of the deviation of a field
_CANCELLED = 1e-6  # part of the mean square of a feature below which its rest is not computed as a difference
_TOLERANCE = 1e-9  # largest change of log(1 + del)


@dataclass(frozen=True, eq=False)
class GivenComponent:
    """Moments of the features at n values of kappa: mean mu, slope a and rest b^2, each (n, k); weights (n,) of kappa.

    Attributes:
        Omega: (k, k) products of the weights across the spikes.
    """

    mean: np.ndarray
    slope: np.ndarray
    rest: np.ndarray
    weights: np.ndarray
    Omega: np.ndarray

    def summed(self, weights: np.ndarray) -> np.ndarray:
        """Return the sum over kappa of the covariance C = D_a Omega D_a + D_b^2, with weights (n,)."""
        C = self.Omega * ((self.slope.T * weights) @ self.slope)
        C.flat[:: len(C) + 1] += weights @ self.rest
        return C

    def traces(self, matrix: np.ndarray) -> np.ndarray:
        """Return the traces (n,) of C matrix."""
        return np.sum(self.slope @ (self.Omega * matrix) * self.slope, axis=1) + self.rest @ np.diag(matrix)


def kappa_nodes(directions: int, ratio: float, refinement: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes (n, directions) and weights (n,) of kappa.

    Args:
        ratio: largest weight along a spike, in units of the length of the weights across.
        refinement: factor of the number of nodes.

    Raises:
        NotConverged: there are two directions, and the steps are too large for a grid.
    """
    fewest, slope = (refinement * number for number in NODES[directions])
    count = max(fewest, math.ceil(slope * ratio))
    if directions > 1 and count > _MOST_OF_GRID:
        raise NotConverged(
            f"the steps move a unit by {ratio:.3g} times the length of its weights across them, which needs a grid of "
            f"{(2 * count) ** 2:.2g} nodes: make the steps smaller, or make one step"
        )
    x, weights = _panel(0.0, _REACH, count) if directions > 1 or count <= _MOST_IN_PANEL else _panels(fewest, ratio)
    x, weights = np.concatenate([-x[::-1], x]), np.concatenate([weights[::-1], weights])
    weights = weights * np.exp(-(x**2) / 2)
    weights /= weights.sum()
    if directions == 1:
        return x[:, None], weights
    grid = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
    return grid, np.outer(weights, weights).ravel()


def _panel(low, high, count):
    """Return Gauss-Legendre nodes and weights (count,) of an interval."""
    x, weights = leggauss(count)
    half = (high - low) / 2
    return low + (x + 1) * half, weights * half


def _panels(count, ratio):
    """Return nodes and weights of intervals whose lengths double from 1 / ratio on, where features change fastest."""
    edges = np.append(0.0, _REACH * 0.5 ** np.arange(math.ceil(math.log2(_REACH * ratio)), -1, -1))
    parts = [_panel(low, high, count) for low, high in itertools.pairwise(edges)]
    return np.concatenate([x for x, _ in parts]), np.concatenate([weights for _, weights in parts])


def spike_directions(change: np.ndarray, count: int) -> np.ndarray:
    """Return the leading right singular vectors (n, count) of the change of a first layer (k, n) by its steps."""
    if not change.any():
        return np.eye(change.shape[1])[:, :count]
    if count >= min(change.shape):
        return np.linalg.svd(change, full_matrices=False)[2][:count].T
    start = np.random.default_rng(0).standard_normal(min(change.shape))
    return svds(change, k=count, v0=start)[2].T


def drawn_layer_outputs(
    first_layer: np.ndarray,
    spikes: np.ndarray,
    activation: Activation,
    labels: LabelFunction,
    directions: np.ndarray,
    *,
    samples: int,
    penalty: float,
    label_noise: float = 0.0,
) -> Outputs:
    """Return the outputs of a second layer that ridge regression fits to fresh samples.

    Args:
        first_layer: (k, n) after its steps. spikes: (n, q), orthonormal directions of the change by the steps.
        directions: (a, n), orthonormal directions of the teacher.
        samples: m. penalty: lambda m.

    Raises:
        NotConverged: the equations do not converge.
    """
    along = first_layer @ spikes
    across = first_layer - along @ spikes.T
    Omega = across @ across.T
    deviation = np.sqrt(np.diag(Omega))
    kappa, weights = kappa_nodes(spikes.shape[1], float(np.max(np.abs(along) / deviation[:, None])))
    features = GivenComponent(*_interpolated_moments(activation, kappa @ along.T, deviation), weights, Omega)
    overlaps = directions @ spikes
    y = conditional_labels(labels, overlaps, kappa, label_noise)
    seen = across @ (directions - overlaps @ spikes.T).T @ y.to_zeta.T  # W Z^T (k, r)
    return _ridge(features, y, seen, samples, penalty)


def feature_moments(activation: Activation, mean: np.ndarray, deviation: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return mean, slope and squared rest (n, k) of features of fields with a mean (n, k) and a deviation (k,)."""
    unit_mean, variance, coefficients = unit_averages(activation).feature_distribution(mean, deviation, 1)
    rest = variance - coefficients[0] ** 2
    small = rest <= _CANCELLED * (unit_mean**2 + variance)
    if small.any():
        rest[small] = series_rest(activation, mean[small], np.broadcast_to(deviation, mean.shape)[small])
    return unit_mean, coefficients[0] / deviation, rest


def _interpolated_moments(activation, mean, deviation):
    """Return the moments from splines, if these need fewer averages."""
    low, high, reach = deviation.min(), deviation.max(), np.abs(mean).max()
    count = 4 + math.ceil(2 * reach / low * _PER_DEVIATION)
    deviations = np.geomspace(low, high, 4 + math.ceil(math.log(high / low) * _PER_LOGARITHM))
    if count * len(deviations) >= mean.size or low == high:
        return feature_moments(activation, mean, deviation)
    means = np.linspace(-reach, reach, count)
    tables = feature_moments(activation, np.tile(means[:, None], len(deviations)), deviations)
    at = np.broadcast_to(np.log(deviation), mean.shape)
    return tuple(RectBivariateSpline(means, np.log(deviations), table).ev(mean, at) for table in tables)


def _ridge(features, y, seen, samples, penalty):
    k, g = features.mean.shape[1], features.weights
    gain, R = _gain(features, samples / k, penalty)
    share = samples / k * g * gain
    weighted = share[:, None] * (y.mean[:, None] * features.mean + features.slope * (y.slope @ seen.T))
    A = R @ weighted.sum(axis=0) * np.sqrt(k)
    output, carried = features.mean @ A / np.sqrt(k), features.slope * A
    spread = (np.sum(carried @ features.Omega * carried, axis=1) + features.rest @ A**2) / k
    typical = Outputs(y, g, output, carried @ seen / np.sqrt(k), spread, gain)  # for the mean second layer

    def residual(errors):
        X = features.summed(samples / k * g * gain**2 * errors)
        return errors - features.traces(R @ X @ R) / k

    n = len(g)
    errors, failed = gmres(LinearOperator((n, n), residual, dtype=float), typical.squares, rtol=1e-10, restart=n)
    if failed:
        raise NotConverged(f"errors of ridge regression do not converge: raise ridge, so that lambda m > {penalty:g}")
    return replace(typical, spread=spread + errors - typical.squares)


def _gain(features, ratio, penalty):
    """Return 1 / (1 + del) at each kappa, and R = (penalty + ratio sum g (mu mu^T + C) / (1 + del))^-1."""
    k, weights = features.mean.shape[1], ratio * features.weights

    def resolvent(log_gain):
        share = weights * np.exp(-log_gain)
        return inverse(penalty * np.eye(k) + (features.mean.T * share) @ features.mean + features.summed(share))

    def update(log_gain):
        return np.log1p(features.traces(resolvent(log_gain)) / k)

    log_gain, residual = accelerated(update, np.zeros(len(weights)))
    if residual > _TOLERANCE:
        raise NotConverged(f"the equations of a giant step do not converge at lambda m = {penalty:g}: raise ridge")
    return np.exp(-log_gain), resolvent(log_gain)
