"""Images of a convolutional generator by Winograd convolution, with 25 multiplications instead of 64.

Along either axis, a transposed convolution of stride 2 consists of two products of polynomials. The numbers of a map
are multiplied with the two weights that reach the even outputs, and with the two that reach the odd outputs. Four
numbers times two weights are a polynomial of degree four, which is determined by its values at five points. So maps are
divided into tiles of 4 x 4. For each pair of points, the values of all tiles form a matrix, which is multiplied by the
matrix of the weights for the four parities. Contributions of neighbouring tiles to the same output are added. Batch
norms are included in the weights and a shift.

Source: winograd1980, and lavin2016 for convolutional networks.
"""

import numpy as np
import torch
from numba import njit
from torch import Tensor, nn

from twolayer.model.generators.convolutional_generator import CORNER, ConvolutionalGenerator
from twolayer.model.generators.latent_generators import LatentGenerator

_TILE, _POINTS = 4, 5  # the points are 0, 1, -1, 2 and infinity, see `_at_points` and `_from_points`
# Values of two weights at each point, over the product of its distances to the others, the divisor of interpolation.
_AT_POINTS = np.array([[1 / 2, 0], [-1 / 2, -1 / 2], [-1 / 6, 1 / 6], [1 / 6, 1 / 3], [0, 1]])
_PARITIES = np.array([[1, 3], [0, 2]])  # indices of the weights that reach the even outputs, and the odd ones
BLOCK_ELEMENTS = 2**22  # number of elements of the products in memory at a time
_FAST = {"reassoc", "contract", "nsz"}


class FilteredGenerator(LatentGenerator):
    """A trained convolutional generator for use on a CPU in single precision.

    Args:
        generator: generator whose present weights and statistics are used.
    """

    def __init__(self, generator: ConvolutionalGenerator):
        super().__init__()
        self.latent_size, self.output_size = generator.latent_size, generator.output_size
        self.image_shape, self.sizes = generator.image_shape, generator.sizes
        layers = (layer for layer in generator.maps if isinstance(layer, nn.ConvTranspose2d))
        norms = (layer for layer in generator.maps if isinstance(layer, nn.BatchNorm2d))
        weights, self._shifts = zip(*map(_with_norm, layers, norms), strict=True)
        self.corner = nn.Parameter(weights[0].permute(0, 2, 3, 1).flatten(1), requires_grad=False)
        self._filters = [_filters(weight.double().numpy()) for weight in weights[1:]]
        self._colours = generator.colours.weight.detach().flatten(1)

    def forward(self, latents: Tensor) -> Tensor:
        """Map latents (B, D) to images (B, N), colour by colour and row by row."""
        corner = (latents @ self.corner).numpy().reshape(len(latents), CORNER, CORNER, -1)
        maps = np.maximum(corner + self._shifts[0], 0)
        for filters, shift in zip(self._filters, self._shifts[1:], strict=True):
            maps = _doubled(maps, filters, shift)
        pixels = torch.from_numpy(maps).flatten(0, 2) @ self._colours
        return torch.tanh(pixels.unflatten(0, (len(latents), -1)).transpose(1, 2).flatten(1))


def fastest(generator: LatentGenerator) -> LatentGenerator:
    """Return the generator in the fastest form for many inputs; the inputs are the same up to rounding."""
    if type(generator) is not ConvolutionalGenerator:  # a subclass may compute something else
        return generator
    weight = generator.colours.weight
    usual = weight.device.type == "cpu" and weight.dtype == torch.float32
    return FilteredGenerator(generator) if usual else generator


@torch.no_grad()
def _with_norm(layer, norm):
    """Return the weights of a convolution combined with the batch norm that follows it, and the resulting shift."""
    scale = norm.weight / (norm.running_var + norm.eps).sqrt()
    return layer.weight * scale[:, None, None], (norm.bias - norm.running_mean * scale).numpy()


def _filters(weight):
    """Return values (25, C, 4 C') of weights (C, C', 4, 4) at each pair of points, one parity after the other."""
    by_parity = weight[:, :, _PARITIES][..., _PARITIES]
    filters = np.einsum("pa,qb,cdyaxb->pqcyxd", _AT_POINTS, _AT_POINTS, by_parity, optimize=True)
    return filters.reshape(_POINTS**2, len(weight), -1).astype(np.float32)


def _doubled(maps, filters, shift):
    """Apply the transposed convolution, its batch norm and its ReLU: (B, H, W, C) to (B, 2 H, 2 W, C')."""
    count, height, width, _ = maps.shape
    tiles = height * width // _TILE**2
    doubled = np.empty((count, 2 * height, 2 * width, len(shift)), np.float32)
    block = max(1, BLOCK_ELEMENTS // (tiles * _POINTS**2 * filters.shape[2]))
    for start in range(0, count, block):
        here = slice(start, start + block)
        _interpolate(_evaluate(maps[here]) @ filters, shift, doubled[here])
    return doubled


@njit(cache=True)
def _at_points(a, b, c, d):
    """Return values of a + b t + c t^2 + d t^3 at the points; at infinity, the last coefficient."""
    even, odd = a + c, b + d
    return a, even + odd, even - odd, a + 2 * b + 4 * c + 8 * d, d


@njit(cache=True)
def _from_points(a, b, c, d, e):
    """Return coefficients of a polynomial of degree four from its values at the points, which are divided like the
    weights.
    """
    return 2 * a, 2 * (c - b + e) - a - d, -2 * a - b - 3 * c - e, a + b + c + d - 2 * e, e


@njit(cache=True, fastmath=_FAST)
def _evaluate(maps):
    """Return the values (25, tiles, C) of each tile of maps (n, H, W, C) at each pair of points."""
    count, height, width, channels = maps.shape
    values = np.empty((_POINTS**2, count * height * width // _TILE**2, channels), np.float32)
    rows, tile = np.empty((_POINTS, _TILE, channels), np.float32), 0
    for n in range(count):
        for y in range(0, height, _TILE):
            for x in range(0, width, _TILE):
                for r in range(_TILE):
                    here = maps[n, y + r, x : x + _TILE]
                    for c in range(channels):
                        points = _at_points(here[0, c], here[1, c], here[2, c], here[3, c])
                        rows[0, r, c], rows[1, r, c], rows[2, r, c], rows[3, r, c], rows[4, r, c] = points
                for q in range(_POINTS):
                    column, there = rows[q], values[q::_POINTS, tile]
                    for c in range(channels):
                        points = _at_points(column[0, c], column[1, c], column[2, c], column[3, c])
                        there[0, c], there[1, c], there[2, c], there[3, c], there[4, c] = points
                tile += 1
    return values


@njit(cache=True, fastmath=_FAST)
def _interpolate(products, shift, doubled):
    """Return outputs (n, 2 H, 2 W, C') of products (25, tiles, 4 C') after adding overlapping tiles, shift and ReLU.

    Along an axis, the i-th of the five coefficients of tile t belongs to the even output 2 (4 t + i) and to the odd
    output 2 (4 t + i) - 1. The sums have one more output on either side, which is not part of a map.
    """
    count, height, width, channels = doubled.shape
    sums = np.empty((height + 2, width + 2, channels), np.float32)
    rows, tile = np.empty((_POINTS, _POINTS, channels), np.float32), 0
    for n in range(count):
        sums[:] = 0
        for y in range(0, height, 2 * _TILE):
            for x in range(0, width, 2 * _TILE):
                for parity in range(4):
                    same_parity = products[:, tile, parity * channels : (parity + 1) * channels]
                    for p in range(_POINTS):
                        of = same_parity[p * _POINTS : (p + 1) * _POINTS]
                        for c in range(channels):
                            found = _from_points(of[0, c], of[1, c], of[2, c], of[3, c], of[4, c])
                            rows[0, p, c], rows[1, p, c], rows[2, p, c], rows[3, p, c], rows[4, p, c] = found
                    top, left = y + 1 - parity // 2, x + 1 - parity % 2
                    for j in range(_POINTS):
                        of, to = rows[j], sums[top : top + 2 * _POINTS : 2, left + 2 * j]
                        for c in range(channels):
                            found = _from_points(of[0, c], of[1, c], of[2, c], of[3, c], of[4, c])
                            to[0, c] += found[0]
                            to[1, c] += found[1]
                            to[2, c] += found[2]
                            to[3, c] += found[3]
                            to[4, c] += found[4]
                tile += 1
        for y in range(height):
            for x in range(width):
                for c in range(channels):
                    value = sums[y + 1, x + 1, c] + shift[c]
                    doubled[n, y, x, c] = np.float32(0) if value < 0 else value  # NaN is kept
