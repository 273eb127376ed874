"""Integration of order-parameter equations in time, and what is observed along the way."""

import math
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
from scipy.integrate import DOP853
from scipy.ndimage import convolve1d

from twolayer.errors import NotConverged
from twolayer.theory.local_fields import network_errors
from twolayer.theory.mixture_equations import MixtureEquations, MixtureState, aligned
from twolayer.theory.nodes import Nodes
from twolayer.theory.units import unit_averages

_NEIGHBOURS = 2  # times before, and after, over which changes of the classification error are averaged
_ROUNDING = 1e-5  # part of its largest eigenvalue by which errors of integration may make a covariance indefinite


@dataclass(frozen=True, eq=False)
class Observables:
    """What one state, or each of T states in a trajectory (a leading axis T), says about the network.

    Attributes:
        pmse: half the mean squared error.
        class_error: probability of a wrong sign of the output, with half that of a zero output.
        zero_probability: probability of a zero output.
        M: (C, K) means of the local fields in each cluster.
        covariance: (K, K) covariance of the local fields; or (C, K, K), one a cluster.
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
    """States at the (T,) times, which count SGD steps in units of the input dimension, and their observables."""

    times: np.ndarray
    states: tuple[MixtureState, ...]
    observables: Observables


def observables(equations: MixtureEquations, state: MixtureState) -> Observables:
    """Observables of one state."""
    law = equations.local_fields(state)
    return Observables(*network_errors(law, equations.mixture, equations.nodes), law.M, law.covariance, law.v)


def integrate(
    equations: MixtureEquations,
    start: MixtureState,
    times: np.ndarray,
    *,
    class_nodes: Nodes | None = None,
    rtol: float | None = None,
    atol: float | None = None,
) -> MixturePath:
    """Solution from `start` at times[0], by an adaptive Runge-Kutta method of order 8.

    The nodes are aligned with the local fields at each of the times.

    Args:
        times: (T,), increasing.
        class_nodes: for the class errors, which are taken once but need more nodes than the drift; by default its own.
        rtol, atol: bounds of the local error of each component; by default 1e-7 and 1e-9, or 1e-4 and 1e-6 where the
            activation has kinks and no closed forms, as the drift then jumps a little.

    Raises:
        NotConverged: the step size underflows, as it does where the solution diverges.
    """
    smooth = unit_averages(equations.activation).smooth
    rtol = rtol or (1e-7 if smooth else 1e-4)
    atol = atol or (1e-9 if smooth else 1e-6)
    if admissible_drift(equations, start) is None:  # no step size would make the solver accept a step
        raise diverged(equations, times[0])
    states, step = [start], None
    for begin, end in pairwise(times):
        state, step = _advance(aligned(equations, states[-1]), states[-1], begin, end, step, rtol, atol)
        states.append(state)
    observed = equations if class_nodes is None else replace(equations, nodes=class_nodes)
    return _trajectory(observed, times, states)


def euler(equations: MixtureEquations, start: MixtureState, times: np.ndarray, *, step: float) -> MixturePath:
    """Solution from `start` at times[0], by Euler steps of at most `step` that end on each of the times.

    Raises:
        NotConverged: the solution is no longer finite.
    """
    states = [start]
    for begin, end in pairwise(times):
        frozen, vector = aligned(equations, states[-1]), _flat(states[-1])
        count = math.ceil((end - begin) / step - 1e-9)
        for done in range(count):
            vector = vector + (end - begin) / count * _drift(frozen, start, vector)
            if not np.isfinite(vector).all():
                raise diverged(equations, begin + (end - begin) * done / count)
        states.append(_unflat(start, vector))
    return _trajectory(equations, times, states)


def sampling_error(
    equations: MixtureEquations,
    path: MixturePath,
    nodes: Nodes,
    *,
    class_nodes: Nodes | None = None,
    rtol: float | None = None,
    atol: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """By how much pmse and classification error (T,) change if all is computed again with independent nodes.

    The change of the classification error is a draw of its own at each time, near zero at some by chance: stated is the
    root mean square over neighbouring times, at which errors are alike.

    Args:
        class_nodes: as for `integrate`, independent ones as well.

    Raises:
        NotConverged: as `integrate`.
    """
    options = {"class_nodes": class_nodes, "rtol": rtol, "atol": atol}
    again = integrate(replace(equations, nodes=nodes), path.states[0], path.times, **options).observables
    first = path.observables
    return np.abs(again.pmse - first.pmse), _around(again.class_error - first.class_error)


def _around(changes):
    """Root mean square (T,) of each of the changes (T,) and its neighbours."""
    window = np.ones(2 * _NEIGHBOURS + 1)
    squares, counts = (convolve1d(values, window, mode="constant") for values in (changes**2, np.ones(len(changes))))
    return np.sqrt(squares / counts)


def _advance(equations, state, begin, end, step, rtol, atol):
    """The state at `end`, and the step size with which to go on."""
    first_step = None if step is None else min(step, end - begin)
    solver = DOP853(
        lambda _, vector: _drift(equations, state, vector),
        begin,
        _flat(state),
        end,
        rtol=rtol,
        atol=atol,
        first_step=first_step,
    )
    while solver.status == "running":
        solver.step()
    if solver.status == "failed":
        raise diverged(equations, solver.t)
    return _unflat(state, solver.y), solver.h_abs


def admissible_drift(equations: MixtureEquations, state: MixtureState) -> MixtureState | None:
    """The drift, or None where the state is not finite or its covariance of local fields not positive semi-definite."""
    covariance = equations.local_fields(state).covariance
    if not np.isfinite(covariance).all() or not np.isfinite(state.v).all():
        return None
    eigenvalues = np.linalg.eigvalsh(covariance)
    return equations.drift(state) if np.all(eigenvalues[..., 0] >= -_ROUNDING * eigenvalues[..., -1]) else None


def diverged(equations: MixtureEquations, time: float) -> NotConverged:
    """The error to raise where no solution exists beyond that time."""
    learning = equations.learning
    return NotConverged(
        f"the order parameters diverge at time {time:.4g} with learning rate {learning.learning_rate:g} and weight "
        f"decay {learning.weight_decay:g}: lower the learning rate or raise the weight decay"
    )


def _drift(equations, template, vector):
    drift = admissible_drift(equations, _unflat(template, vector))
    return np.full_like(vector, np.nan) if drift is None else _flat(drift)  # NaN makes the solver reject its step


def _flat(state):
    return np.concatenate([getattr(state, field.name).ravel() for field in fields(state)])


def _unflat(template, vector):
    shapes = [getattr(template, field.name).shape for field in fields(template)]
    parts = np.split(vector, np.cumsum([math.prod(shape) for shape in shapes])[:-1])
    return type(template)(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))


def _trajectory(equations, times, states):
    at_times = [observables(equations, state) for state in states]
    stacked = (np.array([getattr(one, field.name) for one in at_times]) for field in fields(Observables))
    return MixturePath(np.asarray(times, float), tuple(states), Observables(*stacked))
