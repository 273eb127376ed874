"""Stationary states of online learning on an isotropic mixture: the network after infinitely many steps.

A network with more units than it needs has directions in which its order parameters may move without a change of its
output. The drift and its derivative vanish there. Such flat directions are found from the Jacobian. The state is
determined up to a motion along them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from twolayer.errors import ConfigError, NotConverged
from twolayer.theory.averages.nodes import Nodes
from twolayer.theory.mixtures.integration import flow
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations, IsotropicState, aligned
from twolayer.theory.mixtures.right_side import admissible_drift
from twolayer.theory.mixtures.state_vectors import packed, unpacked

_DIFFERENCE = 1e-5  # relative step of central differences: truncation and rounding both cost 1e-10
# factors: a stride is shortened by the first if it fails, and lengthened by the second if it succeeds
_SLOWER, _FASTER = 4.0, 5.0
_FIRST = 0.1  # first stride from a nearby fixed point, in units of the relaxation time
_ATTEMPTS = 8  # iterations after which strides from a nearby fixed point give way to the flow
_FALL = 0.5  # factor by which each stride must reduce the drift if an earlier state gave the derivatives
_RISE = 5.0  # factor by which a stride may raise the drift: the drift may rise on the way to the end of a slow flow
_SHORTEST = 1e-6  # stride, in units of N steps
_RELAXATION_RTOL, _RELAXATION_ATOL = 1e-4, 1e-6
_FLOOR = 1e-10  # part of Q below which eigenvalues of Q - R^T R are not resolved
_ROUNDING = 1e-11  # part of the terms of the drift to which their sum is known
_FLAT = 1e-3  # rate below which a direction is flat, in units of the rate at which weights decay
_SLIDE = 1e-3  # drift along flat directions that counts as zero, relative to the decay of the weights
_PATIENCE = 15  # iterations after which the next two limits hold, if the output hardly changes in some direction
_NEARLY_FLAT, _NEARLY_SLIDE = 0.03, 0.01
_NEAR = 0.02  # drift, relative to the decay of the weights, below which a state may be stationary
_FLAT_PART = 1e-9  # singular value of the derivatives, relative to the largest, below which a direction is flat
_SETTLED = 1e-5  # largest relative change of the state in a further step
# gains v_k sqrt(Q_kk) below which a unit is dead if it does not grow, and below which it is dying if it shrinks
_DEAD, _DYING = 1e-8, 1e-5
_CONFINED = 1e-4  # relative distance from which the flow returns if deviations grow only next to collinear weights
_KICK = 0.02  # relative size of a step away from an unstable state
_KICKS = 3
_STALLED = 1e-8  # relative change of the state in a stride, below which the strides lead nowhere
_STEADY = 1e-3  # relative change of the drift in a stride, below which the strides lead nowhere
_NEARBY = 1e-6  # relative distance at which a state counts as stationary, if strides end above the bound of the drift
_FLOWS, _LONGER = 6, 4.0  # how often the flow leads on where strides do not, and the ratio of its durations
_ESCAPE = 30.0  # time to follow the flow from there, in units of the time in which deviations grow by a factor e
_JUMP = 0.5  # relative change of the state from which two points count as points of different branches
_NEAREST = 1.1  # smallest ratio of noise levels that is subdivided
_ANCHORS = 2.0  # ratio of the noise levels through which a branch is followed where the state changes
_STILL = 0.02  # relative change of the state between two anchors below which the ratio is squared


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


def xor_start(hidden: int) -> IsotropicState:
    """Return a state of `hidden` = 4, 6, 8, ... units in which each unit belongs to one cluster of the XOR mixture.

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
    whole = _Part(equations, np.ones(len(start.v), bool))
    at_rest = np.abs(whole.drift(start)).max() <= _bound(whole, start, tolerance)
    state = start if at_rest or near else _relaxed(equations, start, relaxation_time)
    slowest, kicks, flows, stride = _FLAT * _decay(equations), 0, 0, relaxation_time * (_FIRST if near else 1.0)
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


@dataclass(frozen=True, eq=False)
class _Part:
    """The equations of the living units; dead units have no weights.

    The drift of a relu unit is not differentiable where its weights vanish. Units that have died out are therefore
    left out. Units of activations without kinks always count as alive.

    Attributes:
        equations: of all units. alive: (K,).
    """

    equations: IsotropicEquations
    alive: np.ndarray

    @classmethod
    def of(cls, equations: IsotropicEquations, state: IsotropicState) -> "_Part":
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
        Q = np.eye(hidden) * _FLOOR * np.abs(part.Q).max(initial=_FLOOR)
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


def _settled(equations, state, stride, tolerance, max_iterations, flows):
    """Return a fixed point, and a nearby state from which the flow leaves it, or None if the point is stable.

    Returns None and the last state if the strides lead nowhere, unless the flow has been followed that often already.
    """
    equations, size = aligned(equations, state), math.inf
    for iterations in range(max_iterations):
        part = _Part.of(equations, state)
        if not part.alive.any():
            dead = part.embedded(part.restricted(state))
            return FixedPoint(equations, dead, 0.0, iterations, -_decay(equations), part.alive), None
        living = part.restricted(state)
        drift, variations = part.drift(living), _variations(part, living)
        limit, slide = (_FLAT, _SLIDE) if iterations < _PATIENCE else (_NEARLY_FLAT, _NEARLY_SLIDE)
        nearby = _NEARBY if flows and iterations >= _PATIENCE else 0.0
        spectrum = _spectrum(part, living, drift, variations, limit)
        if spectrum is not None and spectrum.settled(part, living, tolerance, slide, nearby):
            break
        projected = None if spectrum is None else spectrum.corrected(part, living, drift)
        if projected is not None:
            living = projected
        else:
            living, stride = _strides(part, living, stride, drift, variations)
        previous, state = state, part.embedded(living)
        before, size = size, np.linalg.norm(drift)
        stalled = _distance(previous, state) < _STALLED or abs(size - before) < _STEADY * size
        if stalled and iterations > _PATIENCE and flows < _FLOWS:
            return None, state
    else:
        learning = equations.learning
        raise NotConverged(
            f"no fixed point: after {max_iterations} iterations the drift is still {np.abs(drift).max():.2g}, above "
            f"{_bound(part, living, tolerance):.2g}: change weight_decay, now {learning.weight_decay:g}, or "
            f"learning_rate, now {learning.learning_rate:g}"
        )
    rates, modes, flat = spectrum.rates, spectrum.modes, spectrum.flat
    growing = np.flatnonzero((rates.real >= 0) & ~flat)
    confined = [mode for mode in growing if spectrum.confines(part, living, mode)]
    moving = ~flat & ~np.isin(np.arange(rates.size), confined)
    residual, leading = float(np.abs(drift).max()), float(rates[moving].real.max(initial=-math.inf))
    basis = _orthonormal(part.vectors(modes[:, flat]))
    stationary = part.embedded(living)
    point = FixedPoint(equations, stationary, residual, iterations, leading, part.alive, basis, variations)
    return point, None if leading < 0 else part.embedded(_kicked(living, modes[:, moving], rates[moving]))


@dataclass(frozen=True, eq=False)
class _Spectrum:
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

    def corrected(self, part: _Part, state: IsotropicState, drift: np.ndarray) -> IsotropicState | None:
        """Return the state after a Newton step orthogonal to flat directions, along which a stride would diverge.

        Returns None if there are no flat directions, or if the step raises the drift.
        """
        if not self.flat.any():
            return None
        trial = _positive(unpacked(state, packed(state) - self.change), _FLOOR)
        return trial if np.linalg.norm(part.drift(trial)) < _RISE * np.linalg.norm(drift) else None

    def confines(self, part: _Part, state: IsotropicState, mode: int) -> bool:
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

    def settled(self, part: _Part, state: IsotropicState, tolerance: float, slide: float, nearby: float) -> bool:
        """Return whether the state is stationary; along flat directions the drift may be as large as a slow slide.

        The drift must be within the bound, or the stationary state at most this nearby.
        """
        size, steep = np.abs(packed(state)).max(), ~self.flat
        resting, sliding = self._along(steep, self.parts[steep]), self._along(self.flat, self.parts[self.flat])
        distance = np.abs(self.change).max() / max(size, _SETTLED)
        return bool(
            (np.abs(resting).max() <= _bound(part, state, tolerance) or distance <= nearby)
            and np.abs(sliding).max() <= slide * _decay(part.equations) * max(size, 1.0)
            and distance <= _SETTLED
        )


def _spectrum(part, state, drift, variations, limit):
    """Return the drift along the modes of the Jacobian if it is small, else None."""
    decay = _decay(part.equations)
    if not np.abs(drift).max() <= _NEAR * decay * max(np.abs(packed(state)).max(), 1.0):
        return None
    return _modes(drift, variations, limit * decay)


def _modes(drift, variations, slowest=0.0):
    """Return the drift along the modes of the Jacobian; modes count as flat at rates up to the slowest."""
    _, by_roots, drift_by_roots = variations
    rates, modes = np.linalg.eig(np.linalg.solve(by_roots.T, drift_by_roots.T).T)
    return _Spectrum(rates, modes, np.abs(rates) <= slowest, np.linalg.solve(modes, drift))


def _kicked(state, modes, rates):
    """Return a nearby state, displaced along the mode that grows fastest."""
    vector, mode = packed(state), modes[:, np.argmax(rates.real)].real
    size = _KICK * max(np.abs(vector).max(), _KICK) / np.abs(mode).max()
    return _positive(unpacked(state, vector + size * mode), 0.0)


def _orthonormal(modes):
    """Return an orthonormal real basis (directions, n) of complex modes (n, directions), or None for no modes."""
    left, sizes, _ = np.linalg.svd(np.hstack([modes.real, modes.imag]), full_matrices=False)
    return left[:, sizes > 1e-6].T if np.any(sizes > 1e-6) else None


def _decay(equations):
    learning = equations.learning
    return learning.learning_rate * learning.weight_decay


def _bound(part, state, tolerance):
    """Return the largest component of the drift at which the state counts as stationary."""
    learning, size = part.equations.learning, max(np.abs(packed(state)).max(), 1.0)
    free = replace(part, equations=replace(part.equations, learning=replace(learning, weight_decay=0.0)))
    terms = np.nan_to_num(np.abs(free.drift(state)).max())
    return max(tolerance * _decay(part.equations) * size, _ROUNDING * (terms + learning.learning_rate * size))


def with_other_nodes(point: FixedPoint, nodes: Nodes) -> IsotropicState:
    """Return the fixed point for averages at other nodes, to first order in their difference.

    The state does not move along flat directions. These are the slowest modes, as many as the fixed point has.
    """
    if point.variations is None:
        return point.state
    part = _Part(aligned(replace(point.equations, nodes=nodes), point.state), point.alive)
    living = part.restricted(point.state)
    drift, (roots, _, drift_by_roots) = part.drift(living), point.variations
    if point.flat_directions:
        spectrum = _modes(drift, point.variations)
        flat = np.argsort(np.argsort(np.abs(spectrum.rates))) < point.flat_directions
        change = replace(spectrum, flat=flat).change
        return part.embedded(_positive(unpacked(living, packed(living) - change), _FLOOR))
    step = np.linalg.lstsq(drift_by_roots, drift, rcond=_FLAT_PART)[0]
    return part.embedded(_positive(_squared(roots - step, living.R.shape), _FLOOR))


class Branch:
    """The fixed points that follow from one fixed point as the noise changes.

    A point is reached through noise levels in a fixed ratio to the first one, so that it does not depend on the other
    requested points. If the state jumps from one level to another, further levels are inserted between them.

    Attributes:
        equations: equations at one noise level. relaxation_time: as for `stationary_state`.
    """

    def __init__(
        self,
        equations: Callable[[float], IsotropicEquations],
        sigma: float,
        point: FixedPoint,
        relaxation_time: float,
    ):
        self.equations, self.relaxation_time = equations, relaxation_time
        self._anchors = {way: [(sigma, point, _ANCHORS)] for way in (-1, 1)}
        self._ends: dict[int, NotConverged] = {}  # error behind the last anchor on either side

    def at(self, sigma: float) -> FixedPoint:
        """Return the fixed point at a noise level.

        Raises:
            NotConverged: as for `stationary_state`.
        """
        anchors = self._anchors[1 if sigma >= self._anchors[1][0][0] else -1]
        way = 1 if anchors is self._anchors[1] else -1
        while (sigma / anchors[-1][0]) ** way > anchors[-1][2]:
            if way in self._ends:
                raise self._ends[way]
            level, point, ratio = anchors[-1]
            try:
                following = self._follow(level, point, level * ratio**way)
            except NotConverged as error:
                self._ends[way] = error
                raise
            still = _distance(point.state, following.state) < _STILL
            anchors.append((level * ratio**way, following, ratio**2 if still else _ANCHORS))
        level, point, _ = next(one for one in reversed(anchors) if (sigma / one[0]) ** way >= 1)
        return point if level == sigma else self._follow(level, point, sigma)

    def _follow(self, level, point, sigma):
        """Return the fixed point at sigma, followed from the fixed point at a level."""
        near = max(sigma / level, level / sigma) <= _NEAREST
        try:
            found = self._reached(self.equations(sigma), point.state)
        except NotConverged:
            if near:
                raise
        else:
            if near or _distance(point.state, found.state) < _JUMP:
                return found
        middle = math.sqrt(level * sigma)
        return self._follow(middle, self._follow(level, point, middle), sigma)

    def _reached(self, equations, state):
        """Return the fixed point to which strides lead from the fixed point of similar equations, or else the flow."""
        try:
            return stationary_state(equations, state, self.relaxation_time, near=True, max_iterations=_ATTEMPTS)
        except NotConverged:
            return stationary_state(equations, state, self.relaxation_time)


def _distance(state, other):
    """Return the relative change of the order parameters."""
    first, second = packed(state), packed(other)
    return np.linalg.norm(second - first) / max(np.linalg.norm(first), np.linalg.norm(second), 1e-100)


def _strides(part, state, stride, drift, variations):
    """Return the state after strides along the flow, and the length of the next stride.

    A stride is a linearised implicit Euler step: it follows the flow if short, and is Newton's step if long. The flow
    is slow, at rates of learning rate times weight decay, and Newton's method without strides may end at another fixed
    point. The derivatives, which cost most, stay the same while every stride makes the drift much smaller.
    """
    roots, *derivatives = variations
    while (found := _stride(part, state, roots, drift, derivatives, stride, _RISE)) is None:
        stride /= _SLOWER
        if stride <= _SHORTEST:
            return state, stride
    while found is not None:
        before, (state, roots, drift) = np.linalg.norm(drift), found
        stride *= _FASTER if np.linalg.norm(drift) < before else 1.0
        found = _stride(part, state, roots, drift, derivatives, stride, _FALL)
    return state, stride


def _stride(part, state, roots, drift, derivatives, stride, limit):
    """Return state, roots and drift after a stride, or None if the drift is not below a limit times the present drift.

    A step of the roots suits weights that vanish together. A step of Q suits an excess Q - R^T R that vanishes
    separately.
    """
    by_roots, drift_by_roots = derivatives
    step = np.linalg.solve(by_roots / stride - drift_by_roots, drift)
    for trial in (_squared(roots + step, state.R.shape), unpacked(state, packed(state) + by_roots @ step)):
        trial = _positive(trial, _FLOOR)
        there = part.drift(trial)
        if np.linalg.norm(there) < limit * np.linalg.norm(drift):
            return trial, _roots(trial), there
    return None


def _roots(state):
    """Return (A, R, v) as a vector, where Q = R^T R + A A^T."""
    return packed(replace(state, Q=np.linalg.cholesky(_positive(state, _FLOOR).Q - state.R.T @ state.R)))


def _variations(part, state):
    """Return roots (A, R, v), which keep Q = R^T R + A A^T positive, and derivatives of Q, R, v and the drift
    by them.
    """
    roots = _roots(state)
    step = _DIFFERENCE * np.abs(roots).max()
    pairs = [
        (_squared(roots + shift, state.R.shape), _squared(roots - shift, state.R.shape))
        for shift in step * np.eye(roots.size)
    ]
    by_roots = np.stack([packed(up) - packed(down) for up, down in pairs], axis=1)
    drifts = [part.drift(up) - part.drift(down) for up, down in pairs]
    return roots, by_roots / (2 * step), np.stack(drifts, axis=1) / (2 * step)


def _squared(roots, shape):
    root = _lower_state(roots, shape)
    return replace(root, Q=root.Q @ root.Q.T + root.R.T @ root.R)


def _relaxed(equations, start, time):
    end = flow(equations, _positive(start, 0.0), time, rtol=_RELAXATION_RTOL, atol=_RELAXATION_ATOL)
    return _positive(end, _FLOOR)


def _positive(state, floor):
    """Return the state with all eigenvalues of Q - R^T R raised to a part of Q.

    Integration errors may make smaller ones.
    """
    plane = state.R.T @ state.R
    eigenvalues, eigenvectors = np.linalg.eigh(state.Q - plane)
    raised = np.maximum(eigenvalues, floor * np.abs(state.Q).max())
    return replace(state, Q=plane + (eigenvectors * raised) @ eigenvectors.T)


def _lower_state(vector, shape):
    """Return the state of a vector, with zeros for the upper triangle of Q."""
    hidden = shape[1]
    entries, R, v = np.split(vector, [hidden * (hidden + 1) // 2, vector.size - hidden])
    Q = np.zeros((hidden, hidden))
    Q[np.tril_indices(hidden)] = entries
    return IsotropicState(Q, R.reshape(shape), v)
