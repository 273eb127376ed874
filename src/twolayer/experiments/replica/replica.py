"""Learning by a convex loss in theory: the replica equations at every sample ratio and ridge."""

import itertools
from dataclasses import asdict

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.replica.convex_results import axes_of, points_to_dataset
from twolayer.experiments.replica.finite_sets import check_field, check_penalty, warn_of_small_set
from twolayer.experiments.replica.parameters import ConvexProblem, Replica
from twolayer.experiments.replica.spectra import dataset_spectrum
from twolayer.experiments.sweeps import sweep
from twolayer.model.networks.feature_count import count_of
from twolayer.results.feature_covariances import SAMPLES, dataset_labelled_data
from twolayer.simulation.convex.surrogate_data import resampled
from twolayer.theory.replica.convex_theory import ConvexTheory
from twolayer.theory.replica.finite_data_sets import resampled_ridge, subset_ridge
from twolayer.theory.replica.replica_equations import Spectrum
from twolayer.theory.replica.ridgeless import separable_sample_ratio
from twolayer.theory.replica.two_classes import class_distribution, class_errors, class_overlaps

# number and seed of sets of samples that measure the effect of few samples on a theory
_RESAMPLINGS, _RESAMPLING_SEED = 5, 0


def run(config: Replica, feature_covariances: xr.Dataset) -> xr.Dataset:
    """Return errors and overlaps at every point.

    For a finite data set, the result also has errors of ridge regression on draws from it.
    """
    problem = config.problem
    check_field(feature_covariances, problem)
    if problem.labels == "classes":
        return _classes(problem, feature_covariances)
    spectrum = dataset_spectrum(feature_covariances)
    check_penalty(feature_covariances, problem)
    of_a_set = feature_covariances.attrs["kind"] == SAMPLES and problem.labels == "linear"
    axes, rows = axes_of(problem), {}
    drawn = {ratio: _drawn(feature_covariances, ratio) for ratio in axes["sample_ratio"] if of_a_set}
    warn_of_small_set(feature_covariances, problem)
    with sweep() as point:
        for loss, ridge in itertools.product(axes["loss"], axes["ridge"]):
            theory, overlaps = theory_of(problem, spectrum, loss), None
            for ratio in axes["sample_ratio"]:
                with point(loss=loss, sample_ratio=ratio, ridge=ridge):
                    overlaps = theory.solve(ratio, ridge, overlaps)
                    row = asdict(theory.errors(overlaps)) | asdict(theory.reported(overlaps))
                    if of_a_set:
                        row |= _of_set(feature_covariances, spectrum, drawn[ratio], ridge)
                    rows[loss, ratio, ridge] = row
    result = points_to_dataset(axes, rows)
    if problem.labels == "linear":
        return result
    return result.assign(largest_separable_sample_ratio=separable_sample_ratio(spectrum, theory.channel))


def theory_of(problem: ConvexProblem, spectrum: Spectrum, loss: str) -> ConvexTheory:
    """Return the theory of one loss of a problem."""
    return ConvexTheory(spectrum, loss, problem.labels, problem.noise, problem.penalty, problem.huber_delta)


def _drawn(feature_covariances, ratio):
    """Return the number of samples that are drawn from a set."""
    return count_of(ratio, feature_covariances.sizes["feature"], "sample_ratios", "sample")


def _of_set(feature_covariances, spectrum, drawn, ridge):
    """Return errors of ridge regression on draws from a set; labels of any distribution have no other class errors."""
    losses = resampled_ridge(spectrum, drawn, ridge, feature_covariances.sizes["sample"])
    of_field = {"class_error_clean": None, "excess": None}
    return of_field | {f"set_{name}": value for name, value in asdict(losses).items()}


def _classes(problem, feature_covariances):
    """Yield one Gaussian for each label, also with the moments of as many of its samples as the data set has."""
    if feature_covariances.attrs["kind"] != SAMPLES:
        raise ConfigError(
            "labels of the problem are 'classes', but the covariates have no samples: give a result of "
            "feature_covariances or data_samples, or other labels"
        )
    if not all(problem.ridges):
        raise ConfigError(
            "ridges has 0, but labels are 'classes': this limit is not implemented for the Gaussians of a set, because "
            "it depends on whether the samples are separable: give positive ridges"
        )
    data, axes, delta = dataset_labelled_data(feature_covariances), axes_of(problem), problem.huber_delta
    rng = np.random.default_rng(_RESAMPLING_SEED)
    sets = itertools.chain([data], (resampled(data, stream) for stream in rng.spawn(_RESAMPLINGS)))  # one at a time
    distributions = [class_distribution(one.correlation, one.Omega, one.positive) for one in sets]

    def solve(loss, sample_ratio, ridge):
        solved = [class_overlaps(distribution, loss, sample_ratio, ridge, delta) for distribution in distributions]
        errors, *again = (
            class_errors(distribution, loss, overlaps, delta)
            for distribution, overlaps in zip(distributions, solved, strict=True)
        )
        names = ("test_loss", "class_error")
        means = {f"resampled_{name}": np.mean([getattr(one, name) for one in again]) for name in names}
        return asdict(errors) | asdict(solved[0]) | means

    rows = {}
    with sweep() as point:
        for loss, ratio, ridge in itertools.product(*axes.values()):
            with point(loss=loss, sample_ratio=ratio, ridge=ridge):
                rows[loss, ratio, ridge] = solve(loss, ratio, ridge)
    return points_to_dataset(axes, rows).assign(_fresh_losses(problem, data))


def _fresh_losses(problem, data):
    """Return the loss of least squares on fresh samples of the distribution of the set.

    It is NaN if the set has no more samples than a training set.
    """
    n, d = data.features.shape
    spectrum = Spectrum.of(1.0, data.correlation, data.Omega)

    def loss(ratio, ridge):
        size = round(ratio * d)
        return subset_ridge(spectrum, size, ridge, n).test_loss if 0 < size < n else np.nan

    fresh = [[loss(ratio, ridge) for ridge in problem.ridges] for ratio in problem.sample_ratios]
    return {"fresh_test_loss": (("sample_ratio", "ridge"), fresh)}
