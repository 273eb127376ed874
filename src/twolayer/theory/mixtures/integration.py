"""Integration of order-parameter equations in time, and observables along the trajectory.

One integration goes through all times. It begins with an explicit Runge-Kutta method of order 8 and changes to an
implicit one (BDF, orders 1 to 5) where stability limits the step. The states at the given times come from dense output.
If all weights decay, the absolute tolerances decrease with them, so that the direction of the weights is known, until
the averages lose their relative accuracy.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache

import numpy as np
from scipy.integrate import BDF, DOP853, OdeSolver

from twolayer.errors import NotConverged
from twolayer.theory.averages.mixture_averages import classification_error, network_errors
from twolayer.theory.averages.nodes import Nodes
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.mixtures.mixture_equations import (
    IsotropicState,
    MixtureEquations,
    MixtureState,
    aligned,
    mean_covariance,
)
from twolayer.theory.numerics.differences import difference_steps

BUDGET = 50_000  # evaluations of the right-hand side in one integration
_FIRST_PART, _HARDLY = 0.1, 1e-12  # part of the budget after which the time must exceed this part of the last time
# part of its largest eigenvalue by which a covariance may be indefinite: rounding errors, and local errors of a step in
# units of their bound
_ROUNDING, _LOCAL_ERRORS = 1e-5, 10.0
_SHRUNK = 1e-4  # factor by which weights shrink before absolute tolerances shrink with them
_RESOLVED = 1e-13  # part of its largest eigenvalue below which eigenvalues of a covariance are rounding errors
_PERIOD = 20  # steps of the explicit method between two tests of stability
_UNSTABLE = 3.0  # step times largest rate from which stability limits the explicit method
_LARGEST_SYSTEM = 400  # unknowns up to which the implicit method is affordable
_JACOBIAN_NODES = 64
_GROWTH = 1e25  # growth of the order parameters that counts as divergence
_MISALIGNED = 0.5  # part of the best correlation below which new lines are chosen


@dataclass(frozen=True, eq=False)
class Observables:
    """Observables of a network in one state, or in each of T states of a trajectory (a leading axis T).

    Attributes:
        pmse: half the mean squared error.
        class_error: probability of a wrong sign of the output, plus half the probability of a zero output.
        zero_probability: probability of a zero output.
        M: (C, K) means of the pre-activations in each cluster.
        covariance: (K, K) covariance of the pre-activations, or (C, K, K) one for each cluster.
        v: (K,) second layer.
    """

    pmse: np.ndarray
    class_error: np.ndarray
    zero_probability: np.ndarray
    M: np.ndarray
    covariance: np.ndarray
    v: np.ndarray


@dataclass(frozen=True, eq=False)
class MixturePath:
    """States at the (T,) times, which count SGD steps in units of the input dimension, and their observables.

    Attributes:
        evaluations: number of evaluations of the right-hand side.
    """

    times: np.ndarray
    states: tuple[MixtureState, ...]
    observables: Observables
    evaluations: int


def observables(equations: MixtureEquations, state: MixtureState) -> Observables:
    """Return observables of one state."""
    if isinstance(state, IsotropicState):
        state = _resolved(equations, state, np.linalg.eigvalsh(equations.local_fields(state).covariance))
    distribution = equations.local_fields(state)
    return Observables(
        *network_errors(distribution, equations.mixture, equations.nodes),
        distribution.M,
        distribution.covariance,
        distribution.v,
    )


def integrate(
    equations: MixtureEquations,
    start: MixtureState,
    times: np.ndarray,
    *,
    class_nodes: Nodes | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_evaluations: int = BUDGET,
) -> MixturePath:
    """Return the solution from `start` at times[0], by one integration with dense output.

    The lines of relu units through the pre-activations are realigned if their direction becomes unsuitable. If all
    weights decay to 1e-30 (1e-8 for activations without closed forms), the state stays as it is from then on.

    Args:
        times: (T,), increasing.
        class_nodes: nodes of the class errors, which need more nodes than the drift; by default the nodes of the drift.
        rtol, atol: bounds of the local error of each component. The defaults are 1e-7 and 1e-9; 1e-6 and 1e-8 if the
            drift needs quadrature; 1e-4 and 1e-6 if the activation also has kinks, since the drift then has small
            jumps.
        max_evaluations: number of evaluations of the right-hand side after which the integration stops.

    Raises:
        NotConverged: the solution diverges, or the integration exceeds `max_evaluations`.
    """
    bound = _tolerance(unit_averages(equations.activation), len(start.v))
    _require_drift(equations, start, times[0])
    right_side = _RightSide(equations, start, times, max_evaluations, rtol or bound, atol or 0.01 * bound)
    states, evaluations = _states(right_side, times)
    observed = equations if class_nodes is None else replace(equations, nodes=class_nodes)
    return _trajectory(observed, times, states, evaluations)


def _tolerance(units, hidden):
    """Return the default relative tolerance, well below the error of the quadrature if there is one."""
    if not units.needs_nodes(hidden):
        return 1e-7
    return 1e-6 if units.smooth else 1e-4


def flow(equations: MixtureEquations, start: MixtureState, time: float, *, rtol: float, atol: float) -> MixtureState:
    """Return the state after a time; arguments and errors as for `integrate`."""
    _require_drift(equations, start, 0.0)
    times = np.array([0.0, time])
    return _states(_RightSide(equations, start, times, BUDGET, rtol, atol), times)[0][-1]


def repeated(
    equations: MixtureEquations,
    path: MixturePath,
    nodes: Nodes,
    *,
    class_nodes: Nodes | None = None,
    rtol: float | None = None,
    atol: float | None = None,
) -> MixturePath:
    """Return the solution after repeating everything that depends on quadrature with other nodes.

    The equations are integrated again only if their drift has no closed form.

    Args:
        nodes: independent nodes for the drift. class_nodes: independent nodes for the class errors.

    Raises:
        NotConverged: as `integrate`.
    """
    again, other_nodes = replace(equations, nodes=nodes), class_nodes or nodes
    if not unit_averages(equations.activation).needs_nodes(len(path.states[0].v)):
        return _trajectory(replace(again, nodes=other_nodes), path.times, path.states, 0)
    options = {"class_nodes": other_nodes, "rtol": rtol, "atol": atol}
    return integrate(again, path.states[0], path.times, **options)


def class_errors(equations: MixtureEquations, path: MixturePath, nodes: Nodes) -> np.ndarray:
    """Return the class errors (T,) along a solution with other nodes."""
    distributions = (equations.local_fields(state) for state in path.states)
    return np.array([classification_error(one, equations.mixture, nodes)[0] for one in distributions])


class _RightSide:
    """The drift as a function of time and a vector, with the nodes aligned at one state, and a budget.

    Attributes:
        equations: with aligned nodes. template: a state of the same shape. evaluations: so far.
        rtol, atol: bounds of the local error; the absolute ones are for weights of order one.
        indefinite: part of its largest eigenvalue by which a covariance may be indefinite.
        sizes: typical size of each component, once the weights have shrunk, else None.
        smallest: size of the weights at which the integration ends. lines: whether the averages use lines.
        unknown: why averages are unknown in a state of the present step, if they are.
    """

    def __init__(self, equations, start, times, budget, rtol, atol):
        self.template, self.budget, self.evaluations = start, budget, 0
        self.rtol, self.atol, self.sizes = rtol, atol, None
        self.indefinite = max(_ROUNDING, _LOCAL_ERRORS * rtol)
        size, units = np.abs(packed(start)).max(), unit_averages(equations.activation)
        self.last_time, self.largest = times[-1], _GROWTH * (1 + size)
        self.lines, self.smallest = units.lines, min(units.smallest, _SHRUNK * size)
        self.derivatives: np.ndarray | None = None
        self.unknown: NotConverged | None = None
        self.equations = aligned(equations, start)

    def __call__(self, time: float, vector: np.ndarray) -> np.ndarray:
        return self._drift(self.equations, time, vector)

    def _drift(self, equations, time, vector):
        self.evaluations += 1
        begun = time > _HARDLY * self.last_time or self.evaluations <= _FIRST_PART * self.budget
        if self.evaluations > self.budget or not begun:
            raise NotConverged(
                f"the integration stops at time {time:.4g} of {self.last_time:.4g}, after {self.evaluations - 1} "
                "evaluations of the right-hand side: lower last_time or learning_rate, or raise weight_decay"
            )
        try:
            drift = _drift_if_admissible(equations, unpacked(self.template, vector), self.indefinite)
        except NotConverged as unknown:
            drift, self.unknown = None, unknown
        return np.full_like(vector, np.nan) if drift is None else packed(drift)  # NaN makes the solver reject its step

    def jacobian(self, time: float, vector: np.ndarray) -> np.ndarray:
        """Return derivatives by differences, to whichever side is admissible, or the last ones if the vector is not
        admissible.

        They only steer the implicit method, so that few nodes are enough.
        """
        coarse = replace(self.equations, nodes=self.equations.nodes.first(_JACOBIAN_NODES))
        here, columns = self._drift(coarse, time, vector), np.empty((vector.size, vector.size))
        for number, step in enumerate(difference_steps(vector, self.sizes)):
            for signed in (step, -step):
                moved = vector.copy()
                moved[number] += signed
                columns[:, number] = (self._drift(coarse, time, moved) - here) / (moved[number] - vector[number])
                if np.isfinite(columns[:, number]).all():
                    break
            else:
                if self.derivatives is None:
                    raise diverged(self.equations, time)
                return self.derivatives  # the predicted vector is too far ahead: the solver shortens its step
        self.derivatives = columns
        return columns

    def refined(self, vector: np.ndarray) -> bool:
        """Adapt the absolute tolerances to weights that have shrunk, and return whether they have."""
        before, sizes = 1.0 if self.sizes is None else self.sizes, _sizes(unpacked(self.template, vector))
        if not np.any((sizes > 0) & (sizes < _SHRUNK * before)):
            return False
        self.sizes = np.where(sizes > 0, np.minimum(sizes, before), before)
        return True

    def realigned(self, vector: np.ndarray) -> bool:
        """Choose new lines if the direction of the present ones has become unsuitable, and return whether it has."""
        if not self.lines:
            return False
        state = unpacked(self.template, vector)
        if np.diag(mean_covariance(self.equations, state)).min() <= 0:  # a unit dies out
            return False
        best = aligned(self.equations, state)
        present, possible = (one.nodes.alignment(mean_covariance(best, state)) for one in (self.equations, best))
        if present >= _MISALIGNED * possible:
            return False
        self.equations = best
        return True


def _states(right_side: _RightSide, times: np.ndarray) -> tuple[list[MixtureState], int]:
    """Return states at the times, and the number of evaluations of the right-hand side."""
    vector = packed(right_side.template)
    found, method, begin, step = [vector], DOP853, times[0], None
    while len(found) < len(times):
        solver = _solver(method, right_side, begin, vector, times[-1], step)
        method = _advance(solver, right_side, times, found)
        begin, vector, step = solver.t, solver.y, solver.step_size
    return [right_side.template, *(unpacked(right_side.template, one) for one in found[1:])], right_side.evaluations


def _solver(
    method: Callable[..., OdeSolver],
    right_side: _RightSide,
    begin: float,
    vector: np.ndarray,
    end: float,
    step: float | None,
) -> OdeSolver:
    """Return a solver of a method, with a first step if one is given."""
    options = {"jac": right_side.jacobian} if method is BDF else {}
    options |= {"rtol": right_side.rtol, "atol": right_side.atol}
    if right_side.sizes is not None:
        options["atol"] = right_side.atol * right_side.sizes
    first_step = None if step is None else min(step, end - begin)
    return method(right_side, begin, vector, end, first_step=first_step, **options)


def _advance(
    solver: OdeSolver, right_side: _RightSide, times: np.ndarray, found: list[np.ndarray]
) -> Callable[..., OdeSolver]:
    """Step to the end, or until another solver has to go on; append the vectors on the way to those found.

    Returns: the method of the next solver.
    """
    steps = 0
    while solver.status == "running":
        right_side.unknown = None
        solver.step()
        if solver.status == "failed" and right_side.unknown is not None:
            raise right_side.unknown
        if solver.status == "failed" or not np.abs(solver.y).max() < right_side.largest:
            raise diverged(right_side.equations, solver.t)
        last = np.searchsorted(times, solver.t, side="right")
        if last > len(found):
            dense = solver.dense_output()
            found.extend(dense(time) for time in times[len(found) : last])
        steps += 1
        if np.abs(solver.y).max() < right_side.smallest:
            found.extend([solver.y] * (len(times) - len(found)))
            break
        if solver.status == "running":
            if isinstance(solver, DOP853) and steps % _PERIOD == 0 and _stiff(solver, right_side):
                return BDF
            if right_side.realigned(solver.y) or right_side.refined(solver.y):
                break
    return type(solver)


def _stiff(solver: DOP853, right_side: _RightSide) -> bool:
    """Return whether stability limits the step, so that the implicit method is worth its Jacobians."""
    unknowns = solver.y.size
    to_go = (solver.t_bound - solver.t) / solver.step_size
    if unknowns > _LARGEST_SYSTEM or 12 * to_go < 5 * unknowns:
        return False
    rates = np.linalg.eigvals(right_side.jacobian(solver.t, solver.y))
    return bool(solver.step_size * np.abs(rates).max() > _UNSTABLE)


def admissible_drift(equations: MixtureEquations, state: MixtureState) -> MixtureState | None:
    """Return the drift, or None if no step may end in this state.

    No step may end in a state that is not finite, or whose averages cannot be computed. The covariance of
    pre-activations must be positive semi-definite.
    """
    try:
        return _drift_if_admissible(equations, state)
    except NotConverged:
        return None


def _drift_if_admissible(equations, state, indefinite=_ROUNDING):
    """Return the same, but raise an error if averages cannot be computed.

    Eigenvalues of the covariance may be negative by a part `indefinite` of the largest.
    """
    covariance = equations.local_fields(state).covariance
    if not np.isfinite(covariance).all() or not np.isfinite(state.v).all():
        return None
    eigenvalues = np.linalg.eigvalsh(covariance)
    if not np.all(eigenvalues[..., 0] >= -indefinite * eigenvalues[..., -1]):
        return None
    if isinstance(state, IsotropicState):
        state = _resolved(equations, state, eigenvalues)
    return equations.drift(state)


def _resolved(equations, state, eigenvalues):
    """Return the state with a positive variance of every combination of pre-activations that rounding, or errors of
    integration, have made negative.

    Args:
        eigenvalues: of the covariances of the pre-activations.
    """
    if eigenvalues.min() >= _RESOLVED * eigenvalues.max():
        return state
    known = np.outer(state.R[-1], state.R[-1]) if equations.mixture.constant_input else np.zeros_like(state.Q)
    eigenvalues, eigenvectors = np.linalg.eigh(state.Q - known)
    raised = np.maximum(eigenvalues, _RESOLVED * eigenvalues[-1])
    return replace(state, Q=known + (eigenvectors * raised) @ eigenvectors.T)


def _require_drift(equations, start, time):
    """Raise an error if no step size would make a solver accept a step."""
    if admissible_drift(equations, start) is None:
        equations.drift(start)  # raises its own error if averages are unknown
        raise diverged(equations, time)


class Divergence(NotConverged):
    """The order parameters grow without a limit."""


def diverged(equations: MixtureEquations, time: float) -> Divergence:
    """Return the error for a solution that does not exist beyond a time."""
    learning = equations.learning
    return Divergence(
        f"the order parameters diverge at time {time:.4g} with learning rate {learning.learning_rate:g} and weight "
        f"decay {learning.weight_decay:g}: lower the learning rate or raise the weight decay"
    )


_lower = cache(np.tril_indices)  # indices of matrices of a given size


def packed(state: MixtureState) -> np.ndarray:
    """Return a state as a vector, with Q without its upper triangle."""
    if isinstance(state, IsotropicState):
        return np.concatenate([state.Q[_lower(len(state.v))], state.R.ravel(), state.v])
    return np.concatenate([getattr(state, field.name).ravel() for field in fields(state)])


def unpacked(template: MixtureState, vector: np.ndarray) -> MixtureState:
    """Return the state of a vector, in the shape of a template."""
    if isinstance(template, IsotropicState):
        hidden = len(template.v)
        entries, R, v = np.split(vector, [hidden * (hidden + 1) // 2, vector.size - hidden])
        Q, lower = np.empty((hidden, hidden)), _lower(hidden)
        Q[lower] = Q.T[lower] = entries
        return IsotropicState(Q, R.reshape(template.R.shape), v)
    shapes = [getattr(template, field.name).shape for field in fields(template)]
    parts = np.split(vector, np.cumsum([math.prod(shape) for shape in shapes])[:-1])
    return type(template)(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))


def _sizes(state):
    """Return the typical size of each component of a state: of weights, of their squares, or of the second layer."""
    second_layer = np.full_like(state.v, np.abs(state.v).max())
    if isinstance(state, IsotropicState):
        square = np.abs(state.Q).max()
        return packed(IsotropicState(np.full_like(state.Q, square), np.full_like(state.R, square**0.5), second_layer))
    square = max(np.abs(state.mean_weights).max() ** 2, np.abs(state.fluctuations).max())
    moments = np.full_like(state.mean_weights, square**0.5), np.full_like(state.fluctuations, square)
    return packed(type(state)(*moments, second_layer))


def _trajectory(equations, times, states, evaluations):
    at_times = [observables(equations, state) for state in states]
    stacked = (np.array([getattr(one, field.name) for one in at_times]) for field in fields(Observables))
    return MixturePath(np.asarray(times, float), tuple(states), Observables(*stacked), evaluations)
