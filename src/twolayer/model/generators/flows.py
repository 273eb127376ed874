"""Normalising flows: generators that are bijections, so that their inputs have a likelihood in closed form (torch).

A flow is defined by f, from inputs x to latents c = f(x). The generator is g, the inverse of f, so that D = N.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from twolayer.errors import ConfigError
from twolayer.model.generators.latent_generators import LatentGenerator


class Flow(LatentGenerator):
    """A bijective generator x = g(c) with c ~ N(0, identity).

    A subclass defines `forward`, which is g, and `encode`, which is f. The method `encode` maps inputs (B, N) to
    latents (B, N) and the logarithms (B,) of the determinant of f's Jacobian.

    Source: goldt2021, normalising flow.
    """

    def log_likelihood(self, inputs: Tensor) -> Tensor:
        """Return the log density (B,) at inputs (B, N)."""
        latents, volume = self.encode(inputs)
        return volume - (latents.square() + math.log(2 * math.pi)).sum(1) / 2


class Coupling(nn.Module):
    """A bijection that keeps a part of its argument, and scales and shifts the rest by functions of this part.

    Args:
        mask: 1 for the kept part, 0 for the rest, with the shape of an argument, or broadcast to it.
        network: maps the kept part, with zeros for the rest, to a shift and a log scale, concatenated along axis 1.
        bound: bound of the log scale, which is bound * tanh(output of the network). It is trained.

    Source: goldt2021, real NVP.
    """

    def __init__(self, mask: Tensor, network: nn.Module, bound: float):
        super().__init__()
        self.register_buffer("mask", mask, persistent=False)
        self.network = network
        self.bound = nn.Parameter(torch.tensor(bound))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Map (B, ...) to (B, ...), and return also the log determinants (B,)."""
        shift, log_scale = self._transformation(x)
        return x * log_scale.exp() + shift, log_scale.flatten(1).sum(1)

    def inverse(self, z: Tensor) -> Tensor:
        """Apply the inverse, from (B, ...) to (B, ...)."""
        shift, log_scale = self._transformation(z)
        return (z - shift) * (-log_scale).exp()

    def _transformation(self, x):
        shift, log_scale = self.network(self.mask * x).chunk(2, 1)
        moved = 1 - self.mask
        return moved * shift, moved * self.bound * torch.tanh(log_scale)


class DenseFlow(Flow):
    """A flow with random weights: couplings that keep even and odd entries alternately, each followed by a permutation.

    Args:
        dimension: N = D. couplings: number of couplings.

    Source: goldt2021, real NVP, here with dense networks instead of convolutions.
    """

    def __init__(self, dimension: int, couplings: int = 6):
        super().__init__()
        self.latent_size = self.output_size = dimension
        self.sizes = {"dimension": dimension, "couplings": couplings}
        even = (torch.arange(dimension) % 2 == 0).float()
        masks = (even, 1 - even)
        self.couplings = nn.ModuleList(
            Coupling(masks[number % 2], _dense_network(dimension), bound=0.5) for number in range(couplings)
        )
        self.register_buffer("permutations", torch.stack([torch.randperm(dimension) for _ in range(couplings)]))

    def encode(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Apply f, from inputs (B, N) to latents (B, N) and log determinants (B,)."""
        x = 2 * inputs
        volume = self.output_size * math.log(2)
        for coupling, permutation in zip(self.couplings, self.permutations, strict=True):
            x, change = coupling(x)
            x, volume = x[:, permutation], volume + change
        return x, volume

    def forward(self, latents: Tensor) -> Tensor:
        """Apply g, from latents (B, N) to inputs (B, N)."""
        for coupling, permutation in zip(reversed(self.couplings), self.permutations.flip(0), strict=True):
            latents = coupling.inverse(latents[:, permutation.argsort()])
        return latents / 2


class ImageFlow(Flow):
    """A flow of images on two scales, which starts as the identity up to the order of the entries.

    The first three couplings keep the fields of a checkerboard alternately. Then the four pixels of a square become one
    pixel with four times as many colours, and three couplings keep half of the colours alternately. Then two of the
    four pixels become latents, and the others pass four more couplings on a checkerboard.

    Deviates: there are no weight norm and no batch norms, without which the training is also stable, and the mask is
    not an input of the networks. With the default sizes an image costs 0.22 GFLOP.

    Args:
        size: height and width, even. colours: number of colours of a pixel.
        width: maps of the networks on the large scale; the small scale has twice as many.
        blocks: residual blocks of each network.

    Raises:
        ConfigError: the size is odd.

    Source: goldt2021, real NVP.
    """

    def __init__(self, size: int = 32, colours: int = 3, width: int = 16, blocks: int = 2):
        if size % 2:
            raise ConfigError(f"size is {size}: make it even, because four pixels become one on the small scale")
        super().__init__()
        self.image_shape = colours, size, size
        self.latent_size = self.output_size = colours * size**2
        self.sizes = {"size": size, "colours": colours, "width": width, "blocks": blocks}
        board, small_board = _checkerboard(size), _checkerboard(size // 2)
        half = (torch.arange(4 * colours) < 2 * colours).float()[:, None, None]
        self.fine = _couplings((board, 1 - board, board), colours, width, blocks)
        self.colourwise = _couplings((1 - half, half, 1 - half), 4 * colours, 2 * width, blocks)
        boards = (small_board, 1 - small_board) * 2
        self.coarse = _couplings(boards, 2 * colours, 2 * width, blocks)
        corners = torch.arange(4 * colours).reshape(colours, 4)  # corners of the squares, for each colour
        order = torch.cat([corners[:, [0, 3]].flatten(), corners[:, [1, 2]].flatten()])
        self.register_buffer("order", order, persistent=False)
        self.to(memory_format=torch.channels_last)  # a third faster on a CPU

    def encode(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Apply f, from images (B, N) to latents (B, N) and log determinants (B,)."""
        x, fine = _through(self.fine, inputs.unflatten(1, self.image_shape))
        x, colourwise = _through(self.colourwise, functional.pixel_unshuffle(x, 2))
        kept, out = x[:, self.order].chunk(2, 1)
        kept, coarse = _through(self.coarse, kept)
        return torch.cat([kept, out], 1).flatten(1), fine + colourwise + coarse

    def forward(self, latents: Tensor) -> Tensor:
        """Apply g, from latents (B, N) to images (B, N)."""
        colours, size, _ = self.image_shape
        kept, out = latents.unflatten(1, (4 * colours, size // 2, size // 2)).chunk(2, 1)
        x = torch.cat([_back_through(self.coarse, kept), out], 1)[:, self.order.argsort()]
        x = functional.pixel_shuffle(_back_through(self.colourwise, x), 2)
        return _back_through(self.fine, x).flatten(1)


class ResidualNetwork(nn.Module):
    """Convolutions with shortcuts, whose initial output is zero.

    Args:
        inputs, outputs: numbers of maps. width: number of maps between them. blocks: number of blocks of two
            convolutions.
    """

    def __init__(self, inputs: int, outputs: int, width: int, blocks: int):
        super().__init__()
        self.first = _convolution(inputs, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.ReLU(), _convolution(width, width), nn.ReLU(), _convolution(width, width))
            for _ in range(blocks)
        )
        self.last = _convolution(width, outputs)
        for parameter in self.last.parameters():
            nn.init.zeros_(parameter)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, inputs, H, W) to (B, outputs, H, W)."""
        x = self.first(x)
        for block in self.blocks:
            x = x + block(x)
        return self.last(x.relu())


def _couplings(masks, colours, width, blocks):
    return nn.ModuleList(
        Coupling(mask, ResidualNetwork(colours, 2 * colours, width, blocks), bound=1.0) for mask in masks
    )


def _through(couplings, x):
    volume = 0
    for coupling in couplings:
        x, change = coupling(x)
        volume = volume + change
    return x, volume


def _back_through(couplings, z):
    for coupling in reversed(couplings):
        z = coupling.inverse(z)
    return z


def _checkerboard(size):
    """Return a checkerboard (size, size) of ones and zeros."""
    return (torch.arange(size)[:, None] + torch.arange(size)).remainder(2).float()


def _dense_network(dimension):
    """Return a network with one hidden layer, with weights of deviations 1 and 1.5 over the root of the fan in."""
    layers = nn.Linear(dimension, dimension), nn.Linear(dimension, 2 * dimension)
    for layer, factor in zip(layers, (1, 1.5), strict=True):
        nn.init.normal_(layer.weight, std=factor / math.sqrt(dimension))
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1])


def _convolution(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 3, padding=1)
