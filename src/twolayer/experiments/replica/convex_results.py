"""What is learnt by a convex loss, as a result."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from twolayer.experiments.replica.parameters import ConvexProblem

_OF_CLASSES = ("training_class_error", "class_error")


def axes_of(problem: ConvexProblem) -> dict[str, list]:
    """The axes of a problem, {name: values}."""
    return {"loss": list(problem.losses), "sample_ratio": list(problem.sample_ratios), "ridge": list(problem.ridges)}


def problem_to_dataset(problem: ConvexProblem, axes: Mapping[str, list], rows: list[Mapping[str, float]]) -> xr.Dataset:
    """Values at all points of the axes, in their order; without those of classification where labels are linear."""
    shape = [len(values) for values in axes.values()]
    names = [name for name in rows[0] if problem.labels != "linear" or name not in _OF_CLASSES]
    variables = {name: (list(axes), np.reshape([row[name] for row in rows], shape)) for name in names}
    return xr.Dataset(variables, coords=axes)
