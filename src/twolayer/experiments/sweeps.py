"""Sweeps. A point that does not converge is NaN, and all other points are computed."""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
import xarray as xr

from twolayer.errors import NotConverged, UnconvergedPoint
from twolayer.storage.attributes import CONVERGED

_FAILURES = (NotConverged, ArithmeticError, np.linalg.LinAlgError)


@contextmanager
def sweep() -> Iterator[Callable[..., AbstractContextManager]]:
    """Let points of a sweep fail, each within `with point(name=value):`.

    A sweep without a point that converges raises the error of its first point.

    Raises:
        NotConverged: no point converges.

    Warns:
        UnconvergedPoint: a point does not converge, and others do.
    """
    names, errors = [], {}

    @contextmanager
    def point(**values):
        names.append(", ".join(f"{name} {_shown(value)}" for name, value in values.items()))
        try:
            yield
        except _FAILURES as error:
            errors[len(names) - 1] = error

    yield point
    if len(errors) == len(names) > 0:
        raise errors[0]
    for place, error in errors.items():
        reason = str(error) or type(error).__name__
        warnings.warn(f"the result at {names[place]} is NaN, because {reason}", UnconvergedPoint, stacklevel=6)


def _shown(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def unconverged(variables: int, shape: Sequence[int]) -> np.ndarray:
    """Return an array (variables, *shape) of points without a result; the last variable is `converged`."""
    values = np.full([variables, *shape], np.nan)
    values[-1] = 0.0
    return values


def completed(found: Mapping[Hashable, Mapping[str, Any]], points: Iterable[Hashable]) -> list[dict[str, Any]]:
    """Return the variables of all points with `converged`, and with NaN at the points that are not found.

    Args:
        found: point -> name -> number, array, or None for a variable that does not exist.
    """
    unknown = {name: None if value is None else np.nan * np.asarray(value) for name, value in _any(found).items()}
    return [found.get(one, unknown) | {CONVERGED: float(one in found)} for one in points]


def concatenated(found: Mapping[Hashable, xr.Dataset], axis: str, points: list) -> xr.Dataset:
    """Return the results at all points along an axis with `converged`, and with NaN at points that are not found."""
    unknown = _any(found) * np.nan
    rows = [found.get(one, unknown).assign({CONVERGED: float(one in found)}) for one in points]
    return xr.concat(rows, axis).assign_coords({axis: points})


def _any(found):
    return next(iter(found.values()))
