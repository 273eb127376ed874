"""Ridge regression on samples that are drawn, with replacement, from a finite set: many come twice.

The set is the whole law. Its N features are what a Gaussian law would give once their covariance is given: in the
coordinates where Omega is the identity, N rows of a random orthonormal frame. Sample a is drawn c_a times, by the
binomial law. For N large the matrix of the drawn samples acts like s Omega, where

    E 1 / (1 + V (c - s)) = 1,    V = < omega / (lambda + N s omega / d) >

(free compression; for a law without end s = E c / (1 + V c), the replica equation). The minimum of the loss is then
known as a function of the counts c, and its derivatives are the losses: on the set from one count more of each sample,
on the drawn samples from their counts.

Source: own, from nica2006, free compression, and goldt2021, replica solution of ridge regression.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from twolayer.theory.replica import Spectrum


@dataclass(frozen=True)
class SetLosses:
    """Half the mean squared errors on the drawn samples and on the whole set."""

    training_loss: float
    test_loss: float


def resampled_ridge(spectrum: Spectrum, sample_ratio: float, ridge: float, set_size: int) -> SetLosses:
    """Losses of ridge regression on n = sample_ratio d samples that are drawn from a set of N = `set_size`.

    Args:
        spectrum: of the labels' power and of the covariances over the set.
        ridge: lambda, see `ConvexProblem`.
    """
    omega, d = spectrum.eigenvalues, len(spectrum.eigenvalues)
    per_feature = set_size / d
    n = sample_ratio * d
    counts = np.arange(int(binom.isf(1e-16, round(n), 1 / set_size)) + 2)
    law = binom.pmf(counts, round(n), 1 / set_size)

    def response(s):
        return spectrum.average(omega / (ridge + per_feature * s * omega))

    def balance(s):
        V = response(s)
        return law @ (1 / (1 + V * (counts - s))) - 1

    s = brentq(balance, 0.0, law @ counts, xtol=1e-15, rtol=1e-14)  # by Jensen's inequality below the mean count
    V = response(s)
    square = law @ (1 / (1 + V * (counts - s)) ** 2)
    resolvent = ridge + per_feature * s * omega
    # of the label: what the features cannot explain, and what the ridge leaves of the rest
    explained = spectrum.alignments / np.where(omega > 0, omega, np.inf)
    left = spectrum.power - spectrum.average(explained) + spectrum.average(explained * (ridge / resolvent) ** 2)
    spread = square - (square - 1) * per_feature * spectrum.average((omega / resolvent) ** 2) / V**2
    test = left * square / spread / 2
    training = set_size / n * left * (s * square - (square - 1) / V) / spread / 2
    return SetLosses(float(training), float(test))
