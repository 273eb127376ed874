"""Fixed points that follow from one fixed point as the noise changes."""

import math
from collections.abc import Callable

from twolayer.errors import NotConverged
from twolayer.theory.mixtures.fixed_points.fixed_point import FixedPoint, distance, stationary_state
from twolayer.theory.mixtures.mixture_equations import IsotropicEquations

_ATTEMPTS = 8  # iterations after which strides from a nearby fixed point give way to the flow
_JUMP = 0.5  # relative change of the state from which two points count as points of different branches
_NEAREST = 1.1  # smallest ratio of noise levels that is subdivided
_ANCHORS = 2.0  # ratio of the noise levels through which a branch is followed where the state changes
_STILL = 0.02  # relative change of the state between two anchors below which the ratio is squared


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
            still = distance(point.state, following.state) < _STILL
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
            if near or distance(point.state, found.state) < _JUMP:
                return found
        middle = math.sqrt(level * sigma)
        return self._follow(middle, self._follow(level, point, middle), sigma)

    def _reached(self, equations, state):
        """Return the fixed point to which strides lead from the fixed point of similar equations, or else the flow."""
        try:
            return stationary_state(equations, state, self.relaxation_time, near=True, max_iterations=_ATTEMPTS)
        except NotConverged:
            return stationary_state(equations, state, self.relaxation_time)
