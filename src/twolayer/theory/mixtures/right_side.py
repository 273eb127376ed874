"""The right-hand side of the order-parameter equations where a step of a solver may end, with a budget."""

from dataclasses import replace

import numpy as np

from twolayer.errors import NotConverged
from twolayer.model.networks.two_layer_networks import LocalFields
from twolayer.theory.averages.units import unit_averages
from twolayer.theory.mixtures.mixture_equations import (
    IsotropicState,
    MixtureEquations,
    MixtureState,
    aligned,
    mean_covariance,
)
from twolayer.theory.mixtures.state_vectors import packed, typical_sizes, unpacked
from twolayer.theory.numerics.differences import difference_steps

_FIRST_PART, _HARDLY = 0.1, 1e-12  # part of the budget after which the time must exceed this part of the last time
# part of its largest eigenvalue by which a covariance may be indefinite: rounding errors, and local errors of a step in
# units of their bound
_ROUNDING, _LOCAL_ERRORS = 1e-5, 10.0
_SHRUNK = 1e-4  # factor by which weights shrink before absolute tolerances shrink with them
_RESOLVED = 1e-13  # part of its largest eigenvalue below which eigenvalues of a covariance are rounding errors
_JACOBIAN_NODES = 64  # nodes of derivatives that only steer a solver
_GROWTH = 1e25  # growth of the order parameters that counts as divergence
_MISALIGNED = 0.5  # part of the best correlation below which new lines are chosen


class Divergence(NotConverged):
    """The order parameters grow without a limit."""


def diverged(equations: MixtureEquations, time: float) -> Divergence:
    """Return the error for a solution that does not exist beyond a time."""
    learning = equations.learning
    return Divergence(
        f"the order parameters diverge at time {time:.4g} with learning rate {learning.learning_rate:g} and weight "
        f"decay {learning.weight_decay:g}: lower the learning rate or raise the weight decay"
    )


def admissible_drift(equations: MixtureEquations, state: MixtureState) -> MixtureState | None:
    """Return the drift, or None if no step may end in this state.

    No step may end in a state that is not finite, or whose averages cannot be computed. The covariance of
    pre-activations must be positive semi-definite.
    """
    try:
        return _drift_if_admissible(equations, state)
    except NotConverged:
        return None


def require_drift(equations: MixtureEquations, start: MixtureState, time: float) -> None:
    """Raise an error if no step size would make a solver accept a step."""
    if admissible_drift(equations, start) is None:
        equations.drift(start)  # raises its own error if averages are unknown
        raise diverged(equations, time)


def with_few_nodes(equations: MixtureEquations) -> MixtureEquations:
    """Return the equations with the nodes that are enough for derivatives that only steer a solver."""
    return replace(equations, nodes=equations.nodes.first(_JACOBIAN_NODES))


def resolved_fields(equations: MixtureEquations, state: MixtureState) -> LocalFields:
    """Return the distribution of the pre-activations, with a positive variance of every combination of them."""
    fields = equations.local_fields(state)
    if isinstance(state, IsotropicState):
        _, fields = _resolved(equations, state, fields, np.linalg.eigvalsh(fields.covariance))
    return fields


def _drift_if_admissible(equations, state, indefinite=_ROUNDING):
    """Return the same as `admissible_drift`, but raise an error if averages cannot be computed.

    Eigenvalues of the covariance may be negative by a part `indefinite` of the largest.
    """
    fields = equations.local_fields(state)
    if not np.isfinite(fields.covariance).all() or not np.isfinite(state.v).all():
        return None
    eigenvalues = np.linalg.eigvalsh(fields.covariance)
    if not np.all(eigenvalues[..., 0] >= -indefinite * eigenvalues[..., -1]):
        return None
    if isinstance(state, IsotropicState):
        state, fields = _resolved(equations, state, fields, eigenvalues)
    return equations.drift(state, fields)


def _resolved(equations, state, fields, eigenvalues):
    """Return a state and its pre-activations with a positive variance of every combination of pre-activations that
    rounding, or errors of integration, have made negative.

    Args:
        eigenvalues: of the covariances of the pre-activations.
    """
    if eigenvalues.min() >= _RESOLVED * eigenvalues.max():
        return state, fields
    known = np.outer(state.R[-1], state.R[-1]) if equations.mixture.constant_input else np.zeros_like(state.Q)
    eigenvalues, eigenvectors = np.linalg.eigh(state.Q - known)
    raised = np.maximum(eigenvalues, _RESOLVED * eigenvalues[-1])
    state = replace(state, Q=known + (eigenvectors * raised) @ eigenvectors.T)
    return state, equations.local_fields(state)


class RightSide:
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
        rough = with_few_nodes(self.equations)
        here, columns = self._drift(rough, time, vector), np.empty((vector.size, vector.size))
        for number, step in enumerate(difference_steps(vector, self.sizes)):
            for signed in (step, -step):
                moved = vector.copy()
                moved[number] += signed
                columns[:, number] = (self._drift(rough, time, moved) - here) / (moved[number] - vector[number])
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
        before, sizes = 1.0 if self.sizes is None else self.sizes, typical_sizes(unpacked(self.template, vector))
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
