"""Results of trainings that took hours, in small files that come with the project.

A safetensors file has the variables of a result. Weights and pictures have half precision. Its metadata has the
dimensions and the types of the variables, the attributes of the result, and the parameters of the training.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, ResultError, shown
from twolayer.io import write_with_checksum
from twolayer.parameters import to_json
from twolayer.storage.attributes import DIGESTS, TASK, WEIGHTS, describes_run, fault_of_attributes, fault_of_variables
from twolayer.storage.checkpoint import safetensors_metadata
from twolayer.storage.checksums import without_checksum
from twolayer.storage.files import read_regular

_REMEDY = "restore it from the repository, or train the network here (generators: trained in config/config.yaml)"
_PATH = "stored"  # parameter of a training that names such a file
_PICTURES = 4  # number of dimensions of pictures: example, colour, row, column


def store_training(result: xr.Dataset, path: Path) -> None:
    """Write the variables of a training's result, with weights and pictures in half precision.

    Args:
        result: as the training returns it, with its parameters in its attributes.
    """
    from safetensors.numpy import save  # comes with torch, as an extra

    variables = {str(name): variable for name, variable in result.variables.items()}
    texts = {name: str(variable.values) for name, variable in variables.items() if variable.dtype.kind == "U"}
    numbers = {name: variable for name, variable in variables.items() if name not in texts}
    about = {
        "dimensions": {name: [str(axis) for axis in variable.dims] for name, variable in numbers.items()},
        "types": {name: str(variable.dtype) for name, variable in numbers.items()},
        "texts": texts,
        "coordinates": [str(name) for name in result.coords],
        "attributes": {name: value for name, value in result.attrs.items() if not _names_call(name)},
    }
    metadata = {
        "params": result.attrs["params"],
        **{key: json.dumps(value, default=int) for key, value in about.items()},
    }
    arrays = {name: np.asarray(_halved(name, variable.values), order="C") for name, variable in numbers.items()}
    write_with_checksum(save(arrays, metadata=metadata), path)


def _names_call(attribute):
    return attribute in (TASK, "params", DIGESTS) or describes_run(attribute)


def _halved(name, array):
    large = array.ndim > 1 if name.startswith(WEIGHTS) else array.ndim == _PICTURES
    return array.astype(np.float16) if large and array.dtype.kind == "f" else array


def stored_training(config: Any) -> xr.Dataset:
    """Return a stored training, with the precision of its numbers before it was stored.

    Args:
        config: parameters of the training, where `stored` is the path of the file.

    Raises:
        ResultError: the file is missing, or it is damaged.
        ConfigError: the stored training has other parameters.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    name = f"stored training {config.stored}"
    try:
        contents = without_checksum(read_regular(Path(config.stored).expanduser()), name, _REMEDY)
        about = {key: json.loads(value) for key, value in safetensors_metadata(contents).items()}
        _check_parameters(about["params"], json.loads(to_json(config)), name)
        dimensions, types = about["dimensions"], about["types"]
        variables = {one: (dimensions[one], array.astype(_number(types[one]))) for one, array in load(contents).items()}
        variables |= {one: ((), text) for one, text in about["texts"].items()}
        found = xr.Dataset(variables, attrs=about["attributes"]).set_coords(about["coordinates"])
        if fault := fault_of_attributes(found.attrs) or fault_of_variables(found.variables):
            raise ValueError(f"it {fault}")
        return found
    except OSError as error:
        raise ResultError(f"{name} cannot be read ({error.strerror}): {_REMEDY}") from None
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ResultError(f"{name} cannot be read ({shown(str(error))}): {_REMEDY}") from None


def _number(name):
    """Return the type of numbers of a name, which may state any size for other types."""
    if np.dtype(name).kind not in "biuf":
        raise ValueError(f"{name} is not a type of numbers")
    return np.dtype(name)


def _check_parameters(stored, wanted, name):
    for key in sorted((set(stored) | set(wanted)) - {_PATH}):
        if stored.get(key) != wanted.get(key):
            raise ConfigError(
                f"{name} has {key} {shown(stored.get(key))} and not {shown(wanted.get(key))}: change {key}, or set "
                f"{_PATH} to null to train the network"
            )
