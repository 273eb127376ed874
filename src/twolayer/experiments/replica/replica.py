"""Learning by a convex loss in theory: the replica equations at every sample ratio and ridge."""

import itertools
from dataclasses import asdict

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.replica.convex_results import axes_of, problem_to_dataset
from twolayer.experiments.replica.finite_sets import check_field, warn_of_small_set
from twolayer.experiments.replica.parameters import Replica
from twolayer.results.feature_covariances import SAMPLES, dataset_covariate_model, dataset_labelled_data
from twolayer.simulation.convex.surrogate_data import resampled
from twolayer.theory.replica.class_mixture import class_distribution, class_errors, class_overlaps
from twolayer.theory.replica.finite_data_sets import resampled_ridge, subset_ridge
from twolayer.theory.replica.hinge import hinge_errors, hinge_overlaps
from twolayer.theory.replica.logistic import logistic_errors, logistic_overlaps
from twolayer.theory.replica.replica_equations import (
    Spectrum,
    covariate_spectrum,
    linear_labels,
    ridge_overlaps,
    sign_labels,
    square_errors,
)

_RESAMPLINGS, _RESAMPLING_SEED = 5, 0  # sets of samples that tell what so few of them do to a theory
_OF_SIGNS = {"logistic": (logistic_overlaps, logistic_errors), "hinge": (hinge_overlaps, hinge_errors)}


def run(config: Replica, feature_covariances: xr.Dataset) -> xr.Dataset:
    """Errors and overlaps at every point. For a finite data set, also errors of ridge regression on draws from it."""
    check_field(feature_covariances, config.problem)
    if config.problem.labels == "classes":
        return _classes(config.problem, feature_covariances)
    warn_of_small_set(feature_covariances, config.problem)
    spectrum = covariate_spectrum(dataset_covariate_model(feature_covariances))
    labels = (sign_labels if config.problem.labels == "sign" else linear_labels)(spectrum)

    of_a_set = feature_covariances.attrs["kind"] == SAMPLES and config.problem.labels == "linear"

    def solve(loss, sample_ratio, ridge):
        if loss in _OF_SIGNS:
            solve_overlaps, errors_of = _OF_SIGNS[loss]
            overlaps = solve_overlaps(spectrum, sample_ratio, ridge)
            return asdict(errors_of(spectrum, overlaps)) | asdict(overlaps)
        overlaps = ridge_overlaps(spectrum, labels, sample_ratio, ridge)
        errors = asdict(square_errors(spectrum, labels, overlaps)) | asdict(overlaps)
        return errors | (_set_losses(feature_covariances, spectrum, sample_ratio, ridge) if of_a_set else {})

    axes = axes_of(config.problem)
    return problem_to_dataset(config.problem, axes, [solve(*point) for point in itertools.product(*axes.values())])


def _classes(problem, feature_covariances):
    """One Gaussian for each label, also with the moments of as many of its samples as the data set has."""
    if feature_covariances.attrs["kind"] != SAMPLES:
        raise ConfigError(
            "labels of the problem are 'classes', but covariates hold no samples: give a result of covariates or "
            "data_samples, or other labels"
        )
    data, axes = dataset_labelled_data(feature_covariances), axes_of(problem)
    rng = np.random.default_rng(_RESAMPLING_SEED)
    sets = itertools.chain([data], (resampled(data, stream) for stream in rng.spawn(_RESAMPLINGS)))  # one at a time
    distributions = [class_distribution(one.correlation, one.Omega, one.positive) for one in sets]

    def solve(loss, sample_ratio, ridge):
        solved = [class_overlaps(distribution, loss, sample_ratio, ridge) for distribution in distributions]
        errors, *again = (
            class_errors(distribution, loss, overlaps)
            for distribution, overlaps in zip(distributions, solved, strict=True)
        )
        names = ("test_loss", "class_error")
        means = {f"resampled_{name}": np.mean([getattr(one, name) for one in again]) for name in names}
        return asdict(errors) | asdict(solved[0]) | means

    result = problem_to_dataset(problem, axes, [solve(*point) for point in itertools.product(*axes.values())])
    return result.assign(_fresh_losses(problem, data))


def _fresh_losses(problem, data):
    """The loss of least squares on fresh samples of the distribution that the set came from.

    It is NaN where the set has no more samples than a training set.
    """
    n, d = data.features.shape
    spectrum = Spectrum.of(1.0, data.correlation, data.Omega)

    def loss(ratio, ridge):
        size = round(ratio * d)
        return subset_ridge(spectrum, size, ridge, n).test_loss if 0 < size < n else np.nan

    fresh = [[loss(ratio, ridge) for ridge in problem.ridges] for ratio in problem.sample_ratios]
    return {"fresh_test_loss": (("sample_ratio", "ridge"), fresh)}


def _set_losses(feature_covariances, spectrum, sample_ratio, ridge):
    losses = resampled_ridge(spectrum, sample_ratio, ridge, feature_covariances.sizes["sample"])
    return {f"set_{name}": value for name, value in asdict(losses).items()}
