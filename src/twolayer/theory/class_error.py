"""How often a fitted second layer misses the class of an input, whose fields are Gaussian given the first layer.

Along the spikes of a mixture, or the means of its clusters, and along the gradient step, the fields of all units move
together, and a sum of their features is not Gaussian. Given the inputs' components u there it is: P(f < 0 | u) follows
from mean and variance of f, and an average over u is over a few dimensions. The second layer itself is normal over
training sets.

Source: own, from goldt2021, replica solution of ridge regression.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.ndimage import map_coordinates
from scipy.special import ndtr

from twolayer.model.activations import Activation
from twolayer.model.mixtures import IsotropicMixture
from twolayer.model.spiked_mixtures import LabelledMixture, component_signs
from twolayer.theory.nodes import sobol_normals
from twolayer.theory.replica import Spectrum, linear_labels, ridge_overlaps
from twolayer.theory.units import unit_averages

_LOG2_POINTS = 8  # which leave a relative error of 2e-3 or less
_LEVELS, _DEVIATIONS = 150, 3  # nodes of a table of the features' law in the mean and the deviation of a field


@dataclass(frozen=True)
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
    gain = np.linalg.inv(penalty * np.eye(width) + overlaps.V_hat * Omega)
    return SecondLayer(overlaps.m_hat * gain @ correlation, overlaps.q_hat / width * (gain @ Omega @ gain))


@dataclass(frozen=True)
class Cluster:
    """Inputs of one label along r axes, where they are normal.

    Attributes:
        ratio: of the samples. label: -1 or 1. mean: (r,). root: (r, r) of the covariance.
    """

    ratio: float
    label: float
    mean: np.ndarray
    root: np.ndarray


def strong_axes(directions: Sequence[np.ndarray], step: np.ndarray) -> np.ndarray:
    """(n, r) orthonormal axes of directions (n, p), and of the leading one of a step (k, n) that is not zero."""
    leading = scipy.linalg.eigh(step @ step.T, subset_by_index=[len(step) - 1] * 2)[1].T @ step
    return scipy.linalg.orth(np.hstack([*directions, leading.T / np.linalg.norm(leading)]))


def spiked_clusters(law: LabelledMixture, axes: np.ndarray) -> list[Cluster]:
    """The components of a spiked mixture, along axes that hold its spikes."""
    mixture, flat = law.mixture, np.eye(axes.shape[1])
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
    """
    deviation = np.sqrt(np.diag(covariance))
    power = np.outer(second.mean, second.mean) + second.covariance
    pairs, own = power * (covariance / np.outer(deviation, deviation)), np.diag(power)
    np.fill_diagonal(pairs, 0)
    points = sobol_normals(along.shape[1], _LOG2_POINTS, 0)
    components = np.vstack([cluster.mean + points @ cluster.root.T for cluster in clusters])
    laws = (np.split(part, len(clusters)) for part in _features(activation, components @ along.T, deviation))
    wrong = 0.0
    for cluster, mean, variance, slope in zip(clusters, *laws, strict=True):
        centred = mean - second.centre
        scatter = np.sum(centred @ second.covariance * centred, axis=1) + np.sum(slope @ pairs * slope, axis=1)
        margin = cluster.label * (centred @ second.mean + second.offset)
        wrong += cluster.ratio * np.mean(ndtr(-margin / np.sqrt(scatter + variance @ own)))
    return float(wrong)


def _features(activation, mean, deviation):
    """Mean, variance and first Hermite coefficient of the features of fields of a mean (n, k) and a deviation (k,)."""
    levels = np.linspace(mean.min(), mean.max(), _LEVELS)
    deviations = np.linspace(deviation.min(), deviation.max() * (1 + 1e-9), _DEVIATIONS)
    tables = unit_averages(activation).feature_law(np.tile(levels[:, None], _DEVIATIONS), deviations, 1)
    place = [
        (mean - levels[0]) / (levels[1] - levels[0]),
        np.broadcast_to((deviation - deviations[0]) / (deviations[1] - deviations[0]), mean.shape),
    ]
    return [map_coordinates(np.squeeze(table), place, order=1, mode="nearest") for table in tables]
