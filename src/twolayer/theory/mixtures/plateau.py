"""The plateau before a network finds the means of the clusters, and the rate at which it leaves the plateau.

In the XOR mixture, a network whose weights have no component in the space of the means (R = 0) cannot distinguish the
clusters, and R stays zero. In general, this is the case if the drift of R at R = 0 vanishes. The other order
parameters settle where the noise of SGD, the descent and the decay of the weights balance. The equations of motion,
linearised at this state as dR / dt = J R, determine whether the network leaves the plateau, and how fast. SGD in N
dimensions drives R by a noise of order 1 / N all the time.

Source: own derivation from the order-parameter equations of refinetti2021; saad1995 for plateaus of online learning.
"""

import contextlib
import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import expm
from scipy.optimize import least_squares
from scipy.stats import chi2

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.averages.mixture_averages import local_field_averages
from twolayer.theory.mixtures.integration import integrate
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState, aligned
from twolayer.theory.mixtures.right_side import admissible_drift, diverged

_RELAXATION = 3.0  # time to follow the flow towards the plateau, in units of one over the learning rate
_DIFFERENCE = 1e-4  # step of R in a derivative, in units of the root of Q
_LEGS = 7  # legs of the flow, each twice as long
_GROWTH = 1.5  # growth of tr Q in a leg that counts as divergence if tr Q also grows faster than one leg before
_ROUNDING, _TRIALS = 1e-15, 400  # tolerances and steps of the last refinement
_RANK = 1e-6  # part of the largest eigenvalue of Q below which an eigenvalue counts as 0
_TOLERANCE = 1e-8  # tolerance of the drift, relative to the drift of Q
_RESTING = 1e-6  # drift of R, relative to the contributions of single clusters, below which it vanishes


@dataclass(frozen=True, eq=False)
class Plateau:
    """The stationary state of a network that has no overlap with the means.

    Attributes:
        state: stationary state with R = 0.
        jacobian: (P K, P K) of dR / dt by R, both row by row, per unit of time.
        noise: (P K, P K) noise of R by SGD, per unit of time, times N.
    """

    state: IsotropicState
    jacobian: np.ndarray
    noise: np.ndarray

    @property
    def rate(self) -> float:
        """The rate at which a small component in the space of the means grows; negative if the plateau is stable."""
        return float(np.linalg.eigvals(self.jacobian).real.max())

    def mean_square(self, times: np.ndarray, dimension: int) -> tuple[np.ndarray, np.ndarray]:
        """Return E tr R^T R (T,) at evenly spaced times from 0 on, and the number of directions (T,) that share it.

        The weights are random apart from Q, and E tr R^T R is small.
        """
        size = len(self.jacobian)
        # Van Loan's block holds the propagator over a step, and what the noise adds in it.
        block = np.block([[-self.jacobian, self.noise / dimension], [np.zeros((size, size)), self.jacobian.T]])
        both = expm(block * (times[1] - times[0]))
        propagator = both[size:, size:].T
        added, square = propagator @ both[:size, size:], np.kron(np.eye(len(self.state.R)), self.state.Q) / dimension
        squares = [square]
        for _ in times[1:]:
            squares.append(square := propagator @ square @ propagator.T + added)
        traces = np.trace(squares, axis1=1, axis2=2)
        return traces, traces**2 / np.sum(np.square(squares), axis=(1, 2))

    def escape_probabilities(self, part: float, dimension: int, times: np.ndarray) -> np.ndarray:
        """Return the probability (T,) that tr R^T R exceeds a part of tr Q, at evenly spaced times from 0 on.

        The distribution of tr R^T R is approximated by a sum of squares over the directions that share it
        (Satterthwaite).
        """
        with np.errstate(over="ignore", invalid="ignore"):
            mean, directions = self.mean_square(times, dimension)
            found = chi2.sf(part * np.trace(self.state.Q) * directions / mean, directions)
        return np.where(np.isnan(found), 1.0, found)  # overflows long after that time


def plateau(equations: IsotropicEquations, v: np.ndarray, near: Plateau | None = None) -> Plateau:
    """Return the plateau of a network whose second layer v (K,) is kept.

    Args:
        near: the plateau at similar parameters and the same width, from which this one is found without following the
            flow.

    Raises:
        ConfigError: the second layer is trained, or R = 0 is not stationary.
        Divergence: there is no plateau, because Q diverges.
        NotConverged: no plateau is found.
    """
    mixture = equations.mixture
    if equations.learning.train_second_layer:
        raise ConfigError("train_second_layer is true: the theory of the plateau needs a second layer that is kept")
    _require_resting_overlaps(equations, v)
    state = _settled(equations, v, near)
    equations = aligned(equations, state)
    size = _DIFFERENCE * np.sqrt(np.trace(state.Q) / len(v))
    shape = (mixture.means.shape[1], len(v))
    shifts = size * np.eye(np.prod(shape)).reshape(-1, *shape)
    pairs = [(equations.drift(_moved(state, one)).R, equations.drift(_moved(state, -one)).R) for one in shifts]
    jacobian = np.stack([(up - down).ravel() for up, down in pairs], axis=1) / (2 * size)
    averages = local_field_averages(equations.local_fields(state), mixture, equations.nodes)
    seen = mixture.variance * np.eye(shape[0]) + mixture.means[:, :, None] * mixture.means[:, None, :]
    weighted = mixture.weights[:, None, None] * averages.noise
    rate = equations.learning.learning_rate
    noise = rate**2 * sum(np.kron(x, u) for x, u in zip(seen, weighted, strict=True))
    return Plateau(state, jacobian, noise)


def _moved(state, shift):
    """Return weights with an additional component in the space of the means, which contributes to Q."""
    return replace(state, R=shift, Q=state.Q + shift.T @ shift)


def _settled(equations, v, near):
    """Return the stationary Q with R = 0, from a nearby plateau or by following the flow."""
    if near is not None and len(near.state.v) == len(v):
        with contextlib.suppress(NotConverged):
            return _at_rest(equations, replace(near.state, v=np.asarray(v)))
    state, rate, before = _start(equations, v), equations.learning.learning_rate, math.inf
    for time in _RELAXATION / rate * 2.0 ** np.arange(_LEGS):
        power = np.trace(state.Q)
        state = replace(integrate(equations, state, np.array([0.0, time])).states[-1], R=state.R)  # R = 0 is unstable
        try:
            return _at_rest(equations, state)
        except NotConverged as error:
            failure = error
        speed = np.trace(aligned(equations, state).drift(state).Q)
        if speed > before and np.trace(state.Q) > _GROWTH * power:
            raise diverged(equations, time)
        before = speed
    raise failure


def _start(equations, v):
    """Return independent weights outside the space of the means, from which the flow leads to the plateau."""
    hidden, axes = len(v), equations.mixture.means.shape[1]
    return IsotropicState(equations.learning.learning_rate * np.eye(hidden), np.zeros((axes, hidden)), np.asarray(v))


def _require_resting_overlaps(equations, v):
    """Raise an error if R = 0 is not stationary."""
    mixture, state = equations.mixture, _start(equations, v)
    equations = aligned(equations, state)
    drive = local_field_averages(equations.local_fields(state), mixture, equations.nodes).drive
    pulls = (mixture.weights[:, None] * drive)[:, :, None] * mixture.means[:, None, :]
    if np.abs(pulls.sum(axis=0)).max() > _RESTING * np.abs(pulls).sum(axis=0).max():
        raise ConfigError(
            "the means of the clusters drive weights without a component in their space: there is no plateau, learning "
            "begins at once"
        )


def _at_rest(equations, state):
    """Refine Q to the exact stationary value.

    The unknown is a triangular root of Q, since Q of odd units has no full rank: units of opposite second layers have
    opposite weights.
    """
    equations, lower = aligned(equations, state), np.tril_indices(len(state.v))
    rate = equations.learning.learning_rate
    unit = rate * np.trace(state.Q)

    def squared(entries):
        root = np.zeros_like(state.Q)
        root[lower] = entries
        return replace(state, Q=root @ root.T)

    def drift(entries):
        with contextlib.suppress(ZeroDivisionError):  # Q vanishes
            if (found := admissible_drift(equations, squared(entries))) is not None:
                return found.Q[lower] / unit
        return np.full(lower[0].size, np.nan)  # rejects a step

    eigenvalues, vectors = np.linalg.eigh(state.Q)
    start = np.linalg.qr((vectors * np.sqrt(np.maximum(eigenvalues, 0.0))).T, mode="r").T[lower]
    size = math.inf
    if np.isfinite(drift(start)).all():
        found = least_squares(
            drift, start, x_scale="jac", ftol=_ROUNDING, xtol=_ROUNDING, gtol=_ROUNDING, max_nfev=_TRIALS
        )
        exact, size = squared(found.x), np.abs(found.fun).max() * unit
    if not size <= _TOLERANCE * rate * np.trace(exact.Q):
        raise NotConverged(
            f"no plateau is found: Q still changes by {size:.2g} per unit of time: lower the learning rate, which is "
            f"{rate:g}"
        )
    if (growth := _growth_of_rank(equations, exact)) > 0:
        raise NotConverged(
            f"the plateau is unstable: weights in other directions grow at the rate {growth:.2g}: lower the learning "
            f"rate, which is {rate:g}"
        )
    return exact


def _growth_of_rank(equations, state):
    """Return the largest rate at which Q grows in directions in which it vanishes; minus infinity without any."""
    eigenvalues, vectors = np.linalg.eigh(state.Q)
    none, small = vectors[:, eigenvalues < _RANK * eigenvalues[-1]], _RANK * eigenvalues[-1]
    moved = replace(state, Q=state.Q + small * none @ none.T)
    return float(np.linalg.eigvalsh(none.T @ equations.drift(moved).Q @ none).max(initial=-math.inf)) / small
