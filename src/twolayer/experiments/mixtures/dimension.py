"""The dimension of the inputs, from a mixture or a student."""

import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.parameters import Student
from twolayer.results.mixture import known_dimension


def agreed_dimension(mixture: xr.Dataset, student: Student) -> int:
    """Return N for a mixture and its student.

    Raises:
        ConfigError: they have different dimensions, or none.
    """
    theirs, ours = known_dimension(mixture), student.dimension
    if theirs is None and ours is None:
        raise ConfigError("neither the student nor the mixture has a dimension: give it to one of them")
    if None not in (theirs, ours) and theirs != ours:
        raise ConfigError(f"the student has dimension {ours}, but the mixture {theirs}: make them equal")
    return theirs if ours is None else ours
