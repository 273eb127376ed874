"""The order-parameter equations of the units that have weights."""

from dataclasses import dataclass

import numpy as np

from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState
from twolayer.theory.mixtures.right_side import admissible_drift
from twolayer.theory.mixtures.state_vectors import packed

FLOOR = 1e-10  # part of Q below which eigenvalues of Q - R^T R are not resolved
# gains v_k sqrt(Q_kk) below which a unit is dead if it does not grow, and below which it is dying if it shrinks
_DEAD, _DYING = 1e-8, 1e-5


@dataclass(frozen=True, eq=False)
class LivingUnits:
    """The equations of the living units; dead units have no weights.

    The drift of a relu unit is not differentiable where its weights vanish. Units that have died out are therefore
    left out. Units of activations without kinks always count as alive.

    Attributes:
        equations: of all units. alive: (K,).
    """

    equations: IsotropicEquations
    alive: np.ndarray

    @classmethod
    def of(cls, equations: IsotropicEquations, state: IsotropicState) -> "LivingUnits":
        gains, alive = np.abs(state.v) * np.sqrt(np.diag(state.Q)), np.ones(len(state.v), bool)
        if equations.activation.kinks.size:
            drift, scale = admissible_drift(equations, state), max(gains.max(), 1.0)
            falls = drift is not None and (drift.v * state.v < 0) & (np.diag(drift.Q) < 0)
            alive = (gains > _DYING * scale) | (gains > _DEAD * scale) & ~np.asarray(falls)
        return cls(equations, alive)

    def restricted(self, state: IsotropicState) -> IsotropicState:
        """Return Q, R and v of the living units."""
        return IsotropicState(state.Q[np.ix_(self.alive, self.alive)], state.R[:, self.alive], state.v[self.alive])

    def embedded(self, part: IsotropicState) -> IsotropicState:
        """Return the state of all units.

        The variance of dead units is positive, as averages over relu units require.
        """
        hidden = len(self.alive)
        Q = np.eye(hidden) * FLOOR * np.abs(part.Q).max(initial=FLOOR)
        R, v = np.zeros((len(part.R), hidden)), np.zeros(hidden)
        Q[np.ix_(self.alive, self.alive)], R[:, self.alive], v[self.alive] = part.Q, part.R, part.v
        return IsotropicState(Q, R, v)

    def vectors(self, parts: np.ndarray) -> np.ndarray:
        """Return vectors (all unknowns, n) of Q, R and v of all units from vectors (unknowns, n) of the
        living units.
        """
        pairs = np.outer(self.alive, self.alive)[np.tril_indices(len(self.alive))]
        axes = (len(parts) - pairs.sum()) // max(self.alive.sum(), 1) - 1
        both = np.concatenate([pairs, np.tile(self.alive, axes), self.alive])
        found = np.zeros((both.size, parts.shape[1]), parts.dtype)
        found[both] = parts
        return found

    def drift(self, part: IsotropicState) -> np.ndarray:
        """Return the drift as a vector, or NaN if the state is not admissible."""
        drift = admissible_drift(self.equations, self.embedded(part))
        return np.full(packed(part).shape, np.nan) if drift is None else packed(self.restricted(drift))
