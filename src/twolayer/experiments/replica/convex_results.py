"""Results of learning by a convex loss."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from twolayer.experiments.replica.parameters import ConvexProblem
from twolayer.experiments.sweeps import completed


def axes_of(problem: ConvexProblem) -> dict[str, list]:
    """Return the axes of a problem, {name: values}."""
    return {"loss": list(problem.losses), "sample_ratio": list(problem.sample_ratios), "ridge": list(problem.ridges)}


def points_to_dataset(
    axes: Mapping[str, list],
    found: Mapping[tuple, Mapping[str, Any]],
    dims: Mapping[str, tuple[str, ...]] | None = None,
) -> xr.Dataset:
    """Return values at all points of the axes, without those that are None, and NaN at points that are not found.

    Args:
        found: values of the axes -> variables of this point.
        dims: further dimensions of variables that are arrays at every point.
    """
    rows = completed(found, itertools.product(*axes.values()))
    shape, variables = [len(values) for values in axes.values()], {}
    for name, first in rows[0].items():
        if first is not None:
            values = np.array([row[name] for row in rows])
            variables[name] = ((*axes, *(dims or {}).get(name, ())), values.reshape(*shape, *values.shape[1:]))
    return xr.Dataset(variables, coords=axes)
