"""Moments of the first layer after a giant gradient step on isotropic inputs, in the limit of large dimension.

A step e per unit, on alpha0 samples per dimension, moves each row of the first layer by e h1 along one direction, the
spike, and by a random vector of squared length tau E r^2, tau = e^2 s2 / alpha0, in the others. Here h1 = E phi',
s2 = E (phi' - h1)^2, and r = y - E phi is the residual at the start.

Source: cui2024, spike and bulk; own derivation for any label function.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.networks.activations import Activation
from twolayer.model.teachers.label_functions import LabelFunction
from twolayer.theory.one_step.label_averages import normal_average

_NEGLIGIBLE = 1e-7  # coefficient of the second Hermite polynomial, in units of the root of the power
_ROUNDING = 1e-11  # mean slope that is zero up to rounding, in units of the root of the mean squared slope


@dataclass(frozen=True, eq=False)
class GiantStep:
    """A step of rate e per unit of a first layer with the second layer 1 / sqrt k.

    Attributes:
        rate: e. sample_ratio: alpha0, samples of the step / n. label_noise: standard deviation of the noise of the
            labels.

    Raises:
        ConfigError: the second Hermite coefficient of the activation is not zero.
    """

    activation: Activation
    labels: LabelFunction
    rate: float
    sample_ratio: float
    label_noise: float = 0.0

    def __post_init__(self):
        z, weights = self._fields
        values = self.activation(z)
        second = weights @ (values * (z**2 - 1))
        if abs(second) > _NEGLIGIBLE * np.sqrt(weights @ values**2):
            raise ConfigError(
                f"activation is {self.activation.name!r}, whose second Hermite coefficient is {second:.2g}: the limit "
                "of a giant step needs 0: use tanh or erf, or the function one_step_theory"
            )

    @cached_property
    def _fields(self):
        z, weights = normal_average(1, self.activation.kinks)
        return z[:, 0], weights

    @cached_property
    def h1(self) -> float:
        """The mean slope E phi', 0 if it is a rounding error."""
        z, weights = self._fields
        slope = self.activation.slope(z)
        mean = float(weights @ slope)
        return mean if abs(mean) > _ROUNDING * np.sqrt(weights @ slope**2) else 0.0

    @cached_property
    def s2(self) -> float:
        """The variance E (phi' - h1)^2 of the slope."""
        z, weights = self._fields
        return float(weights @ (self.activation.slope(z) - self.h1) ** 2)

    @cached_property
    def residuals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The teacher's fields s (S, a), residuals r (S,) there, and weights (S,)."""
        labels, (z, weights) = self.labels, self._fields
        s, at = normal_average(labels.directions, labels.kinks if labels.directions == 1 else None)
        r = labels(s) - weights @ self.activation(z)
        if not self.label_noise:
            return s, r, at
        noise, shares = np.polynomial.hermite_e.hermegauss(32)
        r = r[:, None] + self.label_noise * noise
        return np.repeat(s, 32, axis=0), r.ravel(), np.outer(at, shares / shares.sum()).ravel()

    @cached_property
    def signal(self) -> np.ndarray:
        """The signal t1 (a,): E r s."""
        s, r, weights = self.residuals
        return (weights * r) @ s

    @cached_property
    def power(self) -> float:
        """The power r2: E r^2."""
        _, r, weights = self.residuals
        return float(weights @ r**2)

    @cached_property
    def gradient(self) -> float:
        """The length G of the mean gradient, in units of h1.

        Raises:
            ConfigError: all labels are 0.
        """
        z, weights = self._fields
        length = float(np.sqrt(self.signal @ self.signal + self.power / self.sample_ratio))
        rounding = 1e-14 * float(np.sqrt(weights @ self.activation(z) ** 2))  # of the mean of phi in the residuals
        if length <= rounding:
            raise ConfigError(
                "all labels of teacher_function are 0, so that the step changes nothing: give another function, or a "
                "label_noise"
            )
        return length

    @property
    def spike(self) -> float:
        """The change of every unit along the spike by the step."""
        return self.rate * self.h1 * self.gradient

    @property
    def overlaps(self) -> np.ndarray:
        """The cosines gamma (a,) of the spike and the teacher's directions."""
        return self.signal / self.gradient

    @property
    def tau(self) -> float:
        """Squared length of the random part, in units of E r^2."""
        return self.rate**2 * self.s2 / self.sample_ratio

    @property
    def bulk(self) -> float:
        """The mean squared length c^2 of a row of the first layer across the spike."""
        return 1 + self.tau * self.power
