"""What a result holds: its variables, their dimensions, and where the labels along these come from.

Each task declares the layout of its result with its parameters. A result that does not conform is an error of the job
that made it; and checks can be tried in a dry run on outlines before anything is computed.
"""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from twolayer.errors import ConfigError, ResultError
from twolayer.results.vocabulary import MEANINGS

if TYPE_CHECKING:
    import xarray as xr

_PLACEHOLDER_SIZE = 3  # of a dimension whose labels are not known beforehand
_LARGEST = 1e30  # size of a number, see `twolayer.parameters`
_LARGEST_PLACEHOLDER = 10**7  # numbers along the labelled axes of a result
_FREE = "weights."  # variables of a network, which have names and shapes of their own


@dataclass(frozen=True)
class Layout:
    """The variables of a result.

    Attributes:
        variables: dimensions, "sigma seed" -> the names of the variables that have these; with a ? after a name that
            can be missing. The dimension `axes` means all dimensions that the parameter `axes` names.
        labels: dimension -> the parameter that lists its labels, where that has another name than the dimension, or
            that counts them from one.
        scalars: coordinates that are single values, parameters of the same name or as in `labels`.
        meanings: of variables that mean something else here than in the vocabulary.
        weights: whether the result also holds the weights of a network.
        units: of variables and coordinates.
    """

    variables: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    scalars: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)
    weights: bool = False
    units: Mapping[str, str] = field(default_factory=dict)

    def dimensions(self, parameters: Any) -> dict[str, tuple[str, ...]]:
        """Name of each variable that a run with these parameters can have -> its dimensions."""
        return {
            name.rstrip("?"): _expand(dims, parameters)
            for dims, names in self.variables.items()
            for name in names.split()
        }

    def meaning(self, name: str) -> str:
        """What a variable is, in words, with its units."""
        return self.meanings.get(name) or MEANINGS[name]

    def complete(self, result: "xr.Dataset", parameters: Any) -> "xr.Dataset":
        """The result with the meaning of each variable as its `long_name`, and its unit where one is declared.

        Raises:
            ResultError: a variable is missing, too many, or has other dimensions.
        """
        declared = self.dimensions(parameters)
        required = {name for names in self.variables.values() for name in names.split() if not name.endswith("?")}
        found = {str(name) for name in result.data_vars if not (self.weights and str(name).startswith(_FREE))}
        if unlike := sorted((required - found) | (found - set(declared))):
            raise ResultError(f"the result has, or lacks, the variable {unlike[0]!r}: its layout is {sorted(declared)}")
        for name in found:
            if set(result[name].dims) != set(declared[name]):
                raise ResultError(
                    f"result {name!r} has the dimensions {result[name].dims}: declared are {declared[name]}"
                )
        result = result.copy()
        for name in [*found, *(str(name) for name in result.coords)]:
            if name in self.meanings or name in MEANINGS:
                result[name].attrs["long_name"] = self.meaning(name)
            if name in self.units:
                result[name].attrs["units"] = self.units[name]
        return result

    def conforming(self, result: "xr.Dataset", what: str) -> "xr.Dataset":
        """Return a result that somebody may have altered, with the dimensions of its variables in the declared order.

        Args:
            what: the result is, in an error.

        Raises:
            ResultError: a variable is missing, has other dimensions, or holds anything else than numbers.
        """
        result = result.copy()
        for dims, names in self.variables.items():
            for name in (one for one in names.split() if not one.endswith("?") or one[:-1] in result):
                result[name.rstrip("?")] = _conforming(result, name.rstrip("?"), dims.split(), what)
        return result

    def placeholder(self, parameters: Any) -> "xr.Dataset":
        """A result of zeros with the names, dimensions and known labels of the real one.

        Runs that differ in nothing of these share one: it is to be read, not changed.
        """
        declared = self.dimensions(parameters)
        labels = {dim: self._labels(dim, parameters) for dims in declared.values() for dim in dims}
        if (
            size := sum(math.prod(len(labels[dim]) for dim in dims) for dims in declared.values())
        ) > _LARGEST_PLACEHOLDER:
            raise ConfigError(
                f"the result would hold {size:.0e} numbers: make its axes shorter, for {_LARGEST_PLACEHOLDER:.0e}"
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
            raise ConfigError(f"{dimension} would have {values:.0e} points: take at most {_LARGEST_PLACEHOLDER:.0e}")
        return tuple(range(1, values + 1)) if counted else tuple(range(_PLACEHOLDER_SIZE))


def _conforming(result, name, dims, what):
    """A variable with the declared dimensions in their order, where these are known (not `axes`)."""
    import numpy as np

    if name not in result:
        raise ResultError(f"{what} lacks the variable {name!r}: make it again")
    found = result[name]
    if "axes" not in dims:
        if set(found.dims) != set(dims):
            raise ResultError(f"{name!r} of {what} has the dimensions {found.dims}: make it again, with {dims}")
        found = found.transpose(*dims)
    if found.dtype.kind not in "biuf" or 0 in found.shape:
        raise ResultError(f"{name!r} of {what} does not hold numbers only: make it again")
    if not (np.abs(found.values.astype(float)) <= _LARGEST).all():
        raise ResultError(
            f"{name!r} of {what} holds a number that is not finite, or beyond {_LARGEST:g}: make it again"
        )
    return found


@functools.lru_cache(maxsize=64)  # of one figure, not of all figures together
def _zeros(declared, labels, scalars):
    """The outline with these variables: name and dimensions of each, name and labels of each dimension, scalars."""
    import numpy as np
    import xarray as xr

    sizes = {dim: len(values) for dim, values in labels}
    variables = {name: (dims, np.zeros([sizes[dim] for dim in dims])) for name, dims in declared}
    axes = {dim: list(values) for dim, values in labels}
    return xr.Dataset(variables, axes | {name: np.inf if one is None else one for name, one in scalars})


def _expand(dims: str, parameters: Any) -> tuple[str, ...]:
    """Dimensions, with those that a sweep names in the place of `axes`."""
    swept = [name for name, values in vars(getattr(parameters, "axes", None) or Layout({})).items() if values]
    return tuple(name for dim in dims.split() for name in (swept if dim == "axes" else [dim]))


def _parameter(parameters: Any, path: str) -> Any:
    """The parameter of that name, "descent.step" for a nested parameter; None if it does not exist."""
    for name in path.split("."):
        parameters = getattr(parameters, name, None)
    return parameters
