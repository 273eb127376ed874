"""Feature maps phi(w, x) of mean-field networks, and the spaces of their weights (torch)."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from twolayer.model.networks.activations import Activation
from twolayer.model.teachers.teacher_distributions import FEATURE_WIDTH, wrap


@dataclass(frozen=True)
class FeatureMap:
    """A family of features.

    Attributes:
        features: inputs (N, d) and weights (M, d) -> Phi (N, M), Phi[n, j] = phi(w_j, x_n).
        clip: weights (M, d) anywhere -> the nearest weights in the space of the features, or their representatives.
    """

    features: Callable[[Tensor, Tensor], Tensor]
    clip: Callable[[Tensor], Tensor]


class _Elementwise(torch.autograd.Function):
    """An activation of tensors, whose slope is the gradient."""

    @staticmethod
    def forward(context, fields, activation):
        context.activation = activation
        context.save_for_backward(fields)
        return fields.new_tensor(activation.value(fields.numpy(force=True)))

    @staticmethod
    def backward(context, gradient):
        (fields,) = context.saved_tensors
        return gradient * fields.new_tensor(context.activation.slope(fields.numpy(force=True))), None


def ridge_functions(activation: Activation, on_sphere: bool) -> FeatureMap:
    """Return the feature map phi(<w, x>) of any activation, with weights of length one or without constraint."""
    clip = _project_to_sphere if on_sphere else torch.clone
    return FeatureMap(lambda x, w: _Elementwise.apply(x @ w.T, activation), clip)


def _relu(x, w):
    return torch.relu(x @ w.T)


def _project_to_sphere(w):
    return w / torch.linalg.vector_norm(w, dim=-1, keepdim=True)


def _exponential(x, w):
    difference = wrap(w[None, :, :] - x[:, None, :])
    distance = torch.linalg.vector_norm(difference, dim=-1)
    return 2 / FEATURE_WIDTH**2 * torch.exp(-distance / FEATURE_WIDTH)


# Source: barboni2025, section 6.1.
CIRCLE = FeatureMap(_relu, _project_to_sphere)  # max(0, <w, x>), |w| = 1, no bias
TORUS = FeatureMap(_exponential, wrap)  # (2 / s^2) exp(-|w - x| / s) on R^2 / 4 Z^2, s = 1/2
