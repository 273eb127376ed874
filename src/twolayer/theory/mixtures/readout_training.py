"""Mean weights and error of a readout during its online training, for any features.

A step adds learning_rate / sqrt F times (y - f) z to the weights w of f = w.z / sqrt F, and subtracts learning_rate *
weight_decay / F times w. The mean of w obeys an exact linear equation. The mean squares of w along the eigenvectors of
E[z z^T] also obey a linear equation if fluctuations along different eigenvectors are uncorrelated. This approximation
changes the error by a few parts in a thousand.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

from twolayer.errors import ConfigError
from twolayer.model.networks.learning import Learning


@dataclass(frozen=True, eq=False)
class ReadoutLearning:
    """Online training of a readout, in the eigenbasis of E[z z^T].

    Attributes:
        second_moment: (F, F) E[z z^T] of the features, not centred. correlation: (F,) E[y z].
        learning: learning rate and weight decay.
    """

    second_moment: np.ndarray
    correlation: np.ndarray
    learning: Learning

    def __post_init__(self):
        F, limit = len(self.correlation), self.largest_rate
        if not 0 < self.learning.learning_rate < limit:
            raise ConfigError(
                f"learning rate is {self.learning.learning_rate:g}: the readout of {F} features is stable only above 0 "
                f"and below {limit:.3g}"
            )

    @property
    def largest_rate(self) -> float:
        """Learning rate above which the error grows without limit."""
        return 2 * len(self.correlation) / (np.trace(self.second_moment) + self.learning.weight_decay)

    @cached_property
    def _basis(self):
        return np.linalg.eigh(self.second_moment)

    @cached_property
    def fixed_weights(self) -> np.ndarray:
        """The limit (F,) of the mean weights."""
        eigenvalues, vectors = self._basis
        shifted = eigenvalues + self.learning.weight_decay
        return np.sqrt(len(eigenvalues)) * vectors @ ((vectors.T @ self.correlation) / shifted)

    def mean_weights(self, start: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Return the mean (T, F) of the weights after numbers of steps (T,), without rounding after no step."""
        eigenvalues, vectors = self._basis
        rate, decay = self.learning.learning_rate, self.learning.weight_decay
        factors = 1 - rate * (eigenvalues + decay) / len(eigenvalues)
        distance = vectors.T @ (start - self.fixed_weights)
        return start + ((factors ** steps[:, None] - 1) * distance) @ vectors.T

    def pmse_of(self, weights: np.ndarray) -> np.ndarray:
        """Return E (y - f)^2 / 2 of readouts with weights (..., F)."""
        F = len(self.correlation)
        squares = np.einsum("...i,ij,...j->...", weights, self.second_moment, weights)
        return 0.5 * (1 - 2 * weights @ self.correlation / np.sqrt(F) + squares / F)

    def mean_pmse(self, start: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Return the mean error (T,) over data streams after numbers of steps (T,), which do not decrease."""
        eigenvalues, vectors = self._basis
        turned = vectors.T @ start
        rates = self.learning.learning_rate, self.learning.weight_decay
        return _mean_errors(eigenvalues, vectors.T @ self.correlation, turned, turned**2, steps, *rates)

    def stationary_pmse(self) -> float:
        """Return the error at which training without weight decay ends.

        Raises:
            ConfigError: the weight decay is not zero.
        """
        if self.learning.weight_decay:
            raise ConfigError(
                f"weight_decay is {self.learning.weight_decay:g}: the final error is known only for a weight decay of 0"
            )
        least = float(self.pmse_of(self.fixed_weights))
        return least / (1 - self.learning.learning_rate / self.largest_rate)


@njit(cache=True)
def _mean_errors(eigenvalues, correlation, m, s, steps, learning_rate, weight_decay):
    """Return mean errors after numbers of steps, from means m and mean squares s of the weights along the
    eigenvectors.
    """
    F = m.size
    root, gain = np.sqrt(F), 1 - learning_rate * weight_decay / F
    m, s, errors, done = m.copy(), s.copy(), np.empty(steps.size), 0
    for place in range(steps.size):
        while True:
            twice = 1.0
            for j in range(F):
                twice += eigenvalues[j] * s[j] / F - 2 * correlation[j] * m[j] / root
            if done == steps[place]:
                break
            for j in range(F):
                drift = correlation[j] * m[j] / root - eigenvalues[j] * s[j] / F
                s[j] = gain * gain * s[j] + 2 * gain * learning_rate * drift
                s[j] += learning_rate**2 / F * eigenvalues[j] * twice
                m[j] = gain * m[j] + learning_rate / root * (correlation[j] - eigenvalues[j] * m[j] / root)
            done += 1
        errors[place] = 0.5 * twice
    return errors
