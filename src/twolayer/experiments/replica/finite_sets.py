"""Where the distribution of the covariates is a finite set of samples: what learning from it can claim."""

import warnings

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, SmallSample
from twolayer.experiments.replica.parameters import ConvexProblem
from twolayer.results.feature_covariances import SAMPLES

_ROUNDING = 1e-12  # of a covariance, relative to the largest variance
_FIELDS = ("sign", "probit", "logit")  # labels that are signs of a Gaussian field
_DRAWN = 0.1  # part of the set that may be drawn without a warning; its errors are then a few percent at small ridges


def warn_of_small_set(feature_covariances: xr.Dataset, problem: ConvexProblem) -> None:
    """Warn where training sets are drawn, with replacement, that hold much of all samples there are.

    Warns:
        SmallSample: many samples come twice, of which the theory, for a distribution without atoms, knows nothing.
    """
    if feature_covariances.attrs["kind"] != SAMPLES:
        return
    n, d, ratio = feature_covariances.sizes["sample"], feature_covariances.sizes["feature"], max(problem.sample_ratios)
    if ratio * d > _DRAWN * n:
        warnings.warn(
            f"sample_ratio {ratio:g} draws {ratio * d:.0f} times from a set of {n} samples: theory and simulation part "
            f"where many come twice; stay below a sample_ratio of {_DRAWN * n / d:.2g}, or give more samples",
            SmallSample,
            stacklevel=5,
        )


def check_penalty(feature_covariances: xr.Dataset, problem: ConvexProblem) -> None:
    """Refuse the theory of the penalty l1 if features are correlated.

    Raises:
        ConfigError: Omega is not diagonal.
    """
    if problem.penalty != "l1" or "Omega" not in feature_covariances:
        return
    Omega = feature_covariances.Omega.values
    if np.abs(Omega - np.diag(np.diag(Omega))).max() > _ROUNDING * np.diag(Omega).max():
        raise ConfigError(
            "penalty is 'l1', but Omega of the covariates is not diagonal: the theory of l1 is for independent "
            "features, set penalty to 'l2'"
        )


def check_field(feature_covariances: xr.Dataset, problem: ConvexProblem) -> None:
    """Refuse the theory of a Gaussian field where the field is a label itself.

    Raises:
        ConfigError: the field takes two values, or the Huber loss learns labels of a set.
    """
    if (
        feature_covariances.attrs["kind"] == SAMPLES
        and problem.labels == "linear"
        and (problem.noise or "huber" in problem.losses)
    ):
        raise ConfigError(
            "the covariates are a set of samples, whose labels have any distribution: set losses to [square] and noise "
            "to 0"
        )
    if (
        feature_covariances.attrs["kind"] == SAMPLES
        and problem.labels in _FIELDS
        and len(np.unique(feature_covariances.field)) == 2
    ):
        raise ConfigError(
            f"labels is {problem.labels!r}, the sign of a Gaussian field, and the field of these covariates takes two "
            "values: set labels to 'linear' and losses to [square], which is the theory of labels of any distribution"
        )
