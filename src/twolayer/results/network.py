"""Weights of a network as a result, and conversion back."""

import hashlib

import numpy as np
import torch
import xarray as xr
from torch import Tensor, nn

from twolayer.storage.attributes import WEIGHTS


def weights_to_dataset(network: nn.Module) -> xr.Dataset:
    """Return the weights and statistics of a network, each as an array with its own dimensions.

    The NetCDF file of a result stores them as safely as a safetensors file (neither contains code). It has the same
    check for NaN and the same record of its origin as every result.
    """
    arrays = {name: tensor.numpy(force=True) for name, tensor in network.state_dict().items()}
    return xr.Dataset(
        {
            f"{WEIGHTS}{name}": ([f"{name}.{axis}" for axis in range(array.ndim)], array)
            for name, array in arrays.items()
        }
    )


def dataset_weights(result: xr.Dataset) -> dict[str, Tensor]:
    """Return the argument of `load_state_dict`, from a result with weights among other variables."""
    names = [name for name in result.data_vars if name.startswith(WEIGHTS)]
    return {name.removeprefix(WEIGHTS): torch.from_numpy(np.asarray(result[name].values)) for name in names}


def weights_digest(result: xr.Dataset | nn.Module) -> str:
    """Return a name for the weights of a result, or of a network. Networks with equal weights have the same name."""
    if isinstance(result, nn.Module):
        result = weights_to_dataset(result)
    digest = hashlib.sha256()
    for name in sorted(str(name) for name in result.data_vars if str(name).startswith(WEIGHTS)):
        digest.update(name.encode() + np.ascontiguousarray(result[name].values).tobytes())
    return digest.hexdigest()[:16]
