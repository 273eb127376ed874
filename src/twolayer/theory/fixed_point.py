"""Stationary states of online learning on an isotropic mixture: where the network is after infinitely many steps."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.mixture_equations import IsotropicEquations, IsotropicState, aligned
from twolayer.theory.nodes import Nodes
from twolayer.theory.ode import admissible_drift, diverged

_DIFFERENCE = 1e-5  # relative step of central differences: truncation and rounding both cost 1e-10
_SLOWER, _FASTER = 4.0, 5.0  # by which a stride is shortened where it fails, and lengthened where it lowers the drift
_RISE = 5.0  # by which a stride may raise the drift: on the way from a slow flow to its end it need not fall
_SHORTEST = 1e-6  # stride, in units of N steps
_RELAXATION_RTOL, _RELAXATION_ATOL = 1e-5, 1e-7
_FLOOR = 1e-10  # part of Q below which eigenvalues of Q - R^T R are not resolved


@dataclass(frozen=True)
class FixedPoint:
    """A state that the order-parameter equations leave unchanged.

    Attributes:
        equations: with the nodes for which the state is stationary.
        state: the stationary state.
        residual: largest absolute component of the drift.
        iterations: strides taken.
        leading_eigenvalue: largest real part among the eigenvalues of the drift's Jacobian, per unit time.
    """

    equations: IsotropicEquations
    state: IsotropicState
    residual: float
    iterations: int
    leading_eigenvalue: float

    @property
    def stable(self) -> bool:
        """Whether small deviations die out."""
        return self.leading_eigenvalue < 0


def xor_start(hidden: int) -> IsotropicState:
    """A state of `hidden` = 4, 6, 8, ... units in which every cluster of the XOR mixture has units of its own.

    Source: refinetti2021, the initial condition of the asymptotic solution.
    """
    if hidden < 4 or hidden % 2:
        raise ConfigError(f"no XOR start for {hidden} hidden units: use an even number of at least 4")
    if hidden == 4:
        norms = np.array([0.98196293, 1.21409575, 1.21608174, 0.97920306])
        c, s = 0.9, np.sqrt(1 - 0.9**2)
        R = norms * np.array([[c, -s, -c, s], [s, c, -s, -c]])
        v = norms * np.array([-c, c, -c, c])
    else:
        even = np.array([[1.07, 0.22], [-0.98, 0.2], [0.39, -0.08]] + [[0.1, -0.01]] * (hidden // 2 - 3)).T
        R = np.stack([even, even[::-1]], axis=2).reshape(2, hidden)  # units in pairs, mirrored at the diagonal
        v = np.tile([-1.0, 1.0], hidden // 2) * np.repeat(np.abs(even[0]), 2)
    return IsotropicState(R.T @ R, R, v)


def stationary_state(
    equations: IsotropicEquations,
    start: IsotropicState,
    relaxation_time: float,
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 200,
) -> FixedPoint:
    """The fixed point that the flow from `start` leads to: relaxation, then strides that end as Newton's method.

    Args:
        relaxation_time: how long to follow the flow, in units of N steps; its slowest modes take about
            1 / (2 * learning rate * weight decay).
        tolerance: bound on the largest absolute component of the drift.

    Raises:
        ConfigError: the second layer does not train.
        NotConverged: the flow diverges, or the strides do not reach the tolerance.
    """
    if not equations.learning.train_second_layer:
        raise ConfigError("train_second_layer is false: a stationary state is sought with both layers training")
    at_rest = np.abs(_vector_drift(equations, start)).max() <= tolerance
    state = start if at_rest else _relax(equations, start, relaxation_time)
    equations, stride = aligned(equations, state), relaxation_time
    for iterations in range(1, max_iterations + 1):
        state, change, drift, stride = _stride(equations, state, stride)
        residual = float(np.abs(drift).max())
        if residual <= tolerance and np.abs(change).max() <= math.sqrt(tolerance):  # the next step squares the error
            leading = np.linalg.eigvals(_jacobian(equations, state)).real.max()
            return FixedPoint(equations, state, residual, iterations, float(leading))
    raise NotConverged(
        f"no fixed point: the drift is still {residual:.2g} after {max_iterations} steps, above the tolerance "
        f"{tolerance:.2g}: raise the relaxation time, now {relaxation_time:g}"
    )


def with_other_nodes(point: FixedPoint, nodes: Nodes) -> IsotropicState:
    """Where the fixed point lies when averages are taken at other nodes, to first order in their difference."""
    equations = aligned(replace(point.equations, nodes=nodes), point.state)
    drift = _vector_drift(equations, point.state)
    roots, _, drift_by_roots = _variations(equations, point.state)
    moved = _squared(roots - np.linalg.solve(drift_by_roots, drift), point.state.R.shape)
    return _positive(moved, _FLOOR)


def continuation(
    sequence: Iterable[IsotropicEquations], start: IsotropicState, relaxation_time: float
) -> list[FixedPoint]:
    """Fixed points of a sequence of equations, each reached from the one before; arguments as `stationary_state`."""
    points = []
    for equations in sequence:
        points.append(stationary_state(equations, start, relaxation_time))
        start = points[-1].state
    return points


def _stride(equations, state, stride):
    """State after a stride along the flow, what changed, the drift there, and how long the next stride is to be.

    A linearised Euler step backwards in time: it follows the flow where short, and is Newton's step where long. What
    Newton's method alone makes of a flow this slow, with rates of learning rate times weight decay, need not be where
    the flow leads. A step of the roots suits weights that die out together, one of Q an excess Q - R^T R that vanishes
    alone.
    """
    drift, vector, shape = _vector_drift(equations, state), _vector(state), state.R.shape
    roots, by_roots, drift_by_roots = _variations(equations, state)
    size = np.linalg.norm(drift)
    while stride > _SHORTEST:
        step = np.linalg.solve(by_roots / stride - drift_by_roots, drift)
        for trial in (_squared(roots + step, shape), _symmetric_state(vector + by_roots @ step, shape)):
            trial = _positive(trial, _FLOOR)
            trial_drift = _vector_drift(equations, trial)
            trial_size = np.linalg.norm(trial_drift)
            if trial_size < _RISE * size:
                return trial, by_roots @ step, trial_drift, stride * (_FASTER if trial_size < size else 1.0)
        stride /= _SLOWER
    return state, by_roots @ step, drift, stride


def _jacobian(equations, state):
    """Derivatives of the drift by Q, R and v."""
    _, by_roots, drift_by_roots = _variations(equations, state)
    return np.linalg.solve(by_roots.T, drift_by_roots.T).T


def _variations(equations, state):
    """Roots (A, R, v), which keep Q = R^T R + A A^T positive; derivatives of Q, R and v, and of the drift, by them."""
    excess = _positive(state, _FLOOR).Q - state.R.T @ state.R
    roots = _vector(replace(state, Q=np.linalg.cholesky(excess)))
    step = _DIFFERENCE * np.abs(roots).max()
    pairs = [
        (_squared(roots + shift, state.R.shape), _squared(roots - shift, state.R.shape))
        for shift in step * np.eye(roots.size)
    ]
    by_roots = np.stack([_vector(up) - _vector(down) for up, down in pairs], axis=1)
    drifts = [_vector_drift(equations, up) - _vector_drift(equations, down) for up, down in pairs]
    return roots, by_roots / (2 * step), np.stack(drifts, axis=1) / (2 * step)


def _squared(roots, shape):
    root = _lower_state(roots, shape)
    return replace(root, Q=root.Q @ root.Q.T + root.R.T @ root.R)


def _relax(equations, start, time):
    """The state after that time, by an implicit method: the time scales differ by orders of magnitude."""
    equations, shape = aligned(equations, start), start.R.shape

    def drift(_, vector):
        if not np.isfinite(vector).all():
            return np.full_like(vector, np.nan)
        return _vector(equations.drift(_positive(_symmetric_state(vector, shape), 0.0)))

    solution = solve_ivp(
        drift, (0.0, time), _vector(start), method="LSODA", rtol=_RELAXATION_RTOL, atol=_RELAXATION_ATOL
    )
    finite = np.isfinite(solution.y).all(axis=0)
    if solution.status != 0 or not finite.all():
        raise diverged(equations, solution.t[finite][-1])
    return _positive(_symmetric_state(solution.y[:, -1], shape), _FLOOR)


def _positive(state, floor):
    """The state with no eigenvalue of Q - R^T R below that part of Q, as errors of integration may lead there."""
    plane = state.R.T @ state.R
    eigenvalues, eigenvectors = np.linalg.eigh(state.Q - plane)
    raised = np.maximum(eigenvalues, floor * np.abs(state.Q).max())
    return replace(state, Q=plane + (eigenvectors * raised) @ eigenvectors.T)


def _vector(state):
    """Q, R and v without the upper triangle of Q."""
    return np.concatenate([state.Q[np.tril_indices(len(state.v))], state.R.ravel(), state.v])


def _lower_state(vector, shape):
    """The state of that vector, with zeros for the upper triangle of Q."""
    hidden = shape[1]
    entries, R, v = np.split(vector, [hidden * (hidden + 1) // 2, vector.size - hidden])
    Q = np.zeros((hidden, hidden))
    Q[np.tril_indices(hidden)] = entries
    return IsotropicState(Q, R.reshape(shape), v)


def _symmetric_state(vector, shape):
    lower = _lower_state(vector, shape)
    return replace(lower, Q=lower.Q + np.tril(lower.Q, -1).T)


def _vector_drift(equations, state):
    drift = admissible_drift(equations, state)
    return np.full(_vector(state).shape, np.nan) if drift is None else _vector(drift)
