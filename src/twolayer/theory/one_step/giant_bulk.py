"""Resolvent of the bulk of a first layer after a giant step, and its overlaps with the teacher's directions.

Across the spike the first layer is N (I + tau B)^(1/2) with independent normal N and B = X^T diag(r^2) X / m0, for the
inputs X and residuals r of the step. The residuals depend on the teacher.

Source: own derivation from the resolvents of sample covariances.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from twolayer.theory.one_step.giant_moments import GiantStep

_SMALLEST, _LARGEST = 1e-12, 1e12  # range of x


@dataclass(frozen=True, eq=False)
class Bulk:
    """Traces of the products W^T (b0 + v1 W W^T)^-1 W, at given v1 and b0.

    Attributes:
        V1, V2: traces over k of v-weighted products, with b0 V2 + v1 V1 = 1.
        T: (1 + r, 1 + r) overlaps of the spike v and the teacher's directions z across it, in this order.
    """

    V1: float
    V2: float
    T: np.ndarray


def bulk(step: GiantStep, width_ratio: float, to_zeta: np.ndarray, v1: float, b0: float) -> Bulk:
    """Solve for the bulk.

    Args:
        width_ratio: k / n. to_zeta: (r, a), as for `ConditionalLabels`, for the spike's overlaps.
        v1: weight of the product of two rows. b0: weight of the identity.
    """

    def excess(log_x):
        x = np.exp(log_x)
        return (width_ratio - 1 + _trace(step, x)) / x - b0 / v1

    x = float(np.exp(brentq(excess, np.log(_SMALLEST), np.log(_LARGEST), xtol=1e-14, rtol=1e-14)))
    V2 = x / (width_ratio * v1)
    L = _overlaps(step, x, to_zeta)
    inner, outer = L[0, 0], L[0, 1:]
    T = np.block(
        [
            [np.array([[(1 - inner) / inner]]), -outer[None] / inner],
            [-outer[:, None] / inner, np.eye(len(outer)) - L[1:, 1:] + np.outer(outer, outer) / inner],
        ]
    )
    return Bulk((1 - b0 * V2) / v1, V2, width_ratio * V2 / x * T)


def _trace(step, x):
    """Return the normalised trace of (1 + x C)^-1, C = I + tau B."""
    return _g(step, x) / (x * step.tau) if step.tau > 0 else 1 / (1 + x)


def _g(step, x):
    """Return g, the solution of 1 / g = (1 + x) / (x tau) + E r^2 / (1 + r^2 g / alpha0)."""
    _, r, weights = step.residuals
    squares, lowest = r**2, (1 + x) / (x * step.tau)

    def excess(g):
        return 1 / g - lowest - weights @ (squares / (1 + squares * g / step.sample_ratio))

    return brentq(excess, 1 / (lowest + step.power) * (1 - 1e-12), 1 / lowest * (1 + 1e-12), xtol=1e-300, rtol=1e-14)


def _overlaps(step, x, to_zeta):
    """Return the overlaps of (1 + x C)^-1 with v and z."""
    directions = len(to_zeta)
    if step.tau == 0:
        return np.eye(1 + directions) / (1 + x)
    s, r, weights = step.residuals
    delta = _g(step, x) / step.sample_ratio
    P, gamma, length = weights / (1 + r**2 * delta), step.overlaps, step.gradient
    of_teacher = np.linalg.inv((1 + x) / (x * step.tau) * np.eye(len(gamma)) + (s.T * (P * r**2)) @ s)
    signal = (P * r) @ s
    shared = of_teacher @ signal / length
    of_spike = (P @ r**2 * delta + signal @ of_teacher @ signal) / length**2
    L = np.empty((1 + directions, 1 + directions))
    L[0, 0] = of_spike
    L[0, 1:] = L[1:, 0] = to_zeta @ (shared - gamma * of_spike)
    both = np.outer(gamma, shared)
    L[1:, 1:] = to_zeta @ (of_teacher - both - both.T + np.outer(gamma, gamma) * of_spike) @ to_zeta.T
    return L / (x * step.tau)
