"""Inputs of a function: results of other functions, or objects that replace them."""

import itertools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, shown
from twolayer.experiments import TASKS
from twolayer.experiments.tasks import Task
from twolayer.io import maker_of
from twolayer.library.custom_objects import CUSTOM
from twolayer.library.feature_covariances import FeatureCovariances
from twolayer.library.inputs import Inputs
from twolayer.library.mixture import Mixture
from twolayer.results.types import DEFINING, changed


def _mixture(given):
    return given.dataset() if isinstance(given, Mixture) and not given.has_classes else None


def _classes(given):
    return given.dataset() if isinstance(given, Mixture) and given.has_classes else None


def _inputs(given):
    return given.dataset() if isinstance(given, Inputs) else None


def _covariates(given):
    return given.dataset() if isinstance(given, FeatureCovariances) else None


def _generator(given):
    if isinstance(given, xr.Dataset) or given is None:
        return None
    from twolayer.library.generator import as_latent_generator  # needs torch

    return as_latent_generator(given)


_CONVERSIONS = {  # of the objects in CUSTOM; each returns None for another object
    "isotropic_mixture": _mixture,
    "class_mixture": _classes,
    "isotropic_inputs": _inputs,
    "gaussian_feature_covariances": _covariates,
    "sign_generator": _generator,
}


def _converted(task, name, given):
    """Return the input of a task that an object defines, or None if the value is not such an object."""
    convert = _CONVERSIONS.get(task.makers(name)[0])
    return convert(given) if convert else None


def suits(task: Task, name: str, given: Any) -> bool:
    """Return whether a value is a result that a task accepts as an input, or an object that defines such a result."""
    if _converted(task, name, given) is not None:
        return True
    return isinstance(given, xr.Dataset) and maker_of(given) in task.makers(name)


def read_input(task: Task, name: str, given: Any) -> Any:
    """Return the input of a task from the value that is given for it.

    Raises:
        ConfigError: the value is neither a suitable result nor an object that may replace it.
    """
    if (found := _converted(task, name, given)) is not None:
        return found
    makers = task.makers(name)
    allowed = (f"{CUSTOM[makers[0]].what}, or " if makers[0] in CUSTOM else "") + f"a result of {', '.join(makers)}"
    if not isinstance(given, xr.Dataset):
        raise ConfigError(f"{name} is {shown(given)}: give {allowed}")
    if (maker := maker_of(given)) not in makers:
        found = f"a result of {maker}" if maker else f"a dataset with {', '.join(map(str, given.data_vars))[:60]}"
        raise ConfigError(f"{name} is {found}: give {allowed}")
    return given


def unaltered(name: str, given: Any) -> Any:
    """Return an input after checking that nobody altered it since a function computed it.

    Raises:
        ConfigError: a variable that defines the result has other values.
        ResultError: a variable is missing, or differs from the declaration of the task.
    """
    if not isinstance(given, xr.Dataset):
        return given
    maker = maker_of(given)
    result = TASKS[maker].result.conforming(given, name)
    if changed(result):
        raise ConfigError(
            f"{name} is a result of {maker} with other values of {given.attrs[DEFINING]} than {maker} computed: give "
            "an "
            f"unchanged result of {maker}, or define the values with an object"
        )
    return result


def check_indices(arrays: Mapping[str, Any]) -> None:
    """Check that columns of pandas objects are numbers, and that rows of pandas and xarray objects are one set.

    Raises:
        ConfigError: a column has no numbers, or two arrays have different indices.
    """
    _check_equal(
        {name: _first_index(one) for name, one in arrays.items() if isinstance(one, xr.DataArray)},
        "{1}.reindex_like({0})",
    )
    pandas = sys.modules.get("pandas")  # if pandas is not imported, no argument is a pandas object
    if pandas is None:
        return
    frames = {name: one for name, one in arrays.items() if isinstance(one, pandas.DataFrame | pandas.Series)}
    for name, one in frames.items():
        for column, values in one.items() if isinstance(one, pandas.DataFrame) else [(one.name, one)]:
            if not pandas.api.types.is_numeric_dtype(values.dtype):
                where = "" if column is None else f" in column {shown(column)}"
                remedy = "leave the column out" if one.ndim == 2 else "give numbers, as (labels == 'yes') * 2 - 1"
                raise ConfigError(f"{name} has no numbers{where} ({values.dtype}): {remedy}")
            if (lacking := np.flatnonzero(values.isna())).size:
                where = "" if column is None else f" in column {shown(column)}"
                raise ConfigError(
                    f"{name} has no value{where} in row {lacking[0]}, counted from 0: fill it in, or take the row out"
                )
    _check_equal({name: one.index for name, one in frames.items()}, "{1}.loc[{0}.index]")


def _first_index(array):
    """Return the index of the rows of an array of xarray, None without coordinates."""
    return array.indexes.get(array.dims[0]) if array.dims else None


def _check_equal(indices, sorting):
    """Check that indices of the same samples are equal; test samples are other samples."""
    pairs = itertools.combinations([(name, index) for name, index in indices.items() if index is not None], 2)
    for (first, one), (name, other) in pairs:
        same = first.startswith("test_") == name.startswith("test_")
        if same and len(one) == len(other) and not one.equals(other):
            raise ConfigError(
                f"{first} and {name} have different indices: sort both in the same way, for example "
                f"{sorting.format(first, name)}, or give arrays without an index (to_numpy())"
            )


def read_folder(given: Any) -> Path:
    """Return the folder of the image sets.

    Raises:
        ConfigError: it is not a folder.
    """
    if not isinstance(given, str | Path) or not Path(given).is_dir():
        raise ConfigError(f"images is {shown(given)}: give the folder with the folders of the image sets")
    return Path(given)
