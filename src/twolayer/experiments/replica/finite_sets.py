"""Where the distribution of the covariates is a finite set of samples: what learning from it can claim."""

import warnings

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, SmallSample
from twolayer.experiments.replica.parameters import ConvexProblem
from twolayer.results.feature_covariances import SAMPLES

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


def check_field(feature_covariances: xr.Dataset, problem: ConvexProblem) -> None:
    """Refuse the theory of signs of a Gaussian field where the field is a label itself.

    Raises:
        ConfigError: the field takes two values alone.
    """
    if (
        feature_covariances.attrs["kind"] == SAMPLES
        and problem.labels == "sign"
        and len(np.unique(feature_covariances.field)) == 2
    ):
        raise ConfigError(
            "labels is 'sign', the sign of a Gaussian field, and the field of these covariates takes two values: set "
            "labels to 'linear' and losses to [square], which is the theory of labels of any distribution"
        )
