"""Online learning from a teacher on isotropic inputs: equations of motion of the order parameters Q, R and v.

With response, noise and readout of the pre-activations (`signal_averages`) and C = ((Q, R), (R^T, T)),

    X = eta (response C - b (Q, R)),    dQ/dt = X_K + X_K^T + eta^2 noise,    dR/dt = X_M,
    dv/dt = eta_v (readout - b_v v),    X = (X_K, X_M),

with learning rates eta and eta_v and weight decays b and b_v. On the sphere, c_k = dQ_kk / (2 Q_kk) is subtracted:
dR_km -= c_k R_km and dQ_kl -= (c_k + c_l) Q_kl. Time counts SGD steps in units of the input dimension N.

Source: saad1995, riegler1995 for the second layer; veiga2022.
"""

import contextlib
from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit
from scipy.integrate import solve_ivp

from twolayer.errors import NotConverged
from twolayer.model.networks.learning import LayerRates
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.theory.numerics.differences import difference_steps
from twolayer.theory.teacher_student.signal_averages import Signals, signal_averages
from twolayer.theory.teacher_student.teacher_averages import averages_room, field_covariance
from twolayer.theory.teacher_student.teacher_path import TeacherPath

INSTANT = 1e-9  # end of the integration if only the start is wanted, for which SciPy returns no array
_MOST_EVALUATIONS = 500_000
# methods for drifts in closed form, and the evaluations after which the next one begins: stability limits the steps
# of the first at late times, and the second does not suit relu units near the end of their course
_METHODS = {"DOP853": 30_000, "BDF": 30_000, "LSODA": _MOST_EVALUATIONS}
_IMPLICIT = ("BDF", "LSODA")
SAMPLED_TOLERANCE = 1e-5  # relative tolerance if the error of the points is larger


@dataclass(frozen=True, eq=False)
class IsotropicTeacher:
    """The equations, and their initial condition.

    Attributes:
        signals: units, label noise, and the part of the gradient noise that counts. rates: learning rates of both
            layers.
        order: Q, R and T at the start. v: (K,) at the start. A: (M,).
    """

    signals: Signals
    rates: LayerRates
    order: OrderParameters
    v: np.ndarray
    A: np.ndarray

    def solve(self, times: np.ndarray, tolerance: float = 1e-8) -> TeacherPath:
        """Return the solution at the (T,) times, which start at 0 and never decrease.

        Args:
            tolerance: relative tolerance of each step of the integration.

        Raises:
            NotConverged: the solution diverges, or needs too many steps.
        """
        hidden = len(self.v)
        found = self._closed(times, tolerance) if self.signals.exact else self._sampled(times, tolerance)
        if not found.success or not np.isfinite(found.y).all():
            raise self._failure(f"the order parameters diverge at time {found.t[-1] if len(found.t) else 0:.4g}")
        Q, R, v = np.split(found.y.T, [hidden**2, found.y.shape[0] - hidden], axis=1)
        Q, R = Q.reshape(-1, hidden, hidden), R.reshape(len(times), hidden, -1)
        order = OrderParameters(Q, R, self.order.T)
        u = np.concatenate([v, np.broadcast_to(-self.A, (len(times), len(self.A)))], axis=1)
        return TeacherPath(times, order, v, self.signals.pmse(field_covariance(order), u, hidden))

    def _sampled(self, times, tolerance):
        return self._integrated("RK45", times, max(tolerance, SAMPLED_TOLERANCE), _MOST_EVALUATIONS)

    def _closed(self, times, tolerance):
        *methods, last = _METHODS
        for method in methods:
            with contextlib.suppress(NotConverged):
                return self._integrated(method, times, tolerance, _METHODS[method])
        return self._integrated(last, times, tolerance, _METHODS[last])

    def _integrated(self, method, times, rtol, budget):
        """Return the solution of a method within a number of evaluations of the drift."""
        start = np.concatenate([self.order.Q.ravel(), self.order.R.ravel(), self.v])
        drift = self._limited(self._compiled_drift() if self.signals.exact else self._sampled_drift(), budget)
        options = {"jac": partial(_jacobian, drift)} if method in _IMPLICIT else {}
        with np.errstate(all="ignore"):  # a trial step to infinite numbers is repeated
            return solve_ivp(
                drift,
                (0.0, times[-1] or INSTANT),
                start,
                method=method,
                t_eval=times,
                rtol=rtol,
                atol=1e-4 * rtol,
                **options,
            )

    def _compiled_drift(self):
        problem, hidden, fields = self.signals.compiled, len(self.v), len(self.v) + len(self.A)
        C, u = self._unchanging()
        averages, room = averages_room(hidden, fields)
        return lambda _, y: _closed_drift(problem, self.rates, y, C, u, averages, room)

    def _sampled_drift(self):
        hidden, (C, u) = len(self.v), self._unchanging()

        def drift(_, y):
            _fill_fields(y, C, u, hidden)
            if not self.signals.defined(C):
                return np.full_like(y, np.nan)  # the solver repeats the step with a smaller size
            averages = self.signals.averages(C, u, hidden)
            return _drift(self.rates, C, u, averages)

        return drift

    def _unchanging(self):
        """Return C (K + M, K + M) and u (K + M,) with only the teacher's entries filled."""
        return field_covariance(self.order), np.concatenate([self.v, -self.A])

    def _limited(self, drift, budget):
        done = 0

        def counted(time, y):
            nonlocal done
            done += 1
            if done > budget:
                raise self._failure(f"the equations of motion need more than {budget} evaluations")
            return drift(time, y)

        return counted

    def _failure(self, what):
        return NotConverged(f"{what}: lower the learning rate, which is {self.rates.learning_rate:g}, or last_time")


@njit(cache=True)
def _fill_fields(y, C, u, hidden):
    """Fill covariance and output weights of the fields from (Q, R, v)."""
    teachers = len(C) - hidden
    for k in range(hidden):
        u[k] = y[y.size - hidden + k]
        for j in range(hidden):
            C[k, j] = 0.5 * (y[k * hidden + j] + y[j * hidden + k])
        for m in range(teachers):
            C[k, hidden + m] = C[hidden + m, k] = y[hidden * hidden + k * teachers + m]


@njit(cache=True)
def _closed_drift(problem, rates, y, C, u, averages, room):
    _fill_fields(y, C, u, averages.readout.size)
    signal_averages(problem, C, u, averages, room)
    return _drift(rates, C, u, averages)


@njit(cache=True)
def _drift(rates, C, u, averages):
    """Return the drift of (Q, R, v)."""
    hidden, fields = averages.response.shape
    teachers, eta = fields - hidden, rates.learning_rate
    X, drift = np.empty((hidden, fields)), np.empty(hidden * fields + hidden)
    _fill_flow(rates, C, averages.response, X)
    for k in range(hidden):
        for j in range(hidden):
            drift[k * hidden + j] = X[k, j] + X[j, k] + eta * eta * averages.noise[k, j]
        for m in range(teachers):
            drift[hidden * hidden + k * teachers + m] = X[k, hidden + m]
        gain = averages.readout[k] - rates.second_layer_decay * u[k]
        drift[hidden * fields + k] = rates.second_layer_rate * gain
    if rates.sphere:
        _keep_norms(C, drift, hidden, teachers)
    return drift


@njit(cache=True)
def _fill_flow(rates, C, response, X):
    """Fill X (K, K + M). Loops compile in a fraction of the time of a matrix product."""
    hidden, fields = X.shape
    for k in range(hidden):
        for b in range(fields):
            X[k, b] = -rates.weight_decay * C[k, b]
        for a in range(fields):
            for b in range(fields):
                X[k, b] += response[k, a] * C[a, b]
        for b in range(fields):
            X[k, b] *= rates.learning_rate


@njit(cache=True)
def _keep_norms(C, drift, hidden, teachers):
    """Subtract the change of the norms of the rows from the drift."""
    shrinking = np.empty(hidden)
    for k in range(hidden):
        shrinking[k] = drift[k * hidden + k] / (2 * C[k, k])
    for k in range(hidden):
        for j in range(hidden):
            drift[k * hidden + j] -= (shrinking[k] + shrinking[j]) * C[k, j]
        for m in range(teachers):
            drift[hidden * hidden + k * teachers + m] -= shrinking[k] * C[k, hidden + m]


def _jacobian(drift, time, y):
    """Return derivatives by differences, which steer implicit methods only."""
    here = drift(time, y)
    return np.stack([(drift(time, y + step) - here) / step.max() for step in np.diag(difference_steps(y))], axis=1)
