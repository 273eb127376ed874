"""Labels y = sign(nu + noise) of a Gaussian field nu: without noise, with normal noise, and with logistic noise.

Logistic noise is a scale mixture of normal noise. A sum over 24 scales reproduces its distribution to 1e-14, so that
one formula with noises s_i of probabilities p_i holds for all labels.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, owens_t

from twolayer.theory.replica.replica_equations import Labels

# scales of logistic noise, half the standard deviations of its normal parts
_SCALES = np.exp(np.linspace(-1.6, 1.45, 24))
_TERMS = np.arange(1, 60)


@dataclass(frozen=True, eq=False)
class LabelChannel:
    """Labels sign(nu + s_i z) with the probability p_i.

    Attributes:
        probabilities: (I,) p. noises: (I,) s.
    """

    probabilities: np.ndarray
    noises: np.ndarray

    def moments(self, power: float) -> Labels:
        """Return the moments that the square loss needs, for a field of variance `power`."""
        slope = self.probabilities @ np.sqrt(2 / (math.pi * (power + self.noises**2)))
        return Labels(1.0, float(slope))

    def seen_from(self, power: float, angle: float) -> "SeenLabels":
        """Return the distribution of the labels given an output whose correlation with nu is tanh(angle)."""
        left = self.noises**2 + (power / math.cosh(angle) ** 2 if math.isfinite(angle) else 0.0)
        with np.errstate(divide="ignore"):  # an output may determine the label
            return SeenLabels(self.probabilities, math.tanh(angle) * np.sqrt(power / left), 1 / np.sqrt(left))

    def class_error(self, power: float, angle: float) -> float:
        """Return the probability that a fresh label has another sign than the output."""
        cosines = math.tanh(angle) * np.sqrt(power / (power + self.noises**2))
        return float(self.probabilities @ np.arccos(cosines)) / math.pi


@dataclass(frozen=True, eq=False)
class SeenLabels:
    """Distribution of labels given an output of xi standard deviations.

    Attributes:
        probabilities: (I,) p.
        steepness: (I,) k; the label is positive with probability sum p Phi(k xi).
        densities: (I,) 1 / standard deviation of nu + s_i z given the output.
    """

    probabilities: np.ndarray
    steepness: np.ndarray
    densities: np.ndarray

    @property
    def steepest(self) -> float:
        """Largest slope of Phi(k xi), at least 1."""
        return math.sqrt(1 + np.max(self.steepness**2))

    def share(self, xi: np.ndarray) -> np.ndarray:
        """Return twice the probability of a positive label."""
        return 2 * (self.probabilities @ ndtr(self.steepness[:, None] * xi))

    def slope(self, xi: np.ndarray) -> np.ndarray:
        """Return the derivative of the mean label by the mean of nu."""
        heights = 2 * self.probabilities * self.densities / math.sqrt(2 * math.pi)
        return heights @ np.exp(-((self.steepness[:, None] * xi) ** 2) / 2)

    def below(self, margin: float) -> float:
        """Return the probability that y xi is less than -margin."""
        each = ndtr(-margin) - 2 * owens_t(margin, self.steepness)
        return max(float(self.probabilities @ each), 0.0)  # rounding errors of the difference may be negative


def label_channel(labels: str, noise: float) -> LabelChannel:
    """Return the channel with a given name.

    Args:
        labels: `sign`, `probit` (normal noise) or `logit` (logistic noise).
        noise: standard deviation of normal noise, or scale of logistic noise.
    """
    if labels != "logit":
        return LabelChannel(np.ones(1), np.array([noise if labels == "probit" else 0.0]))
    weights = _SCALES * _kolmogorov(_SCALES)
    return LabelChannel(weights / weights.sum(), 2 * noise * _SCALES)


def _kolmogorov(a):
    """Return the density of the scales a of logistic noise, the Kolmogorov distribution, by two series."""
    k, a = _TERMS, a[:, None]
    large = 8 * a * (-1.0) ** (k + 1) * k**2 * np.exp(-2 * k**2 * a**2)
    j = (2 * k - 1) ** 2 * math.pi**2 / 8
    small = math.sqrt(2 * math.pi) * np.exp(-j / a**2) * (2 * j / a**4 - 1 / a**2)
    return np.where(a < 0.8, small, large).sum(axis=1)
