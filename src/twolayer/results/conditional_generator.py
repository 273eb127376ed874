"""A trained conditional generator from its result, and the images that it generates."""

from collections.abc import Iterator

import numpy as np
import torch
import xarray as xr

from twolayer.errors import ResultError
from twolayer.model.generators.conditional_generator import LATENT, PIXELS, ConditionalGenerator
from twolayer.model.random.streams import Stream
from twolayer.results.network import dataset_weights, weights_to_dataset
from twolayer.results.types import kind_of, named

CONDITIONAL_GENERATOR = "conditional generator"
_BLOCK = 500  # number of images that are generated at a time


def generator_to_dataset(generator: ConditionalGenerator, hidden: int, channels: int) -> xr.Dataset:
    """Return the weights and statistics of a conditional generator. The attributes hold its sizes."""
    result = weights_to_dataset(generator).assign_attrs(hidden=hidden, channels=channels)
    return named(result, CONDITIONAL_GENERATOR)


def generator_from_dataset(result: xr.Dataset, device: torch.device) -> ConditionalGenerator:
    """Return the generator in a result, in evaluation mode.

    Raises:
        ResultError: its weights do not fit its sizes.
    """
    kind_of(result, CONDITIONAL_GENERATOR)
    try:
        generator = ConditionalGenerator(int(result.attrs["hidden"]), int(result.attrs["channels"]))
        generator.load_state_dict(dataset_weights(result))
    except (KeyError, TypeError, ValueError, RuntimeError, MemoryError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ResultError(f"the result is not a conditional generator ({reason}): make it again") from None
    return generator.to(device).eval()


def generate(generator: ConditionalGenerator, label: int, count: int, stream: Stream) -> np.ndarray:
    """Return images (count, 28 * 28) of a class, where 0 is black and 1 is white."""
    return np.concatenate(list(generated_batches(generator, label, count, stream)))


@torch.inference_mode()
def generated_batches(generator: ConditionalGenerator, label: int, count: int, stream: Stream) -> Iterator[np.ndarray]:
    """Yield images of a class, a few at a time, so that the memory does not depend on their number."""
    device = next(generator.parameters()).device
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        latents = torch.from_numpy(stream.uniform(size * LATENT).reshape(size, LATENT)).float().to(device)
        images = generator(latents, torch.full((size,), label, device=device))
        yield (images.reshape(size, PIXELS**2).cpu().numpy() + 1) / 2
