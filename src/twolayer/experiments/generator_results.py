"""A trained generator as a result, and the images that it gives."""

from collections.abc import Iterator

import numpy as np
import torch
import xarray as xr

from twolayer.model.generators import LATENT, PIXELS, ConditionalGenerator
from twolayer.model.streams import Stream

_PREFIX = "weights."
_BLOCK = 500  # images that are generated at a time


def generator_to_dataset(generator: ConditionalGenerator) -> xr.Dataset:
    """Its weights and statistics, each an array with dimensions of its own.

    They lie in the NetCDF file of every result, which holds arrays as safely as a safetensors file would (there is no
    code in either), under the same check for NaN, with the same record of what made them.
    """
    arrays = {name: tensor.numpy(force=True) for name, tensor in generator.state_dict().items()}
    return xr.Dataset(
        {
            f"{_PREFIX}{name}": ([f"{name}.{axis}" for axis in range(array.ndim)], array)
            for name, array in arrays.items()
        }
    )


def generator_from_dataset(result: xr.Dataset, device: torch.device) -> ConditionalGenerator:
    """The generator of such a result, ready to generate."""
    names = [name for name in result.data_vars if name.startswith(_PREFIX)]
    state = {name.removeprefix(_PREFIX): torch.from_numpy(np.asarray(result[name].values)) for name in names}
    generator = ConditionalGenerator(len(state["dense.0.bias"]), len(state["maps.1.weight"]))
    generator.load_state_dict(state)
    return generator.to(device).eval()


def generate(generator: ConditionalGenerator, label: int, count: int, stream: Stream) -> np.ndarray:
    """(count, 28 * 28) images of a class, 0 is black and 1 is white."""
    return np.concatenate(list(generated_batches(generator, label, count, stream)))


@torch.inference_mode()
def generated_batches(generator: ConditionalGenerator, label: int, count: int, stream: Stream) -> Iterator[np.ndarray]:
    """The same, a few at a time, so that no number of them needs more memory."""
    device = next(generator.parameters()).device
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        latents = torch.from_numpy(stream.uniform(size * LATENT).reshape(size, LATENT)).float().to(device)
        images = generator(latents, torch.full((size,), label, device=device))
        yield (images.reshape(size, PIXELS**2).cpu().numpy() + 1) / 2
