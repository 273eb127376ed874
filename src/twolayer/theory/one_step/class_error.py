"""Class error of a network with a fitted second layer, for fields that are Gaussian given the first layer.

Along the spikes of a mixture, or the means of its clusters, and along the gradient step, the fields of all units are
strongly correlated, and a sum of their features is not Gaussian. Given the components u of the inputs along these
directions, the sum is Gaussian. P(f < 0 | u) follows from mean and variance of f, and the average over u has few
dimensions. The weights of the second layer are normal over training sets.

Source: own derivation from goldt2021, replica solution of ridge regression.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.linalg
from numba import njit
from scipy.interpolate import RectBivariateSpline
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

_LOG2_POINTS = 8  # binary logarithm of the number of points, with a relative error of 2e-3 or less
_ROUNDING = 1e-12  # part of a unit's squared weights below which the rest counts as zero
_LEVELS, _DEVIATIONS = 15, 20  # nodes per unit of the mean and the deviation of a field, in tables of features
_PER_UNIT = 6  # nodes per unit of mean / deviation, and of log deviation, of splines


@dataclass(frozen=True, eq=False)
class SecondLayer:
    """Distribution of the weights a (k,) of an output a . (phi(z) - centre) + offset, over training sets.

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
    """Return the distribution of the second layer that ridge regression fits.

    Args:
        Omega: (k, k) moments of the features. correlation: (k,) moments with the labels. Both belong to the spectrum.
        sample_ratio, penalty: as for `ridge_errors`.

    Source: goldt2021, replica solution of ridge regression.
    """
    overlaps, width = ridge_overlaps(spectrum, linear_labels(spectrum), sample_ratio, penalty), len(Omega)
    gain = inverse(penalty * np.eye(width) + overlaps.V_hat * Omega)
    spread = (gain - penalty * gain @ gain.T) / overlaps.V_hat  # gain Omega gain
    return SecondLayer(overlaps.m_hat * gain @ correlation, overlaps.q_hat / width * spread)


@dataclass(frozen=True, eq=False)
class Cluster:
    """Inputs with one label along r axes. Their distribution is normal.

    Attributes:
        ratio: fraction of the samples. label: -1 or 1. mean: (r,). root: (r, r) root of the covariance.
    """

    ratio: float
    label: float
    mean: np.ndarray
    root: np.ndarray


_UNDERFLOWS = 1e-100  # the square of a smaller change may underflow


def strong_axes(directions: Sequence[np.ndarray], step: np.ndarray, count: int = 1) -> np.ndarray:
    """Return orthonormal axes (n, r) of directions (n, p), and the leading ones of a change (k, n) if it is not zero.

    Args:
        count: number of leading axes, the number of steps.
    """
    n, size = step.shape[1], np.abs(step).max()
    if size == 0:
        return scipy.linalg.orth(np.hstack(directions))
    step = step / size if size < _UNDERFLOWS else step
    covariance = LinearOperator((n, n), lambda axis: step.T @ (step @ axis), dtype=float)
    leading = eigsh(covariance, k=count, v0=np.random.default_rng(0).standard_normal(n))[1]
    return scipy.linalg.orth(np.hstack([*directions, leading]))


def spiked_clusters(distribution: LabelledMixture, axes: np.ndarray) -> list[Cluster]:
    """Return the components of a spiked mixture, along axes whose span contains its spikes."""
    mixture, flat = distribution.mixture, np.eye(axes.shape[1])
    spreads = [(axes.T @ gamma) * np.sqrt(theta) for gamma, theta in zip(mixture.frames, mixture.spikes, strict=True)]
    roots = [np.linalg.cholesky(flat + spread @ spread.T) for spread in spreads]
    signs = component_signs(len(roots))
    return [Cluster(r, s, np.zeros(len(flat)), root) for r, s, root in zip(mixture.ratios, signs, roots, strict=True)]


def isotropic_clusters(mixture: IsotropicMixture, axes: np.ndarray) -> list[Cluster]:
    """Return the clusters of an isotropic mixture, along axes whose span contains its means."""
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
    """Return the probability that the sign of the output is not the label.

    Args:
        along: (k, r) weights of the first layer along the axes. covariance: (k, k) of the fields for given components.

    Raises:
        ConfigError: for given components, the variance of a field is zero up to rounding.
        NotConverged: the variance of the output is zero up to rounding.
    """
    variance = np.diag(covariance)
    if not np.min(variance / (variance + np.sum(along**2, axis=1))) > _ROUNDING:
        raise ConfigError(
            f"input_dimension is too small: the {along.shape[1]} axes of the means and of the step hold all weights "
            "of a unit: give a larger input_dimension"
        )
    deviation = np.sqrt(variance)
    power = np.outer(second.mean, second.mean) + second.covariance
    squares, pairs = np.diag(power), power * covariance
    np.fill_diagonal(pairs, 0)
    points = sobol_normals(along.shape[1], _LOG2_POINTS, 0)
    components = np.vstack([cluster.mean + points @ cluster.root.T for cluster in clusters])
    fields = components @ along.T
    distributions = (np.split(part, len(clusters)) for part in _features(activation, fields, deviation))
    wrong = 0.0
    for cluster, means, *distribution in zip(clusters, np.split(fields, len(clusters)), *distributions, strict=True):
        output, power = _output(*distribution, second, deviation, pairs, squares)
        if not np.min(power) > 0:  # the sum of terms of either sign is below the error of the tables
            output, power = _output(*_distribution(activation, means, deviation), second, deviation, pairs, squares)
        if not np.min(power) > 0:
            raise NotConverged(f"the variance of an output is {np.min(power):.3g} up to rounding: raise sigma or ridge")
        wrong += cluster.ratio * np.mean(ndtr(-cluster.label * output / np.sqrt(power)))
    return float(wrong)


def _output(mean, variance, coefficient, second, deviation, pairs, squares):
    """Return mean and variance (n,) of the output, from the features' distribution (n, k) at each of the points."""
    centred, slope = mean - second.centre, coefficient / deviation
    scatter = np.sum(centred @ second.covariance * centred, axis=1) + np.sum(slope @ pairs * slope, axis=1)
    return centred @ second.mean + second.offset, scatter + variance @ squares


def _features(activation, mean, deviation):
    """Return mean, variance and first Hermite coefficient of features of fields with mean (n, k) and deviation (k,).

    Tables are used if they have fewer nodes than there are features. Where averages are series, splines replace those
    of fields that are all wider than one.
    """
    reach, low, high = np.abs(mean).max(), deviation.min() * _DEVIATIONS, deviation.max() * _DEVIATIONS
    reach, low, high = math.ceil(reach), math.floor(low), math.floor(high) + 1
    if low == 0 or (2 * reach * _LEVELS + 1) * (high - low + 1) > mean.size:  # no distribution has a deviation of zero
        splined = deviation.min() >= 1 and not unit_averages(activation).closed
        return (_splined if splined else _distribution)(activation, mean, deviation)
    found = np.empty((3, *mean.shape))
    _interpolate(_tables(activation, reach, low, high), (mean + reach) * _LEVELS, deviation * _DEVIATIONS - low, found)
    return found


def _splined(activation, mean, deviation):
    """Return the same from cubic splines in mean / deviation and log deviation, if these need fewer averages."""
    rows, columns = mean / deviation, np.log(deviation)
    reach, low, high = np.abs(rows).max(), columns.min(), max(columns.max(), columns.min() + 1 / _PER_UNIT)
    sizes = [4 + math.ceil(length * _PER_UNIT) for length in (2 * reach, high - low)]
    if math.prod(sizes) >= mean.size:
        return _distribution(activation, mean, deviation)
    at = np.linspace(-reach, reach, sizes[0]), np.linspace(low, high, sizes[1])
    tables = _distribution(activation, at[0][:, None] * np.exp(at[1]), np.exp(at[1]))
    places = rows, np.broadcast_to(columns, rows.shape)
    return tuple(RectBivariateSpline(*at, table).ev(*places) for table in tables)


@njit(cache=True, nogil=True)
def _interpolate(tables, rows, columns, found):
    """Return values (T, n, k) of tables (R, C, T), interpolated linearly at rows (n, k) and columns (k,)."""
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
    """Return tables (means, deviations, 3) for means from -reach to reach, and deviations between two of the nodes."""
    levels, deviations = np.linspace(-reach, reach, 2 * reach * _LEVELS + 1), np.arange(low, high + 1) / _DEVIATIONS
    return np.stack(_distribution(activation, np.tile(levels[:, None], len(deviations)), deviations), axis=-1)


def _distribution(activation, mean, deviation):
    unit_mean, variance, coefficients = unit_averages(activation).feature_distribution(mean, deviation, 1)
    return unit_mean, variance, coefficients[0]
