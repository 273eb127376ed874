"""Errors of kernel ridge regression, and of a finite number of random features, from the modes of the kernel.

Averages over the data tend to these equations as the dimension grows. The estimate of a mode is damped by the factor g
= eigenvalue / (eigenvalue + kappa), where kappa is the effective ridge. The part of the labels that is not learned acts
as noise of variance q in the output.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr

from twolayer.theory.kernels.kernel_modes import Modes
from twolayer.theory.numerics.quadratic_forms import negative_probability

_NORMALS = np.linspace(-9, 9, 20_001)
_DENSITY = np.exp(-(_NORMALS**2) / 2) / np.exp(-(_NORMALS**2) / 2).sum()
_RIDGES = (1e-12, 1e6)  # range of the search for the best ridge, in units of the diagonal of the kernel


@dataclass(frozen=True)
class Learned:
    """The learned part of the labels.

    Attributes:
        gain: factor g c of the mode that carries the labels, whose correlation with the labels is c.
        noise: variance q of the rest of the output.
        pmse: half the mean squared error.
        ridge: ridge of the regression, on the scale of the kernel.
        effective_ridge: kappa.
    """

    gain: float
    noise: float
    pmse: float
    ridge: float
    effective_ridge: float


def effective_ridge(modes: Modes, samples: float, ridge: float) -> float:
    """Return kappa, the root of samples = sum_i d_i e_i / (e_i + kappa) + (ridge + rest) / kappa.

    It is 0 if ridge and rest are 0, and there are at least as many samples as modes.
    """
    positive = modes.eigenvalues > 0
    eigenvalues, multiplicities = modes.eigenvalues[positive], modes.multiplicities[positive]
    outside, unknown = ridge + modes.rest, multiplicities.sum() - samples
    if outside == 0 and unknown <= 0:
        return 0.0

    def excess(log_kappa):
        kappa = np.exp(log_kappa)
        return multiplicities @ (eigenvalues / (eigenvalues + kappa)) + outside / kappa - samples

    lower = max(outside / samples, unknown / (multiplicities @ (1 / eigenvalues)))
    upper = (multiplicities @ eigenvalues + outside) / samples
    return float(np.exp(brentq(excess, np.log(lower) - 1e-9, np.log(upper) + 1e-9, xtol=1e-13)))


def learned_from_samples(modes: Modes, samples: float, ridge: float | None) -> Learned:
    """Solve the equations of kernel ridge regression.

    Args:
        samples: number n of training samples.
        ridge: added to the diagonal of the kernel matrix; None selects the ridge with the least pmse.

    References:
        Bordelon, Canatar and Pehlevan 2020, Spectrum dependent learning curves in kernel regression.
    """
    if ridge is None:
        diagonal = modes.multiplicities @ modes.eigenvalues + modes.rest
        bounds = tuple(np.log(np.array(_RIDGES) * diagonal))
        best = minimize_scalar(
            lambda log_ridge: learned_from_samples(modes, samples, float(np.exp(log_ridge))).pmse,
            bounds=bounds,
            method="bounded",
        )
        ridge = float(np.exp(best.x))
    kappa = effective_ridge(modes, samples, ridge)
    shares = _shares(modes, kappa)
    fluctuation = modes.multiplicities @ shares**2 / samples
    c = modes.correlation
    pmse = 0.5 * (1 - c**2 + (c * (1 - shares[0])) ** 2) / (1 - fluctuation)
    return Learned(shares[0] * c, 2 * pmse * fluctuation, pmse, ridge, kappa)


def learned_by_features(modes: Modes, features: float) -> Learned:
    """Solve the equations of the best readout of a finite number of random features, for infinitely many samples.

    Samples and features exchange their roles: kappa is the effective ridge of `features` samples without a ridge.
    """
    kappa = effective_ridge(modes, features, 0.0)
    share, c = _shares(modes, kappa)[0], modes.correlation
    return Learned(share * c, c**2 * share * (1 - share), 0.5 * (1 - c**2 * share), 0.0, kappa)


def _shares(modes, kappa):
    """Return the learned shares (m,) of the modes; 0 for a mode without eigenvalue."""
    learned = modes.eigenvalues > 0
    return np.divide(modes.eigenvalues, modes.eigenvalues + kappa, out=np.zeros(len(learned)), where=learned)


def everything(modes: Modes) -> Learned:
    """Return the result if the mode of the labels is known exactly, and nothing else is learned."""
    c = modes.correlation
    return Learned(c, 0.0, 0.5 * (1 - c**2), 0.0, 0.0)


def weak_xor_class_error(learned: Learned, sigma: float) -> float:
    """Return the class error on the XOR mixture with means of length 1.

    The output follows x_1^2 - x_2^2 along the means.
    """
    factors = np.array([1.0, -1.0]) * learned.gain / (1 + 2 * sigma**2)
    return negative_probability(factors, np.array([1.0, 0.0]), sigma**2, learned.noise)


def weak_three_clusters_class_error(learned: Learned, sigma: float) -> float:
    """Return the class error on three clusters with means of length 1 or 0.

    The output falls with the square along the means.
    """
    if learned.gain == 0:
        return 0.5
    width = math.sqrt(0.25 + 2 * sigma**2 + 2 * sigma**4)
    # squares at which the output is zero
    squares = sigma**2 + 0.5 + width * math.sqrt(learned.noise) / learned.gain * _NORMALS
    edge = np.sqrt(np.maximum(squares, 0.0)) / sigma
    outside = 2 * ndtr(-edge)
    inside = ndtr(edge - 1 / sigma) - ndtr(-edge - 1 / sigma)
    return float(_DENSITY @ (outside + inside) / 2)


def strong_xor_class_error(learned: Learned, sigma: float) -> float:
    """Return the class error on the XOR mixture with means of length sqrt D.

    The output is the label plus noise.
    """
    return _normal_class_error(learned.gain, learned.noise)


def mixed_xor_class_error(learned: Learned, sigma: float) -> float:
    """Return the class error on the XOR mixture with a strong and a weak direction.

    The output follows the weak direction.
    """
    power = 1 + sigma**2
    return _normal_class_error(learned.gain / math.sqrt(power), learned.gain**2 * sigma**2 / power + learned.noise)


def _normal_class_error(mean, variance):
    if variance == 0:
        return 0.5 if mean == 0 else 0.0
    return float(ndtr(-mean / math.sqrt(variance)))
