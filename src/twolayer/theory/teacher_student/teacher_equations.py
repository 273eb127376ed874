"""Online learning from a teacher of the latents of inputs: equations of motion of the order parameters.

With response, noise and readout of the pre-activations (`signal_averages`), the densities (`spectral_densities`) obey

    dq/dt = lr (X + X^T) + lr^2 rho mass noise,              X = rho response_K q + response_M r^T - decay q,
    dr/dt = lr (rho response_K r + response_M tt - decay r), response = (response_K, response_M),
    dv/dt = second_lr (readout - second_decay v)

in each mode, and the order parameters are their sums. Time counts SGD steps in units of the input dimension N.

Source: goldt2021, equations of motion.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.networks.activations import Activation
from twolayer.model.networks.learning import LayerRates, Learning
from twolayer.model.teachers.teacher_student import OrderParameters, TeacherStudent
from twolayer.theory.averages.nodes import Nodes
from twolayer.theory.teacher_student.signal_averages import Signals
from twolayer.theory.teacher_student.spectral_densities import Densities, compressed
from twolayer.theory.teacher_student.teacher_path import TeacherPath
from twolayer.theory.teacher_student.teacher_steps import (
    METHODS,
    DensityState,
    Problem,
    advance,
    apply_rates,
    closed_steps,
    fill_decays,
    fill_fields,
)

_ROUNDING = 1e-5  # part of its largest eigenvalue by which errors of integration may make a covariance indefinite
_BLOCK = 128  # modes
_GROWTH = 5e-6  # part of the time up to which stable steps may grow: the course is slow at late times
# work of an integration, in densities of one step: about five minutes. Averages cost as much as so many densities
_MOST_WORK, _AVERAGES_WORK = 1e11, 4000
_STRETCH = 2.0  # ratio of late times after which stable steps are chosen again


@dataclass(frozen=True, eq=False)
class TeacherEquations:
    """Student, teacher and learning rates of the equations.

    Attributes:
        signals: units of student and teacher, label noise, and points for averages without a closed form.
        rates: learning rates of both layers.

    Raises:
        ConfigError: the slope of an activation is zero, or not the derivative of its value; or points are missing.
    """

    signals: Signals
    rates: LayerRates

    def __post_init__(self):
        self.signals.student.require_derivative("the equations of a student and its teacher")
        if self.signals.points is None and self.signals.needs_points:
            name = self.signals.student.name
            raise ConfigError(f"averages of {name} units need quasi-random points: give points")

    @classmethod
    def of(cls, activation: Activation, learning: Learning, points: Nodes | None = None) -> "TeacherEquations":
        """Return the equations for a student and a teacher with the same units, and labels without noise."""
        return cls(Signals(activation, activation, points=points), learning.layers)


def integrate(
    equations: TeacherEquations,
    networks: TeacherStudent,
    densities: Densities,
    *,
    times: np.ndarray,
    step: float,
    method: str = "rk4",
    stable: bool = False,
) -> TeacherPath:
    """Return the solution from the networks at times[0], by steps of at most `step` that end on each of the times.

    Args:
        densities: densities of the networks, in all modes or at nodes. times: (T,), never decreasing.
        method: "rk4", or "euler" as in the published code.
        stable: whether to shorten the steps before each of the times if the fastest mode requires it, and to lengthen
            them at late times if it permits.

    Raises:
        NotConverged: the solution diverges, or the step is too large, or there are too many steps.

    Source: goldt2021, equations of motion.
    """
    rates = equations.rates
    problem, state = _blocks(densities, networks, rates)
    hidden, fields = len(networks.v), len(networks.v) + len(networks.A)
    C, u, records = np.empty((fields, fields)), np.empty(fields), []
    remedy = f"lower the learning rate, which is {rates.learning_rate:g}, or the step, which is {step:g}"
    parts = _parts(times, step, stable)
    _check_work(parts, step, len(densities.rho), state.Z.size)
    for part in parts:
        for first, last, longest in part:
            if stable and last > first:
                longest = min(longest, _stable_step(equations, problem, state, C, u))
            count = math.ceil((last - first) / longest * (1 - 1e-9))
            size = (last - first) / max(count, 1)
            done = take_steps(equations, problem, state, C, u, count, size, METHODS[method])
            if not fill_fields(problem, state, C, u) or done < count:
                raise NotConverged(f"the order parameters diverge at time {first + size * done:.4g}: {remedy}")
        _check_covariance(C, last, remedy)
        records.append((C.copy(), u[:hidden].copy()))
    C, v = (np.stack(parts) for parts in zip(*records, strict=True))
    order = OrderParameters(C[:, :hidden, :hidden], C[:, :hidden, hidden:], problem.T)
    u = np.concatenate([v, np.broadcast_to(-networks.A, (len(v), len(networks.A)))], axis=1)
    pmse = equations.signals.pmse(C, u, hidden)
    return TeacherPath(np.asarray(times, float), order, v, pmse)


def solve(
    equations: TeacherEquations,
    networks: TeacherStudent,
    densities: Densities,
    *,
    nodes: int | None,
    times: np.ndarray,
    step: float,
    method: str = "rk4",
    stable: bool = False,
) -> tuple[TeacherPath, np.ndarray]:
    """Return the solution with densities at a number of nodes, and the relative change of pmse (T,) at twice as many.

    Args:
        densities: densities in all modes. If `nodes` is None, all modes are kept, and the change is zero.
        times, step, method, stable: as for `integrate`.

    Raises:
        ConfigError: the nodes cannot represent these modes.
        NotConverged: as for `integrate`.
    """
    numerics = {"times": times, "step": step, "method": method, "stable": stable}
    if nodes is None:
        return integrate(equations, networks, densities, **numerics), np.zeros(len(times))
    first, second = (
        integrate(equations, networks, compressed(densities, count), **numerics) for count in (nodes, 2 * nodes)
    )
    return first, np.abs(first.pmse / second.pmse - 1)


def _blocks(densities, networks, rates):
    """Return the problem and its initial state in blocks of modes, padded with modes of zero weight."""
    rho, hidden = densities.rho, len(networks.v)
    width = min(len(rho), _BLOCK)
    padding = -len(rho) % width
    student = np.concatenate([densities.q, densities.r], axis=1)
    teacher = np.concatenate([densities.r.swapaxes(0, 1), densities.tt], axis=1)
    Z = np.concatenate([student, teacher])

    def blocks(rows):
        return np.pad(rows, ((0, 0), (0, padding))).reshape(len(rows), -1, width).transpose(1, 0, 2).copy()

    eigenvalues, noise = blocks(np.stack([rho, rho * densities.mass / 2])).transpose(1, 0, 2).copy()
    B = networks.B
    norms = np.einsum("kkt->k", densities.q)
    problem = Problem(eigenvalues, noise, B @ B.T / B.shape[1], np.asarray(networks.A, float), rates, norms)
    return problem, DensityState(blocks(Z[np.tril_indices(hidden + len(networks.A))]), np.array(networks.v, float))


def _parts(times, step, stable):
    """Return parts (first time, last time, longest step) of the course before each of the times."""
    if not stable:
        return [[(begin, end, step)] for begin, end in pairwise([times[0], *times])]
    return [
        [(first, last, max(step, _GROWTH * first)) for first, last in pairwise(_stops(begin, end, step))]
        for begin, end in pairwise([times[0], *times])
    ]


def _stops(begin, end, step):
    """Return times from `begin` to `end` between which stable steps have one size."""
    late = max(begin, step / _GROWTH)
    if end <= _STRETCH * late:
        return begin, end
    later = np.geomspace(late, end, math.ceil(math.log(end / late, _STRETCH)) + 1)
    return later if begin == late else (begin, *later)


def _check_work(parts, step, modes, densities):
    """Raise an error if even the longest steps are too many."""
    count = sum((last - first) / longest for part in parts for first, last, longest in part)
    if count * (densities + _AVERAGES_WORK) > _MOST_WORK:
        raise NotConverged(
            f"last_time is {parts[-1][-1][1]:g}: {count:.2g} steps of {modes} modes are too many: lower it, raise "
            f"step, now {step:g}, or set nodes to fewer than the modes"
        )


def _stable_step(equations, problem, state, C, u):
    """Return the inverse of the largest relaxation rate of a mode of q."""
    if not fill_fields(problem, state, C, u):
        return math.inf
    hidden, decays = len(state.v), np.empty(len(state.v))
    averages = equations.signals.averages(C, u, hidden)
    apply_rates(averages, equations.rates)
    fill_decays(problem, averages, C, decays)
    response = averages.response[:, :hidden]
    fastest = problem.rho.max() * np.abs(np.linalg.eigvals(response)).max() + decays.max()
    return 1 / max(2 * fastest, np.finfo(float).tiny)


def take_steps(equations, problem, state, C, u, count, size, method):
    """Change the state in place, and return the number of steps, which is smaller if the state diverges."""
    signals = equations.signals
    if signals.exact:
        return closed_steps(signals.compiled, problem, state, C, u, count, size, *method)
    fill_fields(problem, state, C, u)
    hidden = len(state.v)
    X = np.empty((hidden, len(u), problem.rho.shape[1]))
    for done in range(count):
        start, stage, source = state.copy(), state.copy(), state
        for weight, offset in zip(*method, strict=True):
            if not fill_fields(problem, source, C, u):
                return done
            averages = signals.averages(C, u, hidden)
            apply_rates(averages, problem.rates)
            advance(problem, averages, C, X, source, state, size * weight, start, stage, size * offset)
            source = stage
    return count


def _check_covariance(C, time, remedy):
    eigenvalues = np.linalg.eigvalsh(C)
    if eigenvalues[0] < -_ROUNDING * eigenvalues[-1]:
        raise NotConverged(
            f"the covariance of pre-activations has the eigenvalue {eigenvalues[0]:.3g} at time {time:.4g}: {remedy}; "
            "or use moments from more samples, if Omega and Phi do not belong to one distribution"
        )
