"""Random networks of dense layers as generators (torch)."""

import math
from collections.abc import Callable, Sequence
from typing import get_args

import torch
from torch import Tensor, nn
from torch.nn import functional

from twolayer.model.generators.latent_generators import LatentGenerator
from twolayer.model.networks.names import LayerActivation


def _erf(x: Tensor) -> Tensor:
    return torch.erf(x / math.sqrt(2))


def _identity(x: Tensor) -> Tensor:
    return x


FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = dict(
    zip(
        get_args(LayerActivation),
        (_erf, torch.relu, torch.tanh, torch.sigmoid, functional.softplus, torch.sign, _identity),
        strict=True,
    )
)


class DenseNetwork(LatentGenerator):
    """Dense layers h_l = s(F_l h_(l-1)) from the latent h_0 = c to the input, with one activation s.

    Args:
        widths: D, widths of the hidden layers, N. activation: activation of all layers; erf is erf(x / sqrt 2).

    Attributes:
        layers: F_l (fan out, fan in), iid N(0, 1 / fan in).

    Source: goldt2021, random generators.
    """

    def __init__(self, widths: Sequence[int], activation: LayerActivation):
        super().__init__()
        self.latent_size, self.output_size = widths[0], widths[-1]
        self.sizes = {"widths": list(widths), "activation": activation}
        self.activation = FUNCTIONS[activation]
        shapes = zip(widths[1:], widths[:-1], strict=True)
        weights = (torch.randn(shape) / math.sqrt(shape[1]) for shape in shapes)
        self.layers = nn.ParameterList(nn.Parameter(matrix, requires_grad=False) for matrix in weights)

    def forward(self, latents: Tensor) -> Tensor:
        """Map latents (B, D) to inputs (B, N)."""
        for matrix in self.layers:
            latents = self.activation(latents @ matrix.T)
        return latents


class SignNetwork(DenseNetwork):
    """Sign units h_l = sign(F_l h_(l-1)) from the latent h_0 = c to the input, with entries -1 and +1.

    Args:
        widths: D, widths of the hidden layers, N.

    Source: goldt2021, random generators.
    """

    def __init__(self, widths: Sequence[int]):
        super().__init__(widths, "sign")
        self.sizes = {"widths": list(widths)}
