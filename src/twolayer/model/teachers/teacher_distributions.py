"""Distributions of teacher features on the circle and on the torus.

A teacher of M* features with outer weights 1 has the output y = (1/M*) sum_k phi(w*_k, x). Its features concentrate in
the directions 0 and 0.4 pi (circle), or at (-1, 0) and (1, 1) (torus). The concentration grows with `gamma`.

Source: barboni2025, section 6.1.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad

from twolayer.errors import ConfigError

_HARMONICS = 1024  # largest frequency of a signal on the circle
_SHIFT = 0.4 * np.pi  # shift of every third feature on the circle
TORUS_CENTRES = np.array([[-1.0, 0.0], [1.0, 1.0]])  # centres on the torus, used alternately


def wrapped_cauchy(uniform: np.ndarray, gamma: float) -> np.ndarray:
    """Return angles with density sqrt(1 + gamma) / (2 pi (1 + gamma sin^2(theta / 2))), from uniform numbers in [0, 1).

    The angles are in [-pi, pi).

    A uniform direction is stretched along one axis by sqrt(1 + gamma); twice its angle is theta.
    """
    direction = 2 * np.pi * uniform - np.pi
    stretched = np.arctan2(np.sin(direction), np.sqrt(1 + gamma) * np.cos(direction))
    return _wrap(2 * stretched)


def wrapped_cauchy_spread(gamma: float, samples: int) -> tuple[float, float]:
    """Return the median of |theta|, and the standard error of the median of a sample."""
    median = 2 * np.arctan(1 / np.sqrt(1 + gamma))
    density = np.sqrt(1 + gamma) / (np.pi * (1 + gamma * np.sin(median / 2) ** 2))
    return median, 1 / (2 * density * np.sqrt(samples))


def _wrap(angle):
    return np.mod(angle + np.pi, 2 * np.pi) - np.pi


@dataclass(frozen=True)
class CircleTeacher:
    """The mixture of two wrapped Cauchy distributions: 2/3 of the mass around 0, 1/3 around 0.4 pi.

    Attributes:
        gamma: concentration, at least 0; 0 is the uniform distribution.

    Raises:
        ConfigError: gamma is negative.
    """

    gamma: float

    def __post_init__(self):
        if not self.gamma >= 0:
            raise ConfigError(f"gamma is {self.gamma:g}: the concentration of a teacher on the circle is at least 0")

    def density(self, angle: np.ndarray) -> np.ndarray:
        """Return f* at angles, in radians."""
        scale = np.sqrt(1 + self.gamma) / (2 * np.pi)
        first, second = (1 / (1 + self.gamma * np.sin((angle - shift) / 2) ** 2) for shift in (0, _SHIFT))
        return scale * (2 * first + second) / 3

    def harmonics(self, wavenumbers: np.ndarray) -> np.ndarray:
        """Return <exp(-i k t)> over f*, at wavenumbers k.

        A wrapped Cauchy distribution has the powers of one number.
        """
        decay = self.gamma / (1 + np.sqrt(1 + self.gamma)) ** 2
        return decay ** np.abs(wavenumbers) * (2 + np.exp(-1j * wavenumbers * _SHIFT)) / 3

    def signal(self, angle: np.ndarray) -> np.ndarray:
        """Return the mean of relu(cos(t - angle)) over f*: the output of a teacher of many features at angles (n,).

        It is a sum over the harmonics of relu(cos t), of which the first 1024 are taken.
        """
        even = np.arange(2, _HARMONICS, 2)
        wavenumbers = np.concatenate([[0, 1], even])
        amplitudes = np.concatenate([[1 / np.pi, 0.5], 2 * (-1.0) ** (even // 2 + 1) / (np.pi * (even**2 - 1.0))])
        return (np.exp(1j * np.outer(angle, wavenumbers)) @ (amplitudes * self.harmonics(wavenumbers))).real

    def cell_averages(self, edges: np.ndarray) -> np.ndarray:
        """Return the mean (n,) of f* between neighbours of `edges` (n + 1,), which span at most one turn."""
        first, second = self._masses(edges)
        return (2 * first + second) / (3 * np.diff(edges))

    def frequency_errors(self, edges: np.ndarray, samples: int) -> np.ndarray:
        """Return standard errors (n,) of the fraction of samples between neighbours of `edges` (n + 1,).

        A fixed third of the samples belongs to the shifted part, so that only the positions within a part are random.
        """
        shifted = (samples + 1) // 3
        counts = samples - shifted, shifted
        variances = (m * p * (1 - p) for m, p in zip(counts, self._masses(edges), strict=True))
        return np.sqrt(sum(variances)) / samples

    def _masses(self, edges):
        """Return probabilities of cells (n,), for either part."""
        return tuple(np.diff(self._cumulative(edges - shift)) for shift in (0, _SHIFT))

    def _cumulative(self, angle):
        turns = np.round(angle / (2 * np.pi))
        return turns + np.arctan(np.sqrt(1 + self.gamma) * np.tan(angle / 2 - np.pi * turns)) / np.pi

    def sample(self, uniform: np.ndarray) -> np.ndarray:
        """Return angles of features, one for each uniform number; the second of every three belongs to the shifted
        part.
        """
        angles = wrapped_cauchy(uniform, self.gamma)
        angles[1::3] += _SHIFT
        return _wrap(angles)


def sample_torus_teacher(uniform: np.ndarray, gamma: float) -> np.ndarray:
    """Return features (M*, 2) on [-2, 2)^2 around the two centres alternately, from uniform numbers (2, M*).

    With infinite gamma, the features are at the centres.
    """
    if not gamma >= 0:
        raise ConfigError(f"gamma is {gamma:g}: the concentration of a teacher on the torus is at least 0, or infinite")
    spread = np.zeros_like(uniform) if np.isinf(gamma) else 2 * wrapped_cauchy(uniform, gamma) / np.pi
    features = spread.T + np.resize(TORUS_CENTRES, (uniform.shape[1], 2))
    return wrap(features)


HALF_PERIOD = 2.0  # half the period in every coordinate
FEATURE_WIDTH = 0.5


def wrap(points):
    """Return representatives in [-2, 2) of coordinates on the torus, an array or a tensor."""
    return (points + HALF_PERIOD) % (2 * HALF_PERIOD) - HALF_PERIOD


def mean_feature() -> float:
    """Return the mean over the torus of a feature (2 / s^2) exp(-|w - x| / s), by an integral over the angle."""

    def sector(angle):  # the integral over the radius, from 0 to the edge of the cell
        edge = HALF_PERIOD / np.cos(angle) / FEATURE_WIDTH
        return 2 * (1 - (1 + edge) * np.exp(-edge))

    eighth, _ = quad(sector, 0, np.pi / 4)
    return 8 * eighth / (2 * HALF_PERIOD) ** 2
