"""How often a fitted second layer misses the class of an input, whose fields are Gaussian given the first layer.

Along the spikes of a mixture, or the means of its clusters, and along the gradient step, the fields of all units move
together, and a sum of their features is not Gaussian. Given the inputs' components u there it is: P(f < 0 | u) follows
from mean and variance of f, and an average over u is over a few dimensions. The second layer itself is normal over
training sets.

Source: own, from goldt2021, replica solution of ridge regression.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.linalg
from numba import njit
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.special import ndtr

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.spiked_mixtures import LabelledMixture, component_signs
from twolayer.model.networks.activations import Activation
from twolayer.theory.averages.nodes import sobol_normals
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.numerics.spectral_measure import inverse
from twolayer.theory.replica.replica_equations import Spectrum, linear_labels, ridge_overlaps

_LOG2_POINTS = 8  # which leave a relative error of 2e-3 or less
_ROUNDING = 1e-12  # part of a unit's squared weights that is none
_LEVELS, _DEVIATIONS = (
    15,
    20,
)  # nodes per unit of the mean and the deviation of a field, in tables of the features' distribution


@dataclass(frozen=True, eq=False)
class SecondLayer:
    """Law of the weights a (k,) of an output a . (phi(z) - centre) + offset, over training sets.

    Attributes:
        mean: (k,). covariance: (k, k).
    """

    mean: np.ndarray
    covariance: np.ndarray
    centre: np.ndarray | float = 0.0
    offset: float = 0.0


def second_layer(
    Omega: np.ndarray, correlation: np.ndarray, spectrum: Spectrum, sample_ratio: float, penalty: float
) -> SecondLayer:
    """Of ridge regression.

    Args:
        Omega: (k, k) and correlation: (k,), moments of the features, and with the labels, that the spectrum is of.
        sample_ratio, penalty: as of `ridge_errors`.

    Source: goldt2021, replica solution of ridge regression.
    """
    overlaps, width = ridge_overlaps(spectrum, linear_labels(spectrum), sample_ratio, penalty), len(Omega)
    gain = inverse(penalty * np.eye(width) + overlaps.V_hat * Omega)
    spread = (gain - penalty * gain @ gain.T) / overlaps.V_hat  # gain Omega gain
    return SecondLayer(overlaps.m_hat * gain @ correlation, overlaps.q_hat / width * spread)


@dataclass(frozen=True, eq=False)
class Cluster:
    """Inputs of one label along r axes, where they are normal.

    Attributes:
        ratio: of the samples. label: -1 or 1. mean: (r,). root: (r, r) of the covariance.
    """

    ratio: float
    label: float
    mean: np.ndarray
    root: np.ndarray


def strong_axes(directions: Sequence[np.ndarray], step: np.ndarray, count: int = 1) -> np.ndarray:
    """(n, r) orthonormal axes of directions (n, p), and the leading ones of a change (k, n) that is not zero.

    Args:
        count: number of leading axes, as many as there were steps.
    """
    n = step.shape[1]
    covariance = LinearOperator((n, n), lambda axis: step.T @ (step @ axis), dtype=float)
    leading = eigsh(covariance, k=count, v0=np.random.default_rng(0).standard_normal(n))[1]
    return scipy.linalg.orth(np.hstack([*directions, leading]))


def spiked_clusters(distribution: LabelledMixture, axes: np.ndarray) -> list[Cluster]:
    """The components of a spiked mixture, along axes that hold its spikes."""
    mixture, flat = distribution.mixture, np.eye(axes.shape[1])
    spreads = [(axes.T @ gamma) * np.sqrt(theta) for gamma, theta in zip(mixture.frames, mixture.spikes, strict=True)]
    roots = [np.linalg.cholesky(flat + spread @ spread.T) for spread in spreads]
    signs = component_signs(len(roots))
    return [Cluster(r, s, np.zeros(len(flat)), root) for r, s, root in zip(mixture.ratios, signs, roots, strict=True)]


def isotropic_clusters(mixture: IsotropicMixture, axes: np.ndarray) -> list[Cluster]:
    """The clusters of an isotropic mixture, along axes that hold its means."""
    means, root = mixture.means @ axes[: mixture.means.shape[1]], np.sqrt(mixture.variance) * np.eye(axes.shape[1])
    rows = zip(mixture.weights, mixture.labels, means, strict=True)
    return [Cluster(weight, label, mean, root) for weight, label, mean in rows]


def class_error(
    clusters: Sequence[Cluster],
    along: np.ndarray,
    covariance: np.ndarray,
    activation: Activation,
    second: SecondLayer,
) -> float:
    """Probability that the sign of the output is not the label.

    Args:
        along: (k, r) weights of the first layer along the axes. covariance: (k, k) of the fields for given components.

    Raises:
        ConfigError: nothing but rounding is left of the fields' variance for given components.
        NotConverged: nothing but rounding is left of the output's variance.
    """
    variance = np.diag(covariance)
    if not np.min(variance / (variance + np.sum(along**2, axis=1))) > _ROUNDING:
        raise ConfigError(
            f"input_dimension is too small: the {along.shape[1]} axes of the means and of the step hold all weights "
            "of a unit, give a larger input_dimension"
        )
    deviation = np.sqrt(variance)
    power = np.outer(second.mean, second.mean) + second.covariance
    own, pairs = np.diag(power), power * covariance
    np.fill_diagonal(pairs, 0)
    points = sobol_normals(along.shape[1], _LOG2_POINTS, 0)
    components = np.vstack([cluster.mean + points @ cluster.root.T for cluster in clusters])
    fields = components @ along.T
    distributions = (np.split(part, len(clusters)) for part in _features(activation, fields, deviation))
    wrong = 0.0
    for cluster, means, *distribution in zip(clusters, np.split(fields, len(clusters)), *distributions, strict=True):
        output, power = _output(*distribution, second, deviation, pairs, own)
        if not np.min(power) > 0:  # terms of either sign leave less than the error of the tables
            output, power = _output(*_distribution(activation, means, deviation), second, deviation, pairs, own)
        if not np.min(power) > 0:
            raise NotConverged(
                f"rounding leaves a variance of {np.min(power):.3g} to an output: give more noise, sigma, or a larger "
                "ridge"
            )
        wrong += cluster.ratio * np.mean(ndtr(-cluster.label * output / np.sqrt(power)))
    return float(wrong)


def _output(mean, variance, coefficient, second, deviation, pairs, own):
    """Mean and variance (n,) of the output, from the features' distribution (n, k) at each of the points."""
    centred, slope = mean - second.centre, coefficient / deviation
    scatter = np.sum(centred @ second.covariance * centred, axis=1) + np.sum(slope @ pairs * slope, axis=1)
    return centred @ second.mean + second.offset, scatter + variance @ own


def _features(activation, mean, deviation):
    """Mean, variance and first Hermite coefficient of the features of fields of a mean (n, k) and a deviation (k,).

    From tables, where these have fewer nodes than there are features.
    """
    reach, low, high = np.abs(mean).max(), deviation.min() * _DEVIATIONS, deviation.max() * _DEVIATIONS
    reach, low, high = math.ceil(reach), math.floor(low), math.floor(high) + 1
    if low == 0 or (2 * reach * _LEVELS + 1) * (high - low + 1) > mean.size:  # no distribution has a deviation of zero
        return _distribution(activation, mean, deviation)
    found = np.empty((3, *mean.shape))
    _interpolate(_tables(activation, reach, low, high), (mean + reach) * _LEVELS, deviation * _DEVIATIONS - low, found)
    return found


@njit(cache=True, nogil=True)
def _interpolate(tables, rows, columns, found):
    """Values (T, n, k) of tables (R, C, T), linear between the nodes, at rows (n, k) and columns (k,) of them."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            row, column = min(int(rows[i, j]), tables.shape[0] - 2), int(columns[j])
            down, right = rows[i, j] - row, columns[j] - column
            for t in range(tables.shape[2]):
                above = (1 - right) * tables[row, column, t] + right * tables[row, column + 1, t]
                below = (1 - right) * tables[row + 1, column, t] + right * tables[row + 1, column + 1, t]
                found[t, i, j] = (1 - down) * above + down * below


@lru_cache(maxsize=64)
def _tables(activation, reach, low, high):
    """(means, deviations, 3) of the same for means from -reach to reach, and deviations between two of the nodes."""
    levels, deviations = np.linspace(-reach, reach, 2 * reach * _LEVELS + 1), np.arange(low, high + 1) / _DEVIATIONS
    return np.stack(_distribution(activation, np.tile(levels[:, None], len(deviations)), deviations), axis=-1)


def _distribution(activation, mean, deviation):
    unit_mean, variance, coefficients = unit_averages(activation).feature_distribution(mean, deviation, 1)
    return unit_mean, variance, coefficients[0]
