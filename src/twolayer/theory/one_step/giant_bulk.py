"""Resolvent of the bulk of a first layer after a giant step, and its overlaps with the teacher's directions.

Across the spike the first layer is W = N (I + tau B)^(1/2) with independent normal N and B = X^T diag(r^2) X / m0, for
the inputs X and residuals r of the step. The residuals depend on the teacher. The traces of W^T (b0 + v1 W W^T)^-1 W
are functions of a number x, which solves (k / n - 1 + trace (1 + x C)^-1) / x = b0 / v1, with C = I + tau B. No
expression is a difference of two large numbers, so that ridges of any size keep the relative accuracy.

Source: own derivation from the resolvents of sample covariances.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq

from twolayer.theory.one_step.giant_moments import GiantStep

_COMPLEX_STEP = 1e-20  # relative imaginary part of x, with which a function of x gives its derivative


@dataclass(frozen=True, eq=False)
class Bulk:
    """The bulk at a number x.

    Attributes:
        step: the giant step. width_ratio: k / n. x: see above.
        to_zeta: (r, a), as for `ConditionalLabels`, for the spike's overlaps.
    """

    step: GiantStep
    width_ratio: float
    to_zeta: np.ndarray
    x: float

    @cached_property
    def trace(self) -> float:
        """The normalised trace t of (1 + x C)^-1, from t (1 + x c1(t)) = 1."""
        step, x = self.step, self.x

        def excess(t):
            return t * (1 + x * (1 + step.tau * self._residual_power(t, 1))) - 1

        low, high = 1 / (1 + x * step.bulk) * (1 - 1e-12), 1 / (1 + x) * (1 + 1e-12)
        return brentq(excess, low, high, xtol=1e-300, rtol=1e-14)

    def _residual_power(self, trace, order):
        """Return E r^2 / (1 + r^2 delta)^order for delta = x tau t / alpha0."""
        _, r, weights = self.step.residuals
        return weights @ (r**2 / (1 + r**2 * (self.x * self.step.tau * trace / self.step.sample_ratio)) ** order)

    @cached_property
    def lost(self) -> float:
        """The ratio (1 - t) / x, which is also V1 / V2."""
        return self.trace * (1 + self.step.tau * self._residual_power(self.trace, 1))

    @cached_property
    def falling(self) -> float:
        """The derivative of 1 - t by x."""
        second = 1 + self.step.tau * self._residual_power(self.trace, 2)
        return self.trace * second / (1 + self.x * second)

    def excess(self, ratio: float) -> float:
        """Return a number that is 0 if x belongs to the ratio b0 / v1, and rises with x and with the ratio."""
        if self.width_ratio < 0.5:  # the trace is not small
            return math.log((ratio + self.lost) * self.x / self.width_ratio)
        beyond = self.width_ratio - 1
        return math.log((ratio * self.x + max(-beyond, 0.0)) / (self.trace + max(beyond, 0.0)))

    def responses(self, ratio: float) -> np.ndarray:
        """Return the derivatives (2, 2) of -(V1, V2) by (v1, b0), over k / n V2^2, at a ratio b0 / v1."""
        first, second = (1 + self.step.tau * self._residual_power(self.trace, order) for order in (1, 2))
        bent = self.trace * (first - second + self.x * first * second) / (1 + self.x * second)  # lost - falling
        both = [[ratio * bent + self.lost * self.falling, self.falling], [self.falling, 1.0]]
        return np.array(both) / (self.x * (ratio + self.falling))

    @cached_property
    def overlaps(self) -> np.ndarray:
        """The overlaps (1 + r, 1 + r) of the spike v and the teacher's directions zeta across it, over k / n V2."""
        return self._overlaps(self.x, self.trace)

    def overlap_responses(self, ratio: float) -> tuple[np.ndarray, np.ndarray]:
        """Return minus the derivatives of k / n V2 `overlaps` by v1 and b0, over (k / n V2)^2, at a ratio b0 / v1."""
        turned = self._overlaps(
            self.x * (1 + 1j * _COMPLEX_STEP), self.trace - 1j * _COMPLEX_STEP * self.x * self.falling
        )
        H, change = self.overlaps, turned.imag / _COMPLEX_STEP  # H and x dH / dx
        divisor = self.x * (ratio + self.falling)
        return (self.falling * H - ratio * change) / divisor, (H + change) / divisor

    def _overlaps(self, x, trace):
        """Return `overlaps`, also for complex x."""
        step, (s, r, weights) = self.step, self.step.residuals
        gamma, length, identity = step.overlaps, step.gradient, np.eye(len(step.overlaps))
        growth = step.tau * trace / step.sample_ratio  # delta / x
        P = weights / (1 + r**2 * x * growth)
        G = identity + step.tau * (s.T * (P * r**2)) @ s
        resolvent = np.linalg.inv(identity + x * G)
        signal, lost_signal = (P * r) @ s, (P * r**3 * growth) @ s
        lost = trace * (1 + step.tau * P @ r**2)
        across = G @ resolvent
        shared = (lost_signal + across @ signal) / length
        power = (P * r**2) @ (lost + r**2 * growth) / step.sample_ratio
        along = (power + signal @ across @ signal + lost_signal @ (step.signal + signal)) / length**2
        inner = (P @ r**2 * trace / step.sample_ratio + signal @ resolvent @ signal) / length**2
        D = np.block([[along, shared], [shared[:, None], across]])  # (1 - resolvent) / x of v and the directions
        to_across = np.block(
            [[np.ones((1, 1)), np.zeros((1, len(gamma)))], [-(self.to_zeta @ gamma)[:, None], self.to_zeta]]
        )
        D = to_across @ D @ to_across.T
        return D + x * D[:, :1] @ D[:1] / inner
