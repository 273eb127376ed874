"""The distribution of a single random feature z = g(u), u Gaussian, in closed form.

It is described by its mean, its variance and the Hermite coefficients E[He_n((u - mean) / deviation) g(u)] / sqrt n!.
Products of these are the coefficients of the covariance of two features in the correlation of their fields.
"""

import math

import numpy as np
from scipy.special import erfcx, ndtr

from twolayer.theory.averages.gaussian_integrals import erf_value

_ABSCISSAE, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def relu_moments(h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of relu(h + z), z standard normal, accurate relative to max(h, 1) for every h.

    Both follow from relu(z - |h|), whose moments are small. The identity relu(u) = u + relu(-u) gives the case h > 0
    without cancellation of h^2.
    """
    far = np.abs(h)
    density = np.exp(-0.5 * far**2) / math.sqrt(2 * math.pi)
    mills = math.sqrt(math.pi / 2) * erfcx(far / math.sqrt(2))
    tail_mean = density * (1 - far * mills)
    tail_variance = density * ((1 + far**2) * mills - far) - tail_mean**2
    mean = np.maximum(h, 0.0) + tail_mean
    variance = np.where(h > 0, 1 - 2 * density * mills, 0.0) + tail_variance
    return mean, variance


def erf_moments(mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of erf(u / sqrt 2) from mean and variance of u; the variance has a small relative error.

    It is the integral of a positive density over the correlation of two units, from 0 to the correlation of a unit with
    itself.

    Source: own derivation.
    """
    h_squared, angle = mean**2 / (1 + variance), np.arcsin(variance / (1 + variance))
    nodes = 0.5 * (1 + _ABSCISSAE)
    integral = sum(
        weight * np.exp(-h_squared / (1 + np.sin(node * angle))) for node, weight in zip(nodes, _WEIGHTS, strict=True)
    )
    return erf_value(mean, variance), angle / np.pi * integral


def _density_derivatives(h, count):
    """Yield the standard normal density at h and its derivatives, `count` functions in total."""
    current, previous = np.exp(-0.5 * h**2) / math.sqrt(2 * math.pi), np.zeros_like(h)
    for n in range(count):
        yield current
        current, previous = -h * current - n * previous, current


def relu_hermite(h: np.ndarray, order: int) -> np.ndarray:
    """Return coefficients E[He_n(z) relu(h + z)] / sqrt n!, n = 1..order, of the Hermite expansion of relu(h + z).

    Args:
        h: (C, F).

    Returns: (order, C, F). The n-th coefficient is the n-th derivative of h Phi(h) + phi(h).
    """
    coefficients = [ndtr(h)]
    for n, derivative in enumerate(_density_derivatives(h, order - 1), start=2):
        coefficients.append(derivative / math.sqrt(math.factorial(n)))
    return np.stack(coefficients)


def erf_hermite(mean: np.ndarray, deviation: np.ndarray, order: int) -> np.ndarray:
    """Return the coefficients of g(mean + deviation z) for erf, whose average is 2 Phi(mean / sqrt(1 + deviation^2)) -
    1.

    Args:
        mean: (C, F). deviation: (F,) or (C, F).

    Returns: (order, C, F).
    """
    root = np.sqrt(1 + deviation**2)
    derivatives = enumerate(_density_derivatives(mean / root, order), start=1)
    return np.stack([2 * (deviation / root) ** n * d / math.sqrt(math.factorial(n)) for n, d in derivatives])


def relu_distribution(mean: np.ndarray, deviation: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    """Return the distribution as `UnitAverages.feature_distribution` does."""
    h = mean / deviation
    unit_mean, unit_variance = relu_moments(h)
    return deviation * unit_mean, deviation**2 * unit_variance, deviation * relu_hermite(h, order)


def erf_distribution(mean: np.ndarray, deviation: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    """Return the distribution as `UnitAverages.feature_distribution` does."""
    return *erf_moments(mean, deviation**2), erf_hermite(mean, deviation, order)


def linear_distribution(mean: np.ndarray, deviation: np.ndarray, _: int) -> tuple[np.ndarray, ...]:
    """Return the distribution as `UnitAverages.feature_distribution` does, with the only coefficient of linear
    features.
    """
    spread = np.full_like(mean, deviation)
    return mean, spread**2, spread[None]


def sign_distribution(mean: np.ndarray, deviation: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    """Return the distribution as `UnitAverages.feature_distribution` does."""
    h = mean / deviation
    derivatives = enumerate(_density_derivatives(h, order), start=1)
    coefficients = np.stack([2 * d / math.sqrt(math.factorial(n)) for n, d in derivatives])
    return 1 - 2 * ndtr(-h), 4 * ndtr(h) * ndtr(-h), coefficients
