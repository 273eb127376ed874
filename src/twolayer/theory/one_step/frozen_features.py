"""Ridge regression on the features of a first layer that the gradient step does not change, without simulation.

As n, m and k grow in proportion, features phi(F x) of Gaussian inputs act like k_0 + k_1 F x + k_* g with independent
noise g. For x distributed by Marchenko and Pastur, their covariance has the eigenvalues h_1^2 x + h_*^2, and ridge
regression on them has the error of the replica solution. Spikes of size theta are few: they affect only the length of
the teacher, as long as theta << n. The step also has no other effect, as long as eta << sqrt n. The slowest correction
at finite size is the error of the fit of the labels' mean if k_0 is small. It is included.
"""

import math

import numpy as np

from twolayer.model.networks.hermite_expansion import HermiteExpansion
from twolayer.model.networks.learning import Losses
from twolayer.theory.numerics.spectral_measure import spectral_measure
from twolayer.theory.replica.replica_equations import Spectrum, linear_labels
from twolayer.theory.replica.ridge import ridge_errors

_NODES = 400


def marchenko_pastur(aspect: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues x of G G^T / n for G (k, n) standard normal, and their weights.

    The substitution x = 1 + aspect + 2 sqrt(aspect) cos t makes the density smooth and periodic in t, so that equally
    spaced nodes converge exponentially.

    Args:
        aspect: k / n. Above one, a fraction 1 - 1 / aspect of the eigenvalues is zero.
    """
    t = (np.arange(_NODES) + 0.5) * (math.pi / _NODES)
    x = 1 + aspect + 2 * math.sqrt(aspect) * np.cos(t)
    weights = 2 * np.sin(t) ** 2 / (x * _NODES)
    return np.append(x, 0.0), np.append(weights, max(0.0, 1 - 1 / aspect))


def teacher_power(spike: float, ratio: float, dimension: int) -> float:
    """Return E 1 / ||Sigma||: the power of the label's field for two components with one spike each, in random
    directions.

    Args:
        spike: theta. ratio: fraction of the first component. dimension: n; the overlap of the directions is N(0, 1 /
            n).
    """
    overlap = np.linspace(0, 8, 2001) / math.sqrt(dimension)
    density = np.exp(-dimension * overlap**2 / 2)
    norm = 1 + spike / 2 * (1 + np.sqrt(1 - 4 * ratio * (1 - ratio) * (1 - overlap**2)))
    return float(np.sum(density / norm) / np.sum(density))


def frozen_ridge(
    expansion: HermiteExpansion,
    power: float,
    width_ratio: float,
    dimension_ratio: float,
    penalty: float,
    width: int | None = None,
) -> Losses:
    """Return the errors of ridge regression on frozen features, for labels relu(nu) with nu normal of variance `power`.

    Args:
        expansion: expansion of the activation to degree one.
        width_ratio: k / m. dimension_ratio: n / m. penalty: lambda m.
        width: k. With a width, the features' mean k_0 fits the mean of the labels, which adds a squared error of order
            (k_1^2 + k_*^2) / (k k_0^2), a tenth of the error if k_0 is small. By default, this term is left out.

    Source: demir2025, equivalent model, at step zero; goldt2021, replica solution of ridge regression.
    """
    aspect = width_ratio / dimension_ratio
    x, weights = marchenko_pastur(aspect)
    mean, slope = expansion.coefficients
    eigenvalues = slope**2 * x + expansion.rest**2
    alignments = aspect * slope**2 * x * power / 4  # E y nu = power / 2
    squared_label, squared_mean = power / 2, power / (2 * math.pi)
    if abs(mean) > 1e-12 and width is None:
        squared_label -= squared_mean
    elif abs(mean) > 1e-12:
        modes, shares = _along_the_mean(eigenvalues, weights, width * mean**2)
        eigenvalues = np.append(eigenvalues, modes)
        alignments = np.append(alignments, np.full(len(modes), width**2 * mean**2 * squared_mean))
        weights = np.append((1 - 1 / width) * weights, shares / width)
    spectrum = Spectrum(squared_label, eigenvalues, alignments, weights)
    return ridge_errors(spectrum, linear_labels(spectrum), 1 / width_ratio, penalty)


def _along_the_mean(eigenvalues, weights, strength):
    """Return eigenvalues, and the weights of a direction on them after it gains `strength` more variance.

    Before, the direction has equal weight on all modes of the covariance.
    """
    direction = np.sqrt(weights)
    return spectral_measure(np.diag(eigenvalues) + strength * np.outer(direction, direction), direction)
