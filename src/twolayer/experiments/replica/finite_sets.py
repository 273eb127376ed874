"""Limits of theory if the distribution of the covariates is a finite set of samples."""

import warnings

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, SmallSample
from twolayer.experiments.replica.parameters import ConvexProblem
from twolayer.results.feature_covariances import SAMPLES

_ROUNDING = 1e-12  # rounding error of a covariance, relative to the largest variance
_FIELDS = ("sign", "probit", "logit")  # labels that are signs of a Gaussian field
_DRAWN = 0.1  # part of the set that may be drawn without a warning; errors are then a few percent at small ridges


def warn_of_small_set(feature_covariances: xr.Dataset, problem: ConvexProblem) -> None:
    """Warn if training sets are drawn, with replacement, that contain a large part of all samples.

    Warns:
        SmallSample: many samples occur twice, but the theory assumes a continuous distribution.
    """
    if feature_covariances.attrs["kind"] != SAMPLES:
        return
    n, d, ratio = feature_covariances.sizes["sample"], feature_covariances.sizes["feature"], max(problem.sample_ratios)
    if ratio * d > _DRAWN * n:
        warnings.warn(
            f"sample_ratio {ratio:g} draws {ratio * d:.0f} times from a set of {n} samples: theory and simulation "
            "differ "
            f"if many samples occur twice; use a sample_ratio below {_DRAWN * n / d:.2g}, or give more samples",
            SmallSample,
            stacklevel=5,
        )


def check_penalty(feature_covariances: xr.Dataset, problem: ConvexProblem) -> None:
    """Check that features are independent if the penalty is l1.

    Raises:
        ConfigError: Omega is not diagonal.
    """
    if problem.penalty != "l1" or "Omega" not in feature_covariances:
        return
    Omega = feature_covariances.Omega.values
    if np.abs(Omega - np.diag(np.diag(Omega))).max() > _ROUNDING * np.diag(Omega).max():
        raise ConfigError(
            "penalty is 'l1', but Omega of the covariates is not diagonal: the theory of l1 needs independent "
            "features, because the penalty depends on their coordinates: set penalty to 'l2', or give from_spectrum"
        )


def check_field(feature_covariances: xr.Dataset, problem: ConvexProblem) -> None:
    """Check that a theory of a Gaussian field is used only if the field is not a label.

    Raises:
        ConfigError: the field has two values, or the Huber loss is used for labels of a set.
    """
    if (
        feature_covariances.attrs["kind"] == SAMPLES
        and problem.labels == "linear"
        and (problem.noise or "huber" in problem.losses)
    ):
        raise ConfigError(
            "the covariates are a set of samples, whose labels are not Gaussian: set losses to [square] and noise to 0"
        )
    if (
        feature_covariances.attrs["kind"] == SAMPLES
        and problem.labels in _FIELDS
        and len(np.unique(feature_covariances.field)) == 2
    ):
        raise ConfigError(
            f"labels is {problem.labels!r}, the sign of a Gaussian field, but the field of these covariates has two "
            "values: set labels to 'linear' and losses to [square], the theory of labels with any distribution"
        )
