"""Stationary states of online learning on an isotropic mixture: the network after infinitely many steps.

A network with more units than it needs has directions in which its order parameters may move without a change of its
output. The drift and its derivative vanish there. Such flat directions are found from the Jacobian. The state is
determined up to a motion along them.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.averages.nodes import Nodes
from twolayer.theory.mixtures.fixed_points.living_units import FLOOR, LivingUnits
from twolayer.theory.mixtures.fixed_points.spectrum import (
    decay_rate,
    drift_bound,
    kicked,
    modes_of,
    near_rest,
    orthonormal,
)
from twolayer.theory.mixtures.fixed_points.strides import positive, squared, strides, variations_of
from twolayer.theory.mixtures.integration import flow
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState, aligned
from twolayer.theory.mixtures.state_vectors import packed, unpacked

_FIRST = 0.1  # first stride from a nearby fixed point, in units of the relaxation time
_RELAXATION_RTOL, _RELAXATION_ATOL = 1e-4, 1e-6
_FLAT = 1e-3  # rate below which a direction is flat, in units of the rate at which weights decay
_SLIDE = 1e-3  # drift along flat directions that counts as zero, relative to the decay of the weights
_PATIENCE = 15  # iterations after which the next two limits hold, if the output hardly changes in some direction
_NEARLY_FLAT, _NEARLY_SLIDE = 0.03, 0.01
_FLAT_PART = 1e-9  # singular value of the derivatives, relative to the largest, below which a direction is flat
_KICKS = 3
_STALLED = 1e-8  # relative change of the state in a stride, below which the strides lead nowhere
_STEADY = 1e-3  # relative change of the drift in a stride, below which the strides lead nowhere
_LOST = 50  # iterations after which the strides are too long to follow the flow
_NEARBY = 1e-6  # relative distance at which a state counts as stationary, if strides end above the bound of the drift
_FLOWS, _LONGER = 6, 4.0  # how often the flow leads on where strides do not, and the ratio of its durations
_ESCAPE = 30.0  # time to follow the flow from there, in units of the time in which deviations grow by a factor e


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """A state that the order-parameter equations leave unchanged.

    Attributes:
        equations: with the nodes for which the state is stationary.
        state: the stationary state.
        residual: largest absolute component of the drift.
        iterations: strides taken.
        leading_eigenvalue: largest real part among the eigenvalues of the drift's Jacobian, per unit time, without the
            flat directions.
        flat: (directions, unknowns) orthonormal basis of the flat directions in the space of Q, R and v, or None.
        alive: (K,) which units have weights.
        variations: derivatives of the order parameters of the living units and of their drift; None without such units.
    """

    equations: IsotropicEquations
    state: IsotropicState
    residual: float
    iterations: int
    leading_eigenvalue: float
    alive: np.ndarray
    flat: np.ndarray | None = None
    variations: tuple[np.ndarray, ...] | None = None

    @property
    def stable(self) -> bool:
        """Whether small deviations decay, apart from deviations along flat directions."""
        return self.leading_eigenvalue < 0

    @property
    def flat_directions(self) -> int:
        """Number of flat directions."""
        return 0 if self.flat is None else len(self.flat)

    @property
    def flat_units(self) -> np.ndarray:
        """The largest part (K,) of an order parameter of each unit that the flat directions leave undetermined."""
        hidden, axes = len(self.state.v), len(self.state.R)
        if self.flat is None:
            return np.zeros(hidden)
        owner = np.concatenate([np.tril_indices(hidden)[0], np.tile(np.arange(hidden), axes), np.arange(hidden)])
        squares = np.sum(self.flat**2, axis=0)
        return np.array([squares[owner == unit].max() for unit in range(hidden)])


def stationary_state(
    equations: IsotropicEquations,
    start: IsotropicState,
    relaxation_time: float,
    *,
    tolerance: float = 1e-7,
    max_iterations: int = 100,
    near: bool = False,
) -> FixedPoint:
    """Return the fixed point to which the flow from `start` leads, by relaxation and strides that end as Newton's
    method.

    Args:
        relaxation_time: how long to follow the flow, in units of N steps; the slowest modes need about 1 / (2 *
            learning rate * weight decay).
        tolerance: bound on the largest absolute component of the drift, relative to the decay of the weights.
        near: whether a fixed point of similar equations is the start, so that strides follow the flow from it.

    Raises:
        ConfigError: train_second_layer is false.
        NotConverged: the flow diverges, the strides do not reach the tolerance, or the fixed point is not stable.
    """
    if not equations.learning.train_second_layer:
        raise ConfigError("train_second_layer is false: the stationary state of both layers needs it to be true")
    whole = LivingUnits(equations, np.ones(len(start.v), bool))
    at_rest = np.abs(whole.drift(start)).max() <= drift_bound(whole, start, tolerance)
    state = start if at_rest or near else _relaxed(equations, start, relaxation_time)
    slowest, kicks, flows, stride = _FLAT * decay_rate(equations), 0, 0, relaxation_time * (_FIRST if near else 1.0)
    while kicks < _KICKS:
        point, onward = _settled(equations, state, stride, tolerance, max_iterations, flows)
        if onward is None:
            return point
        if point is None:
            flows += 1
            duration = relaxation_time * _LONGER**flows
        else:
            kicks += 1
            duration = max(relaxation_time, _ESCAPE / max(point.leading_eigenvalue, slowest))
        state, stride = _relaxed(equations, onward, duration), relaxation_time
    raise NotConverged(
        f"there is no stable fixed point near the start: deviations grow at a rate of {point.leading_eigenvalue:.2g}: "
        f"lower learning_rate, now {equations.learning.learning_rate:g}, or change the start or the student"
    )


def _settled(equations, state, stride, tolerance, max_iterations, flows):
    """Return a fixed point, and a nearby state from which the flow leaves it, or None if the point is stable.

    Returns None and a state to follow the flow from if the strides lead nowhere: the last one, or the one of smallest
    drift if the strides were too long to follow the flow. There is a limit to the number of these flows.
    """
    equations, size, smallest = aligned(equations, state), math.inf, math.inf
    for iterations in range(max_iterations):
        part = LivingUnits.of(equations, state)
        if not part.alive.any():
            dead = part.embedded(part.restricted(state))
            return FixedPoint(equations, dead, 0.0, iterations, -decay_rate(equations), part.alive), None
        living = part.restricted(state)
        drift = part.drift(living)
        near = near_rest(part, living, drift)
        variations = variations_of(part, living, rough=not near)
        limit, slide = (_FLAT, _SLIDE) if iterations < _PATIENCE else (_NEARLY_FLAT, _NEARLY_SLIDE)
        nearby = _NEARBY if flows and iterations >= _PATIENCE else 0.0
        spectrum = modes_of(drift, variations, limit * decay_rate(equations)) if near else None
        if spectrum is not None and spectrum.settled(part, living, tolerance, slide, nearby):
            break
        projected = None if spectrum is None else spectrum.corrected(part, living, drift)
        if projected is not None:
            living = projected
        else:
            living, stride = strides(part, living, stride, drift, variations)
        previous, state = state, part.embedded(living)
        before, size = size, np.linalg.norm(drift)
        if size < smallest:
            smallest, best = size, previous
        stalled = distance(previous, state) < _STALLED or abs(size - before) < _STEADY * size
        lost = iterations > _LOST
        if (lost or (stalled and iterations > _PATIENCE)) and flows < _FLOWS:
            return None, best if lost else state
    else:
        learning = equations.learning
        raise NotConverged(
            f"no fixed point: after {max_iterations} iterations the drift is still {np.abs(drift).max():.2g}, above "
            f"{drift_bound(part, living, tolerance):.2g}: change weight_decay, now {learning.weight_decay:g}, or "
            f"learning_rate, now {learning.learning_rate:g}"
        )
    rates, modes, flat = spectrum.rates, spectrum.modes, spectrum.flat
    growing = np.flatnonzero((rates.real >= 0) & ~flat)
    confined = [mode for mode in growing if spectrum.confines(part, living, mode)]
    moving = ~flat & ~np.isin(np.arange(rates.size), confined)
    residual, leading = float(np.abs(drift).max()), float(rates[moving].real.max(initial=-math.inf))
    basis = orthonormal(part.vectors(modes[:, flat]))
    stationary = part.embedded(living)
    point = FixedPoint(equations, stationary, residual, iterations, leading, part.alive, basis, variations)
    return point, None if leading < 0 else part.embedded(kicked(living, modes[:, moving], rates[moving]))


def with_other_nodes(point: FixedPoint, nodes: Nodes) -> IsotropicState:
    """Return the fixed point for averages at other nodes, to first order in their difference.

    The state does not move along flat directions. These are the slowest modes, as many as the fixed point has.
    """
    if point.variations is None:
        return point.state
    part = LivingUnits(aligned(replace(point.equations, nodes=nodes), point.state), point.alive)
    living = part.restricted(point.state)
    drift, (roots, _, drift_by_roots) = part.drift(living), point.variations
    if point.flat_directions:
        spectrum = modes_of(drift, point.variations)
        flat = np.argsort(np.argsort(np.abs(spectrum.rates))) < point.flat_directions
        change = replace(spectrum, flat=flat).change
        return part.embedded(positive(unpacked(living, packed(living) - change), FLOOR))
    step = np.linalg.lstsq(drift_by_roots, drift, rcond=_FLAT_PART)[0]
    return part.embedded(positive(squared(roots - step, living), FLOOR))


def _relaxed(equations, start, time):
    end = flow(equations, positive(start, 0.0), time, rtol=_RELAXATION_RTOL, atol=_RELAXATION_ATOL)
    return positive(end, FLOOR)


def distance(state: IsotropicState, other: IsotropicState) -> float:
    """Return the relative change of the order parameters."""
    first, second = packed(state), packed(other)
    return np.linalg.norm(second - first) / max(np.linalg.norm(first), np.linalg.norm(second), 1e-100)
