"""Results of trainings that took hours, in small files that come with the project.

A safetensors file has the variables of a result. Matrices of weights have half precision. Its metadata has the
dimensions of the variables, and the parameters of the training.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, ResultError, shown
from twolayer.io import write_with_checksum
from twolayer.parameters import to_json
from twolayer.storage.checkpoint import safetensors_metadata
from twolayer.storage.checksums import without_checksum
from twolayer.storage.files import read_regular

_REMEDY = "restore it from the repository, or train the network here (generators: trained in config/config.yaml)"
_PATH = "stored"  # parameter of a training that names such a file


def store_training(result: xr.Dataset, path: Path) -> None:
    """Write the variables of a training's result, with matrices of weights in half precision.

    Args:
        result: as the training returns it, with its parameters in its attributes.
    """
    from safetensors.numpy import save  # comes with torch, as an extra

    variables = {str(name): variable for name, variable in result.variables.items()}
    arrays = {name: np.asarray(_halved(variable.values), order="C") for name, variable in variables.items()}
    dimensions = {name: [str(axis) for axis in variable.dims] for name, variable in variables.items()}
    about = {"params": result.attrs["params"], "dimensions": json.dumps(dimensions)}
    write_with_checksum(save(arrays, metadata=about), path)


def _halved(array):
    return array.astype(np.float16) if array.dtype == np.float32 and array.ndim > 1 else array


def stored_training(path: Path, config: Any) -> xr.Dataset:
    """Return the variables of a stored training, in single precision where they have half precision.

    Args:
        config: parameters of the training, where `stored` is the path.

    Raises:
        ResultError: the file is missing, or it is damaged.
        ConfigError: the stored training has other parameters.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    name = f"stored training {path}"
    try:
        contents = without_checksum(read_regular(path), name, _REMEDY)
        about = safetensors_metadata(contents)
        _check_parameters(json.loads(about["params"]), json.loads(to_json(config)), name)
        dimensions = json.loads(about["dimensions"])
        variables = {one: (dimensions[one], _single(array)) for one, array in load(contents).items()}
        return xr.Dataset(variables).set_coords([one for one in variables if dimensions[one] == [one]])
    except OSError as error:
        raise ResultError(f"{name} cannot be read ({error.strerror}): {_REMEDY}") from None
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ResultError(f"{name} cannot be read ({shown(str(error))}): {_REMEDY}") from None


def _single(array):
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _check_parameters(stored, wanted, name):
    for key in sorted((set(stored) | set(wanted)) - {_PATH}):
        if stored.get(key) != wanted.get(key):
            raise ConfigError(
                f"{name} has {key} {shown(stored.get(key))} and not {shown(wanted.get(key))}: change {key}, or set "
                f"{_PATH} to null to train the network"
            )
