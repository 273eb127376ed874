"""Generators of inputs: networks that map a standard normal latent to an input, with a common interface (torch)."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn

_BLOCK_ELEMENTS = 2**18  # number of inputs generated together, so that intermediate values stay in the cache


class LatentGenerator(nn.Module):
    """A generator x = G(c) with c ~ N(0, identity).

    A subclass defines `forward`, which maps latents (B, D) to inputs (B, N).

    Attributes:
        latent_size: D. output_size: N.
        image_shape: colours, height and width, if the inputs are images.
        sizes: the arguments of the constructor, in the form of JSON.

    Source: goldt2021, generative models.
    """

    latent_size: int
    output_size: int
    image_shape: tuple[int, int, int] | None = None
    sizes: dict[str, int | list[int]]

    def draw_latents(self, count: int, stream: torch.Generator) -> Tensor:
        """Return latents (count, D), from a stream on the device of the generator."""
        dtype = next(self.parameters()).dtype
        return torch.randn(count, self.latent_size, generator=stream, device=stream.device, dtype=dtype)

    def sample(self, count: int, stream: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return latents (count, D) and their inputs (count, N)."""
        latents = self.draw_latents(count, stream)
        return latents, self(latents)


def latent_stream(generator: LatentGenerator, rng: np.random.Generator) -> torch.Generator:
    """Return a stream of latents on the device of a generator, seeded by the next number of `rng`."""
    return torch.Generator(next(generator.parameters()).device).manual_seed(int(rng.integers(2**63)))


def sampled_batches(
    generator: LatentGenerator, count: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield `count` latents (b, D) and inputs (b, N), a few at a time, so that the memory does not depend on the count.

    The generator runs in evaluation mode, in the precision of its weights.
    """
    return batches_of(generator, count, latent_stream(generator, rng))


@torch.inference_mode()
def batches_of(
    generator: LatentGenerator, count: int, stream: torch.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield `count` latents (b, D) and inputs (b, N) as `sampled_batches` does, with latents of a given stream."""
    generator.eval()
    block = max(1, _BLOCK_ELEMENTS // generator.output_size)
    for start in range(0, count, block):
        latents, inputs = generator.sample(min(block, count - start), stream)
        yield latents.numpy(force=True), inputs.numpy(force=True)
