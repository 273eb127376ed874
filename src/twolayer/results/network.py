"""Weights of a network as a result, and back."""

import hashlib

import numpy as np
import torch
import xarray as xr
from torch import Tensor, nn

_PREFIX = "weights."


def weights_to_dataset(network: nn.Module) -> xr.Dataset:
    """Its weights and statistics, each an array with dimensions of its own.

    The NetCDF file of every result holds them, as safely as a safetensors file would (there is no
    code in either), under the same check for NaN, with the same record of what made them.
    """
    arrays = {name: tensor.numpy(force=True) for name, tensor in network.state_dict().items()}
    return xr.Dataset(
        {
            f"{_PREFIX}{name}": ([f"{name}.{axis}" for axis in range(array.ndim)], array)
            for name, array in arrays.items()
        }
    )


def dataset_weights(result: xr.Dataset) -> dict[str, Tensor]:
    """What `load_state_dict` needs, of a result that has such weights among others."""
    names = [name for name in result.data_vars if name.startswith(_PREFIX)]
    return {name.removeprefix(_PREFIX): torch.from_numpy(np.asarray(result[name].values)) for name in names}


def weights_digest(result: xr.Dataset | nn.Module) -> str:
    """A name for the weights of a result, or of a network itself: two networks of the same weights have the same."""
    if isinstance(result, nn.Module):
        result = weights_to_dataset(result)
    digest = hashlib.sha256()
    for name in sorted(str(name) for name in result.data_vars if str(name).startswith(_PREFIX)):
        digest.update(name.encode() + np.ascontiguousarray(result[name].values).tobytes())
    return digest.hexdigest()[:16]
