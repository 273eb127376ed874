"""Features and labels of one's own, as covariates for theory and simulation of learning by a convex loss."""

import math
import time
import warnings

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from twolayer.errors import ConfigError, SmallSample
from twolayer.experiments import TASKS
from twolayer.io import made_by
from twolayer.library.arrays import samples_and_targets
from twolayer.results.covariates import samples_to_dataset
from twolayer.simulation.sampled_covariates import sampled_covariates

_SPREAD = 0.2  # relative error of eigenvalues that goes without a warning


def covariates(features: ArrayLike, labels: ArrayLike) -> xr.Dataset:
    """Covariances of features and labels of one's own, measured from samples, for `replica` and `convex_learning`.

    Features and labels are centred. The labels may be of any law, as -1 and 1: their theory is that of
    `ConvexProblem(labels="linear", losses=["square"])`, which sees no more of them than these covariances.

    Args:
        features: (n, d), a sample a row. labels: (n,).

    Returns: a Dataset with
        Psi: variance of the labels. Phi (latent, feature): covariance of labels and features.
        Omega (feature, other_feature): covariance of the features. teacher: 1.
        field (sample): the labels. features (sample, feature): the features; both centred.

    Raises:
        ConfigError: the arrays hold something else than finite numbers, or do not fit together.

    Warns:
        SmallSample: there are so few samples that the eigenvalues of Omega are off by more than a fifth.
    """
    start = time.perf_counter()
    inputs, targets = samples_and_targets(features, labels, ("features", "labels"))
    if targets.ndim != 1:
        raise ConfigError(f"labels has shape {targets.shape}: give one number for each sample")
    if np.ptp(targets) == 0:
        raise ConfigError(f"labels are all {targets[0]:g}: there is nothing to learn")
    (n, d), field = inputs.shape, targets - targets.mean()
    if (spread := 2 * math.sqrt(d / n)) > _SPREAD:
        warnings.warn(
            f"{n} samples of {d} features: the eigenvalues of their covariance are off by {spread:.0%} or so, and the "
            f"theory with it; {math.ceil(4 * d / _SPREAD**2)} samples would make it {_SPREAD:.0%}",
            SmallSample,
            stacklevel=2,
        )
    measured, mean = sampled_covariates([(field[:, None], inputs)], np.ones(1), d)
    dataset = samples_to_dataset(measured, field, inputs - mean).assign_attrs(law=f"{n:,} samples of one's own")
    dataset = TASKS["image_feature_covariates"].result.complete(dataset, None)  # which has the same variables
    return made_by(dataset, "covariates", "{}", time.perf_counter() - start)
