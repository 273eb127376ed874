"""Ridge regression on samples that are drawn from a finite set, with or without replacement.

With replacement, many samples occur twice. Given their covariance, the features of the set's N samples are modelled as
Gaussian: in the coordinates where Omega is the identity, they are N rows of a random orthonormal frame. Sample a is
drawn c_a times. For large N the matrix of the drawn samples acts like s Omega, where

    E 1 / (1 + V (c - s)) = 1,    V = < omega / (lambda + N s omega / d) >

(free compression; for infinitely many samples s = E c / (1 + V c), the replica equation). The minimum of the loss is
then a known function of the counts c. Its derivatives by the counts are the losses: on the set, on the drawn samples,
and on the samples that are left out.

Samples that are drawn at most once follow the distribution of the set. So the errors on fresh samples of any
distribution follow, without bias, from the covariance of a few times more samples than features.

Source: own derivation from nica2006, free compression, and goldt2021, replica solution of ridge regression.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from twolayer.model.networks.learning import Losses
from twolayer.theory.numerics.spectral_measure import inverse
from twolayer.theory.replica.replica_equations import Spectrum
from twolayer.theory.replica.ridgeless import check_rank, interpolating_response

_LEAST = 1e-12  # lower end of the search for s at ridge 0, relative to the mean count


def resampled_ridge(spectrum: Spectrum, samples: int, ridge: float, set_size: int) -> Losses:
    """Return the losses of ridge regression on n samples that are drawn, with replacement, from a set.

    Args:
        spectrum: spectrum of the labels' power and of the covariances over the set.
        ridge: lambda, see `ConvexProblem`. set_size: N.
    """
    counts = np.arange(int(binom.isf(1e-16, samples, 1 / set_size)) + 2)
    minimum = _minimum(spectrum, ridge, set_size, counts, binom.pmf(counts, samples, 1 / set_size))
    drawn = minimum.change(counts) * set_size / samples
    return Losses(drawn, minimum.change(np.ones(len(counts))))


def subset_ridge(spectrum: Spectrum, samples: int, ridge: float, set_size: int) -> Losses:
    """Return the losses of ridge regression on n samples, and on fresh ones, from the covariances over a data set.

    Args:
        spectrum: spectrum of the labels' power and of the covariances over the set.
        ridge: lambda, see `ConvexProblem`. set_size: N, which exceeds the numbers of samples and of features.
    """
    counts, share = np.array([0, 1]), samples / set_size
    minimum = _minimum(spectrum, ridge, set_size, counts, np.array([1 - share, share]))
    return Losses(minimum.value / share, minimum.change(1 - counts) / (1 - share))


def subset_outputs(
    features: np.ndarray, labels: np.ndarray, spectrum: Spectrum, samples: int, ridge: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance (N,) of the output for each sample of a set, over fits to n others of the set.

    Samples differ in their pull on a fit, and in the variance of the output for them. The ratio of the mean variance to
    the mean square of label minus mean output is as in `subset_ridge`. For samples that are not Gaussian, the loss
    minus the loss of `subset_ridge` can be negative.

    Args:
        features: (N, d). labels: (N,). spectrum: spectrum of their covariances. ridge: as for `subset_ridge`.
    """
    set_size, width = features.shape
    counts, share = np.array([0, 1]), samples / set_size
    minimum = _minimum(spectrum, ridge, set_size, counts, np.array([1 - share, share]))
    penalty = width * ridge
    pulled = features @ inverse(minimum.s * features.T @ features + penalty * np.eye(width))
    leverage = minimum.s * np.sum(features * pulled, axis=1)
    residuals = (labels - minimum.s * features @ (pulled.T @ labels)) / (1 - leverage)
    all_samples = (leverage - minimum.s * penalty * np.sum(pulled**2, axis=1)) / minimum.s**2
    scatter = (all_samples - (leverage / minimum.s) ** 2) / (1 - leverage) ** 2  # scatter of all other samples
    left = np.mean(residuals**2) * (1 / minimum.spread - 1)
    return labels - residuals, scatter * (left / np.mean(scatter))


@dataclass(frozen=True, eq=False)
class _Minimum:
    """The least value of loss and penalty, over N, and its derivatives.

    Attributes:
        slope: derivative of the minimum by s. rates: derivative of s by the count of a sample, times the count's
            probability.
        spread: mean square of label minus mean output over the mean square of label minus output, at most 1.
    """

    s: float
    value: float
    slope: float
    rates: np.ndarray
    spread: float

    def change(self, counts: np.ndarray) -> float:
        """Return the derivative of the minimum if the weight of each sample grows by a given amount for each count."""
        return float(self.slope * (self.rates @ counts))


def _minimum(spectrum, ridge, set_size, counts, distribution):
    """Return the minimum for counts, from 0 on, of that distribution; at ridge 0 the limit of small ridges.

    Raises:
        ConfigError: the ridge is 0, and as many samples are drawn as features vary.
    """
    omega, per_feature = spectrum.eigenvalues, set_size / len(spectrum.eigenvalues)
    varies = omega > 0
    if ridge == 0:
        rank, distinct = float(spectrum.weights @ varies), per_feature * (1 - distribution[0])
        check_rank(distinct, rank)
        if distinct < rank:
            return _interpolating_minimum(spectrum, per_feature, distinct, rank, distribution)

    def gains(s):  # omega / (ridge + N s omega / d), which has a limit if both terms are 0
        return np.divide(omega, ridge + per_feature * s * omega, out=np.zeros_like(omega), where=varies)

    def balance(s):
        return distribution @ (1 / (1 + spectrum.average(gains(s)) * (counts - s))) - 1

    mean = float(distribution @ counts)  # larger than s by Jensen's inequality
    least = _LEAST * mean if ridge == 0 else 0.0
    s = mean  # the solution without features, or up to rounding
    if balance(least) < 0 < balance(mean):
        s = brentq(balance, least, mean, xtol=1e-300, rtol=1e-14, maxiter=1000)  # s may be as small as the ridge
    gain = gains(s)
    V = spectrum.average(gain)
    squares = distribution / (1 + V * (counts - s)) ** 2
    square = squares.sum()
    spread = square - (square - 1) * per_feature * spectrum.average(gain**2) / V**2
    left = np.divide(ridge, ridge + per_feature * s * omega, out=np.ones_like(omega), where=varies)
    value, slope = _unfitted(spectrum, left)
    return _Minimum(s, s * value / 2, slope / 2, squares / spread, spread)


def _interpolating_minimum(spectrum, per_feature, distinct, rank, distribution):
    """Return the same for an exact fit of all drawn samples: s is proportional to the ridge, and V to its inverse."""
    v = interpolating_response(spectrum, distinct, rank)
    left = 1 / (1 + v * spectrum.eigenvalues)
    gain = spectrum.eigenvalues * left
    squares = np.zeros(len(distribution))
    square = squares[0] = 1 / distribution[0]
    spread = square - (square - 1) * per_feature * spectrum.average(gain**2) / spectrum.average(gain) ** 2
    return _Minimum(0.0, 0.0, _unfitted(spectrum, left)[1] / 2, squares / spread, spread)


def _unfitted(spectrum, left):
    """Return the mean square of the labels minus their fit, without a part `left` of each mode, to the powers 1 and 2.

    It contains the part of the labels that the features cannot explain.
    """
    omega = spectrum.eigenvalues
    r_squared = spectrum.alignments / np.where(omega > 0, omega, np.inf)
    unexplained = spectrum.power - spectrum.average(r_squared)
    return [unexplained + spectrum.average(r_squared * left**power) for power in (1, 2)]
