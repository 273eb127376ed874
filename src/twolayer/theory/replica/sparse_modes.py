"""Overlaps of an estimator with an l1 penalty, ridge |w|_1, for independent features."""

import numpy as np
from scipy.special import ndtr

from twolayer.theory.replica.replica_equations import Spectrum


def sparse_mode_overlaps(
    spectrum: Spectrum, ridge: float, V_hat: float, q_hat: float, m_hat: float
) -> tuple[float, float, float]:
    """Return V, q and m from their conjugates: averages over the features, whose weights are soft thresholds."""
    omega, signal = spectrum.eigenvalues, np.sqrt(spectrum.alignments)
    spread = np.sqrt(q_hat * omega)
    sides = (np.array([m_hat * signal, -m_hat * signal]) - ridge) / spread
    normal, density = ndtr(sides), np.exp(-(sides**2) / 2) / np.sqrt(2 * np.pi)
    if not normal.any():
        return 0.0, 0.0, 0.0  # the penalty exceeds the signals of all features
    V = spectrum.average(normal.sum(axis=0)) / V_hat
    first = density + sides * normal
    m = spectrum.average(signal * spread * (first[0] - first[1]) / omega) / V_hat
    square = ((1 + sides**2) * normal + sides * density).sum(axis=0)
    return V, spectrum.average(spread**2 * square / omega) / V_hat**2, m
