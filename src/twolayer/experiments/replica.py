"""Learning by a convex loss in theory: the replica equations at every sample ratio and ridge."""

import itertools
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import xarray as xr

from twolayer.config import ConvexProblem, Replica
from twolayer.experiments.covariate_results import dataset_covariates
from twolayer.theory.logistic import logistic_errors, logistic_overlaps
from twolayer.theory.replica import (
    covariate_spectrum,
    linear_labels,
    ridge_overlaps,
    sign_labels,
    square_errors,
)

_OF_CLASSES = ("training_class_error", "class_error")


def run(config: Replica, covariates: xr.Dataset) -> xr.Dataset:
    """Errors and overlaps at every point."""
    spectrum = covariate_spectrum(dataset_covariates(covariates))
    labels = (sign_labels if config.problem.labels == "sign" else linear_labels)(spectrum)

    def solve(loss, sample_ratio, ridge):
        if loss == "logistic":
            overlaps = logistic_overlaps(spectrum, sample_ratio, ridge)
            return asdict(logistic_errors(spectrum, overlaps)) | asdict(overlaps)
        overlaps = ridge_overlaps(spectrum, labels, sample_ratio, ridge)
        return asdict(square_errors(spectrum, labels, overlaps)) | asdict(overlaps)

    axes = axes_of(config.problem)
    return problem_to_dataset(config.problem, axes, [solve(*point) for point in itertools.product(*axes.values())])


def axes_of(problem: ConvexProblem) -> dict[str, list]:
    """The axes of a problem, {name: values}."""
    return {"loss": list(problem.losses), "sample_ratio": list(problem.sample_ratios), "ridge": list(problem.ridges)}


def problem_to_dataset(problem: ConvexProblem, axes: Mapping[str, list], rows: list[Mapping[str, float]]) -> xr.Dataset:
    """Values at all points of the axes, in their order; without those of classification where labels are no signs."""
    shape = [len(values) for values in axes.values()]
    names = [name for name in rows[0] if problem.labels == "sign" or name not in _OF_CLASSES]
    variables = {name: (list(axes), np.reshape([row[name] for row in rows], shape)) for name in names}
    return xr.Dataset(variables, coords=axes)
