"""Random networks of sign units as generators (torch)."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from twolayer.model.generators.latent_generators import LatentGenerator


class SignNetwork(LatentGenerator):
    """h_l = sign(F_l h_(l-1)) from the latent h_0 = c to the input, of entries -1 and +1.

    Args:
        widths: D, widths of the hidden layers, N.

    Attributes:
        layers: F_l (fan out, fan in), iid N(0, 1 / fan in).

    Source: goldt2021, random generators.
    """

    def __init__(self, widths: Sequence[int]):
        super().__init__()
        self.latent_size, self.output_size = widths[0], widths[-1]
        self.sizes = {"widths": list(widths)}
        shapes = zip(widths[1:], widths[:-1], strict=True)
        weights = (torch.randn(shape) / math.sqrt(shape[1]) for shape in shapes)
        self.layers = nn.ParameterList(nn.Parameter(matrix, requires_grad=False) for matrix in weights)

    def forward(self, latents: Tensor) -> Tensor:
        """Latents (B, D) to inputs (B, N)."""
        for matrix in self.layers:
            latents = torch.sign(latents @ matrix.T)
        return latents
