"""The layout of a result: its variables, their dimensions, and the origin of the labels along these.

Each task declares the layout of its result with its parameters. A result that does not conform is an error of its job.
Layouts also allow a dry run of the checks on placeholders before anything is computed.
"""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from twolayer.errors import ConfigError, ResultError
from twolayer.results.vocabulary import MEANINGS
from twolayer.storage.attributes import MARKS, WEIGHTS

if TYPE_CHECKING:
    import xarray as xr

_PLACEHOLDER_SIZE = 3  # size of a dimension whose labels are not known in advance
_LARGEST = 1e30  # size of a number, see `twolayer.parameters`
_LARGEST_PLACEHOLDER = 10**7  # largest number of values along the labelled axes of a result


@dataclass(frozen=True)
class Layout:
    """The variables of a result.

    Attributes:
        variables: dimensions, "sigma seed" -> the names of the variables with these dimensions, with a ? after an
            optional name. The dimension `axes` means all dimensions in the parameter `axes`.
        labels: dimension -> the parameter that lists its labels, if that has another name than the dimension, or that
            counts them from one.
        scalars: coordinates with a single value, from parameters with the same name or as in `labels`.
        meanings: meanings of variables that differ from the vocabulary.
        weights: whether the result also has the weights of a network.
        units: units of variables and coordinates.
    """

    variables: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    scalars: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)
    weights: bool = False
    units: Mapping[str, str] = field(default_factory=dict)

    def dimensions(self, parameters: Any) -> dict[str, tuple[str, ...]]:
        """Return name -> dimensions of each variable that a run with these parameters can have."""
        return {
            name.rstrip("?"): _expand(dims, parameters)
            for dims, names in self.variables.items()
            for name in names.split()
        }

    def meaning(self, name: str) -> str:
        """Return the meaning of a variable, with its units."""
        return self.meanings.get(name) or MEANINGS[name]

    def complete(self, result: "xr.Dataset", parameters: Any) -> "xr.Dataset":
        """Add the meaning of each variable as its `long_name`, and its declared unit, and return the result.

        Raises:
            ResultError: a variable is missing or unexpected, or has other dimensions.
        """
        declared = self.dimensions(parameters)
        required = {name for names in self.variables.values() for name in names.split() if not name.endswith("?")}
        found = {str(name) for name in result.data_vars if not (self.weights and str(name).startswith(WEIGHTS))}
        if unlike := sorted((required - found) | (found - set(declared))):
            raise ResultError(
                f"the variable {unlike[0]!r} is missing or unexpected in the result: its layout is {sorted(declared)}: "
                "correct the task or its layout"
            )
        for name in found:
            if set(result[name].dims) != set(declared[name]):
                raise ResultError(
                    f"result {name!r} has the dimensions {result[name].dims} (declared: {declared[name]}): correct the "
                    "task or its layout"
                )
        result = result.copy()
        for name in [*found, *(str(name) for name in result.coords)]:
            if name in self.meanings or name in MEANINGS:
                result[name].attrs["long_name"] = self.meaning(name)
            if name in self.units:
                result[name].attrs["units"] = self.units[name]
        return result

    def conforming(self, result: "xr.Dataset", what: str) -> "xr.Dataset":
        """Return a result that another person may have altered, with the declared order of dimensions.

        Args:
            what: description of the result, for an error.

        Raises:
            ResultError: a variable is missing, has other dimensions, or has values that are not numbers.
        """
        result = result.copy()
        for dims, names in self.variables.items():
            for name in (one for one in names.split() if not one.endswith("?") or one[:-1] in result):
                result[name.rstrip("?")] = _conforming(result, name.rstrip("?"), dims.split(), what)
        return result

    def placeholder(self, parameters: Any) -> "xr.Dataset":
        """Return a result of zeros with the names, dimensions and known labels of the real result.

        All points count as converged.

        Runs with the same names, dimensions and labels share one object, which must not be changed.
        """
        declared = self.dimensions(parameters)
        labels = {dim: self._labels(dim, parameters) for dims in declared.values() for dim in dims}
        if (
            size := sum(math.prod(len(labels[dim]) for dim in dims) for dims in declared.values())
        ) > _LARGEST_PLACEHOLDER:
            raise ConfigError(
                f"the result would have {size:.0e} numbers: make its axes shorter, for at most "
                f"{_LARGEST_PLACEHOLDER:.0e}"
            )
        scalars = {name: _parameter(parameters, self.labels.get(name, name)) for name in self.scalars}
        return _zeros(*(tuple(each.items()) for each in (declared, labels, scalars)))

    def _labels(self, dimension, parameters):
        values = _parameter(parameters, self.labels.get(dimension, f"axes.{dimension}"))
        values = _parameter(parameters, dimension) if values is None else values
        if isinstance(values, tuple | list) or hasattr(values, "tolist"):
            if twice := [one for place, one in enumerate(values) if one in values[:place]]:
                raise ConfigError(f"{dimension} has the value {twice[0]} twice: give each value once")
            return tuple(values)
        counted = isinstance(values, int) and dimension in self.labels
        if counted and values > _LARGEST_PLACEHOLDER:
            raise ConfigError(f"{dimension} would have {values:.0e} points: use at most {_LARGEST_PLACEHOLDER:.0e}")
        return tuple(range(1, values + 1)) if counted else tuple(range(_PLACEHOLDER_SIZE))


def _conforming(result, name, dims, what):
    """Return a variable with the declared dimensions in their order, if these are known (not `axes`)."""
    import numpy as np

    if name not in result:
        raise ResultError(f"{what} lacks the variable {name!r}: make it again")
    found = result[name]
    if "axes" not in dims:
        if set(found.dims) != set(dims):
            raise ResultError(f"{name!r} of {what} has the dimensions {found.dims} (declared: {dims}): make it again")
        found = found.transpose(*dims)
    if found.dtype.kind not in "biuf" or 0 in found.shape:
        raise ResultError(f"{name!r} of {what} has values that are not numbers: make it again")
    if not (np.abs(found.values.astype(float)) <= _LARGEST).all():
        raise ResultError(f"{name!r} of {what} has a number that is not finite, or above {_LARGEST:g}: make it again")
    return found


@functools.lru_cache(maxsize=64)  # enough for one figure
def _zeros(declared, labels, scalars):
    """Return the placeholder with these variables: name and dimensions of each, labels of each dimension, scalars."""
    import numpy as np
    import xarray as xr

    sizes = {dim: len(values) for dim, values in labels}
    variables = {name: (dims, np.full([sizes[dim] for dim in dims], float(name in MARKS))) for name, dims in declared}
    axes = {dim: list(values) for dim, values in labels}
    return xr.Dataset(variables, axes | {name: np.inf if one is None else one for name, one in scalars})


def _expand(dims: str, parameters: Any) -> tuple[str, ...]:
    """Return the dimensions, with the dimensions of a sweep instead of `axes`."""
    swept = [name for name, values in vars(getattr(parameters, "axes", None) or Layout({})).items() if values]
    return tuple(name for dim in dims.split() for name in (swept if dim == "axes" else [dim]))


def _parameter(parameters: Any, path: str) -> Any:
    """Return the parameter with a name, "descent.step" for a nested parameter; None if it does not exist."""
    for name in path.split("."):
        parameters = getattr(parameters, name, None)
    return parameters
