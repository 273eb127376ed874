"""Variable projection for any feature map, by dense linear algebra in torch.

Variable projection descends along the reduced risk R(w) = min_u L(w, u), with L as in `reduced_risk`; two-timescale
descent moves w and u together.

Every quantity is written as it is defined, gradients are automatic: the ground truth for the fast algorithms, and the
algorithm for features without any structure to use.

Source: barboni2025, sections 2 and 6.1.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from twolayer.model.feature_maps import FeatureMap
from twolayer.simulation.reduced_risk import Risk


@dataclass(frozen=True, eq=False)
class State:
    """A network at one iteration.

    Attributes:
        weights: (M, d). outer: (M, C); those that the risk was evaluated with. risk: L(weights, outer).
    """

    weights: Tensor
    outer: Tensor
    risk: float


def descend(
    feature_map: FeatureMap,
    risk: Risk,
    inputs: Tensor,
    targets: Tensor,
    weights: Tensor,
    step: float,
    two_timescale: bool = False,
) -> Iterator[State]:
    """Gradient descent in the feature weights, without end; the outer weights start at the projection.

    Args:
        inputs: (N, d). targets: (N, C). weights: (M, d), where to start.
        step: tau, flow time of one iteration; the step of the weights is M tau.
        two_timescale: move the outer weights by one gradient step of size lambda M, instead of projecting them.
    """
    width, outer = len(weights), None
    while True:
        weights = weights.detach().requires_grad_()
        features = feature_map.features(inputs, weights)
        if outer is None or not two_timescale:
            outer = risk.project(features.detach(), targets)
        outer = outer.detach().requires_grad_()
        value = risk(features, outer, targets)  # u is a constant here: envelope theorem
        slope, outer_slope = torch.autograd.grad(value, (weights, outer))
        yield State(weights.detach(), outer.detach(), value.item())
        weights = feature_map.clip(weights.detach() - width * step * slope)
        if two_timescale:
            outer = outer.detach() - risk.ridge * width * outer_slope
