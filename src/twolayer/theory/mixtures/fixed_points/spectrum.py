"""The drift near a stationary state along the modes of its Jacobian: stability and flat directions."""

from dataclasses import dataclass, replace

import numpy as np

from twolayer.theory.mixtures.fixed_points.living_units import FLOOR, LivingUnits
from twolayer.theory.mixtures.fixed_points.strides import RISE, Variations, positive
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState
from twolayer.theory.mixtures.state_vectors import packed, unpacked

_ROUNDING = 1e-11  # part of the terms of the drift to which their sum is known
_NEAR = 0.02  # drift, relative to the decay of the weights, below which a state may be stationary
_SETTLED = 1e-5  # largest relative change of the state in a further step
_CONFINED = 1e-4  # relative distance from which the flow returns if deviations grow only next to collinear weights
_KICK = 0.02  # relative size of a step away from an unstable state


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The drift near a stationary state along the modes of its Jacobian.

    Attributes:
        rates: (n,) eigenvalues. modes: (n, n), in columns. flat: (n,) which modes are flat.
        parts: (n,) components of the drift along the modes.
    """

    rates: np.ndarray
    modes: np.ndarray
    flat: np.ndarray
    parts: np.ndarray

    def _along(self, chosen, coefficients):
        return (self.modes[:, chosen] @ coefficients).real

    @property
    def change(self) -> np.ndarray:
        """Return the distance (n,) to the stationary state to first order, without flat directions."""
        steep = ~self.flat
        return self._along(steep, self.parts[steep] / self.rates[steep])

    def corrected(self, part: LivingUnits, state: IsotropicState, drift: np.ndarray) -> IsotropicState | None:
        """Return the state after a Newton step orthogonal to flat directions, along which a stride would diverge.

        Returns None if there are no flat directions, or if the step raises the drift.
        """
        if not self.flat.any():
            return None
        trial = positive(unpacked(state, packed(state) - self.change), FLOOR)
        return trial if np.linalg.norm(part.drift(trial)) < RISE * np.linalg.norm(drift) else None

    def confines(self, part: LivingUnits, state: IsotropicState, mode: int) -> bool:
        """Return whether a deviation along a growing mode remains small, since the flow returns from a small distance.

        This is the case where two units have the same direction. The drift is not differentiable there: quadrature
        makes the variance e of the difference of their pre-activations grow as sqrt(e), up to a tiny value.
        """
        vector, along = packed(state), self.modes[:, mode].real
        size = _CONFINED * max(np.abs(vector).max(), _CONFINED) / np.abs(along).max()
        sides = [(signed, unpacked(state, vector + signed * along)) for signed in (size, -size)]
        inside = [(signed, side) for signed, side in sides if np.linalg.eigvalsh(side.Q - side.R.T @ side.R)[0] >= 0]
        parts = [signed * np.linalg.solve(self.modes, part.drift(side))[mode] for signed, side in inside]
        return len(inside) == 1 and self.rates[mode].imag == 0 and parts[0].real < 0

    def settled(self, part: LivingUnits, state: IsotropicState, tolerance: float, slide: float, nearby: float) -> bool:
        """Return whether the state is stationary; along flat directions the drift may be as large as a slow slide.

        The drift must be within the bound, or the stationary state at most this nearby.
        """
        size, steep = np.abs(packed(state)).max(), ~self.flat
        resting, sliding = self._along(steep, self.parts[steep]), self._along(self.flat, self.parts[self.flat])
        distance = np.abs(self.change).max() / max(size, _SETTLED)
        return bool(
            (np.abs(resting).max() <= drift_bound(part, state, tolerance) or distance <= nearby)
            and np.abs(sliding).max() <= slide * decay_rate(part.equations) * max(size, 1.0)
            and distance <= _SETTLED
        )


def near_rest(part: LivingUnits, state: IsotropicState, drift: np.ndarray) -> bool:
    """Return whether the drift is so small that the state may be stationary."""
    size = max(np.abs(packed(state)).max(), 1.0)
    return bool(np.abs(drift).max() <= _NEAR * decay_rate(part.equations) * size)


def modes_of(drift: np.ndarray, variations: Variations, slowest: float = 0.0) -> Spectrum:
    """Return the drift along the modes of the Jacobian; modes count as flat at rates up to the slowest."""
    _, by_roots, drift_by_roots = variations
    rates, modes = np.linalg.eig(np.linalg.solve(by_roots.T, drift_by_roots.T).T)
    return Spectrum(rates, modes, np.abs(rates) <= slowest, np.linalg.solve(modes, drift))


def kicked(state: IsotropicState, modes: np.ndarray, rates: np.ndarray) -> IsotropicState:
    """Return a nearby state, displaced along the mode that grows fastest."""
    vector, mode = packed(state), modes[:, np.argmax(rates.real)].real
    size = _KICK * max(np.abs(vector).max(), _KICK) / np.abs(mode).max()
    return positive(unpacked(state, vector + size * mode), 0.0)


def orthonormal(modes: np.ndarray) -> np.ndarray | None:
    """Return an orthonormal real basis (directions, n) of complex modes (n, directions), or None for no modes."""
    left, sizes, _ = np.linalg.svd(np.hstack([modes.real, modes.imag]), full_matrices=False)
    return left[:, sizes > 1e-6].T if np.any(sizes > 1e-6) else None


def drift_bound(part: LivingUnits, state: IsotropicState, tolerance: float) -> float:
    """Return the largest component of the drift at which the state counts as stationary."""
    learning, size = part.equations.learning, max(np.abs(packed(state)).max(), 1.0)
    free = replace(part, equations=replace(part.equations, learning=replace(learning, weight_decay=0.0)))
    terms = np.nan_to_num(np.abs(free.drift(state)).max())
    return max(tolerance * decay_rate(part.equations) * size, _ROUNDING * (terms + learning.learning_rate * size))


def decay_rate(equations: IsotropicEquations) -> float:
    """Return the rate at which weights decay."""
    learning = equations.learning
    return learning.learning_rate * learning.weight_decay
