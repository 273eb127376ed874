"""Limits of online learning in which learning rate and width of the student grow or fall with the dimension d.

A committee of K ~ d^kappa units with the second layer 1 / K learns at the rate gamma ~ d^-delta. The equations of
motion depend on both only by rho = gamma / K ~ d^-(kappa + delta):

    dC/dt = rho drift + rho^2 noise.

For kappa + delta > 0 (green) the noise vanishes and rho t is the time of gradient flow. For kappa + delta = 0 (blue)
both terms count. From -1/2 to 0 (orange) the noise dominates: in the time rho^2 t the norms grow, and the overlaps with
the teacher stay as they are. Below -1/2, the equations of motion do not hold.

Source: veiga2022, phase diagram.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from twolayer.errors import NotConverged
from twolayer.model.networks.learning import LayerRates
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.theory.teacher_student.isotropic_teacher import INSTANT, SAMPLED_TOLERANCE, IsotropicTeacher
from twolayer.theory.teacher_student.signal_averages import Signals
from twolayer.theory.teacher_student.teacher_averages import field_covariance
from twolayer.theory.teacher_student.teacher_path import TeacherPath

LOWEST = -0.5  # kappa + delta at and below which the equations do not hold
_ROUNDING = 1e-9  # rounding error of kappa + delta


@dataclass(frozen=True)
class Scaling:
    """A committee whose units all have the second layer 1 / K.

    Attributes:
        exponent: kappa + delta. ratio: rho.
    """

    exponent: float
    ratio: float

    @property
    def holds(self) -> bool:
        """Whether the equations of motion hold in large dimensions."""
        return self.exponent > LOWEST + _ROUNDING

    @property
    def balanced(self) -> bool:
        """Whether drift and noise both count in large dimensions."""
        return abs(self.exponent) <= _ROUNDING

    @property
    def unit(self) -> float:
        """The scaled time over t = steps / d."""
        if self.balanced:
            return 1.0
        return self.ratio if self.exponent > 0 else self.ratio**2


def scaled_path(
    signals: Signals, order: OrderParameters, A: np.ndarray, scaling: Scaling, times: np.ndarray, tolerance: float
) -> TeacherPath:
    """Return the solution of the equations of motion at this ratio.

    Args:
        order: Q, R and T at the start. A: (M,) second layer of the teacher. times: (T,), scaled, from 0 on.
    """
    hidden = len(order.Q)
    rates = LayerRates(scaling.ratio * hidden)
    equations = IsotropicTeacher(signals, rates, order, np.full(hidden, 1 / hidden), A)
    return equations.solve(times / scaling.unit, tolerance)


def limiting_path(
    signals: Signals, order: OrderParameters, A: np.ndarray, scaling: Scaling, times: np.ndarray, tolerance: float
) -> TeacherPath:
    """Return the solution in the limit of large dimension, for the arguments of `scaled_path`."""
    if scaling.balanced:
        return scaled_path(signals, order, A, scaling, times, tolerance)
    hidden = len(order.Q)
    v = np.full(hidden, 1 / hidden)
    if scaling.exponent > 0:
        flow = Signals(signals.student, signals.teacher, gradient_noise="none")
        return IsotropicTeacher(flow, LayerRates(float(hidden)), order, v, A).solve(times, tolerance)
    return _growing_norms(signals, order, v, A, times, tolerance)


def _growing_norms(signals, order, v, A, times, tolerance):
    """Return the norms from dQ/dtau = noise without the second layer, at constant R."""
    hidden, u = len(v), np.append(v, -A)

    def covariance(Q):
        return field_covariance(OrderParameters(Q.reshape(hidden, hidden), order.R, order.T))

    def drift(_, Q):
        C = covariance(Q)
        noise = signals.noise(C, u, hidden) if signals.defined(C) else np.full((hidden, hidden), np.nan)
        return hidden**2 * noise.ravel()

    method, rtol = ("DOP853", tolerance) if signals.exact else ("RK45", max(tolerance, SAMPLED_TOLERANCE))
    span = (0.0, times[-1] or INSTANT)
    with np.errstate(all="ignore"):  # a trial step without a solution is repeated
        found = solve_ivp(drift, span, order.Q.ravel(), method=method, t_eval=times, rtol=rtol, atol=1e-4 * rtol)
    if not found.success or not np.isfinite(found.y).all():
        raise NotConverged(f"the norms diverge before the scaled time {times[-1]:g}: lower times")
    covariances = np.array([covariance(Q) for Q in found.y.T])
    pmse = signals.pmse(covariances, np.tile(u, (len(times), 1)), hidden)
    path = OrderParameters(covariances[:, :hidden, :hidden], covariances[:, :hidden, hidden:], order.T)
    return TeacherPath(times, path, np.tile(v, (len(times), 1)), pmse)
