"""Integration of order-parameter equations in time, and observables along the trajectory.

One integration goes through all times. It begins with an explicit Runge-Kutta method of order 8 and changes to an
implicit one (BDF, orders 1 to 5) where stability limits the step. The states at the given times come from dense output.
If all weights decay, the absolute tolerances decrease with them, so that the direction of the weights is known, until
the averages lose their relative accuracy.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.integrate import BDF, DOP853, OdeSolver

from twolayer.theory.averages.mixture_averages import classification_error, network_errors
from twolayer.theory.averages.nodes import Nodes
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.mixtures.mixture_equations import MixtureEquations, MixtureState
from twolayer.theory.mixtures.right_side import RightSide, diverged, require_drift, resolved_fields
from twolayer.theory.mixtures.state_vectors import packed, unpacked

BUDGET = 50_000  # evaluations of the right-hand side in one integration
_PERIOD = 20  # steps of the explicit method between two tests of stability
_UNSTABLE = 3.0  # step times largest rate from which stability limits the explicit method
_LARGEST_SYSTEM = 400  # unknowns up to which the implicit method is affordable


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
    distribution = resolved_fields(equations, state)
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
    require_drift(equations, start, times[0])
    right_side = RightSide(equations, start, times, max_evaluations, rtol or bound, atol or 0.01 * bound)
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
    require_drift(equations, start, 0.0)
    times = np.array([0.0, time])
    return _states(RightSide(equations, start, times, BUDGET, rtol, atol), times)[0][-1]


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
    distributions = (resolved_fields(equations, state) for state in path.states)
    return np.array([classification_error(one, equations.mixture, nodes)[0] for one in distributions])


def _states(right_side: RightSide, times: np.ndarray) -> tuple[list[MixtureState], int]:
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
    right_side: RightSide,
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
    solver: OdeSolver, right_side: RightSide, times: np.ndarray, found: list[np.ndarray]
) -> Callable[..., OdeSolver]:
    """Step to the end, or until another solver has to go on; append the vectors on the way to those found.

    Returns: the method of the next solver.
    """
    steps = 0
    while solver.status == "running":
        right_side.unknown = None
        with np.errstate(over="ignore", invalid="ignore"):  # a diverging solution overflows, see below
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


def _stiff(solver: DOP853, right_side: RightSide) -> bool:
    """Return whether stability limits the step, so that the implicit method is worth its Jacobians."""
    unknowns = solver.y.size
    to_go = (solver.t_bound - solver.t) / solver.step_size
    if unknowns > _LARGEST_SYSTEM or 12 * to_go < 5 * unknowns:
        return False
    rates = np.linalg.eigvals(right_side.jacobian(solver.t, solver.y))
    return bool(solver.step_size * np.abs(rates).max() > _UNSTABLE)


def _trajectory(equations, times, states, evaluations):
    at_times = [observables(equations, state) for state in states]
    stacked = (np.array([getattr(one, field.name) for one in at_times]) for field in fields(Observables))
    return MixturePath(np.asarray(times, float), tuple(states), Observables(*stacked), evaluations)
