"""Learning by a convex loss in theory: the replica equations at every sample ratio and ridge."""

import itertools
from dataclasses import asdict

import xarray as xr

from twolayer.experiments.replica.convex_results import axes_of, problem_to_dataset
from twolayer.experiments.replica.finite_sets import check_field, warn_of_small_set
from twolayer.experiments.replica.parameters import Replica
from twolayer.results.covariates import dataset_covariates
from twolayer.theory.logistic import logistic_errors, logistic_overlaps
from twolayer.theory.replica import (
    covariate_spectrum,
    linear_labels,
    ridge_overlaps,
    sign_labels,
    square_errors,
)


def run(config: Replica, covariates: xr.Dataset) -> xr.Dataset:
    """Errors and overlaps at every point."""
    check_field(covariates, config.problem)
    warn_of_small_set(covariates, config.problem)
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
