"""The replica equations of regression on labels y = nu + s z, for the square loss and the Huber loss.

The residual without the sample, y - omega, is normal with variance S = rho + s^2 + q - 2 m, so that all averages have
closed forms.
"""

import math
from dataclasses import dataclass

from scipy.special import ndtr

from twolayer.theory.replica.replica_equations import Overlaps, Spectrum

_FAR = 9.0  # standard deviations beyond which a normal number is not found in double precision


@dataclass(frozen=True)
class FieldEquations:
    """The equations of the Huber loss, which equals the square loss if delta is infinite.

    Attributes:
        delta: residual at which the loss becomes linear. noise: s.
    """

    delta: float
    noise: float

    def conjugates(
        self, spectrum: Spectrum, sample_ratio: float, V: float, q: float, angle: float
    ) -> tuple[float, float, float]:
        """Return V_hat, q_hat and m_hat from the overlaps, of which m is given by the angle a."""
        m = math.tanh(angle) * math.sqrt(spectrum.power * q)
        S = self._residual(spectrum.power, q, m)
        inside, square, _ = self._parts(S, V)
        V_hat = sample_ratio * inside / (1 + V)
        outside = self.delta**2 * (1 - inside) if inside < 1 else 0.0
        return V_hat, sample_ratio * (square / (1 + V) ** 2 + outside), V_hat

    def are_square(self, spectrum: Spectrum, overlaps: Overlaps) -> bool:
        """Return whether no residual reaches the linear part of the loss, up to rounding."""
        deviation = math.sqrt(self._residual(spectrum.power, overlaps.q, overlaps.m))
        return self.delta * (1 + overlaps.V) > _FAR * deviation

    def cost(self, *_: float) -> float:
        """Return the number of nodes of the averages."""
        return 1.0

    def training_loss(self, spectrum: Spectrum, overlaps: Overlaps) -> float:
        """Return the mean loss on the training samples, of an estimator with these overlaps."""
        return self._mean_loss(self._residual(spectrum.power, overlaps.q, overlaps.m), overlaps.V)

    def test_loss(self, power: float, q: float, m: float) -> float:
        """Return the mean loss on fresh samples."""
        return self._mean_loss(self._residual(power, q, m), 0.0)

    def _residual(self, power, q, m):
        return max(power + self.noise**2 + q - 2 * m, 0.0)  # values below zero are rounding errors

    def _mean_loss(self, S, V):
        inside, square, beyond = self._parts(S, V)
        linear = self.delta * beyond - self.delta**2 * (V + 0.5) * (1 - inside) if inside < 1 else 0.0
        return square / (2 * (1 + V) ** 2) + linear

    def _parts(self, S, V):
        """Return P(|r| < h), E r^2 1(|r| < h) and E |r| 1(|r| > h) for r ~ N(0, S), with h = delta (1 + V)."""
        h = self.delta * (1 + V) / math.sqrt(S) if S > 0 else math.inf
        if math.isinf(h):
            return 1.0, S, 0.0
        inside, density = 1 - 2 * ndtr(-h), math.exp(-(h**2) / 2) / math.sqrt(2 * math.pi)
        return inside, S * (inside - 2 * h * density), 2 * math.sqrt(S) * density
