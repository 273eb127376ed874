"""Variable projection for any feature map, by dense linear algebra in torch.

Variable projection descends along the reduced risk R(w) = min_u L(w, u), with L as in `reduced_risk`; two-timescale
descent moves w and u together.

Every quantity is computed from its definition, with automatic gradients. This is the ground truth for the fast
algorithms, and the algorithm for features without structure.

Source: barboni2025, sections 2 and 6.1.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from twolayer.model.networks.feature_maps import FeatureMap
from twolayer.simulation.mean_field.reduced_risk import Risk

# largest number of trials in a line search, and the factor by which each trial step is shorter
_TRIALS, _SHORTER = 20, 4.0


@dataclass(frozen=True, eq=False)
class State:
    """A network at one iteration.

    Attributes:
        weights: (M, d). outer: (M, C), for which the risk was evaluated. risk: L(weights, outer).
        step: flow time of the preceding iteration; 0 at the start.
    """

    weights: Tensor
    outer: Tensor
    risk: float
    step: float = 0.0


def descend(
    feature_map: FeatureMap,
    risk: Risk,
    inputs: Tensor,
    targets: Tensor,
    weights: Tensor,
    step: float,
    two_timescale: bool = False,
) -> Iterator[State]:
    """Yield the states of gradient descent in the feature weights; the outer weights start at the projection.

    Args:
        inputs: (N, d). targets: (N, C). weights: (M, d), initial weights.
        step: tau, flow time of one iteration; the step of the weights is M tau.
        two_timescale: whether to move the outer weights by one gradient step of size lambda M, instead of projecting
            them. For powers of the risk below 2, a step reduces an outer weight at most by half.
    """
    width, outer, taken = len(weights), None, 0.0
    while True:
        weights = weights.detach().requires_grad_()
        features = feature_map.features(inputs, weights)
        if outer is None or not two_timescale:
            outer = risk.project(features.detach(), targets)
        outer = outer.detach().requires_grad_()
        value = risk(features, outer, targets)  # u is a constant here, by the envelope theorem
        slope, outer_slope = torch.autograd.grad(value, (weights, outer))
        yield State(weights.detach(), outer.detach(), value.item(), taken)
        taken = step
        weights = feature_map.clip(weights.detach() - width * step * slope)
        if two_timescale:
            outer = _moved(risk, outer.detach(), risk.ridge * width * outer_slope)


def descend_searching(
    feature_map: FeatureMap,
    risk: Risk,
    inputs: Tensor,
    targets: Tensor,
    weights: Tensor,
    two_timescale: bool = False,
) -> Iterator[State]:
    """Yield the states of a descent with steps from a backtracking line search, so that the risk never rises.

    The first trial step would reduce the risk to zero along its slope. Each later trial step is twice the last step. If
    no step lowers the risk, the weights do not change: they are stationary up to rounding. On two timescales, the step
    of the outer weights is lambda M, or smaller if the features are so large that this would be unstable.

    Args:
        inputs, targets, weights, two_timescale: as for `descend`.
    """
    weights = weights.detach()
    outer = risk.project(feature_map.features(inputs, weights), targets)
    step = taken = 0.0
    while True:
        weights.requires_grad_()
        outer = outer.detach().requires_grad_()
        features = feature_map.features(inputs, weights)
        value = risk(features, outer, targets)
        slope, outer_slope = torch.autograd.grad(value, (weights, outer))
        weights, outer, value = weights.detach(), outer.detach(), value.item()
        yield State(weights, outer, value, taken)
        change = _outer_rate(risk, features.detach()) * outer_slope
        moved_outer = _moved(risk, outer, change) if two_timescale else None
        square = len(weights) * float(slope.square().sum())
        trial = 2 * step if step else value / square if square else 0.0
        weights, outer, taken = _lowered(
            feature_map, risk, inputs, targets, (weights, outer, value), slope, moved_outer, trial
        )
        step = taken or step
        while taken == 0 and not two_timescale:  # the same search would fail again
            yield State(weights, outer, value)


def _moved(risk, outer, change):
    """Return outer weights minus a change; for powers below 2, each is reduced at most by half."""
    return outer - change if risk.power == 2 else torch.maximum(outer - change, outer / 2)


def _outer_rate(risk, features):
    """Return the step of the outer weights; tr K is an upper bound of the curvature of the risk."""
    stiffness = float(features.square().mean()) + risk.ridge
    return risk.ridge * features.shape[1] / max(1.0, stiffness)


def _lowered(feature_map, risk, inputs, targets, start, slope, moved_outer, step):
    """Return weights, outer weights and step with a lower risk, or the initial weights and 0 if there are none."""
    weights, outer, value = start
    for _ in range(_TRIALS):
        moved = feature_map.clip(weights - len(weights) * step * slope)
        features = feature_map.features(inputs, moved)
        other = risk.project(features, targets) if moved_outer is None else moved_outer
        if float(risk(features, other, targets)) < value:
            return moved, other, step
        step /= _SHORTER
    return weights, outer if moved_outer is None else moved_outer, 0.0
