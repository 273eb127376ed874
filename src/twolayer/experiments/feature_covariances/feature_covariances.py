"""Covariances of custom features and labels. The set of samples is the whole distribution."""

import math
import warnings

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, SmallSample
from twolayer.experiments.feature_covariances.parameters import CustomFeatureCovariances
from twolayer.experiments.samples import check_samples, never_changes
from twolayer.results.feature_covariances import samples_to_dataset
from twolayer.simulation.teacher_student.moments import sampled_covariances

_LARGEST = 1e14  # largest variance of the features, and the inverse of the smallest
_SPREAD = 0.2  # relative error of eigenvalues that causes no warning


def run(config: CustomFeatureCovariances, features: np.ndarray, labels: np.ndarray) -> xr.Dataset:
    """Return the covariances over all samples, and field and features of each."""
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    check_samples(features, labels, ("features", "labels"))
    if labels.ndim != 1:
        raise ConfigError(f"labels has shape {labels.shape}: give one number for each sample")
    if never_changes(labels.min(), labels.max()):
        raise ConfigError(f"labels are all {labels[0]:g}: give labels that differ between samples")
    (n, d), field = features.shape, labels - labels.mean()
    constant = np.flatnonzero(never_changes(features.min(axis=0), features.max(axis=0)))
    if constant.size == d:
        raise ConfigError("features are constant: give features that differ between samples")
    _check_units(labels, features, config.standardize)
    if config.standardize:
        if constant.size:
            raise ConfigError(
                f"feature {constant[0]} (counted from 0) is constant: leave it out, or set standardize to false"
            )
        features = (features - features.mean(axis=0)) / features.std(axis=0)
    _warn_of_few(n, d)
    measured, mean = sampled_covariances([(field[:, None], features)], np.ones(1), d)
    return samples_to_dataset(measured, field, features - mean).assign_attrs(distribution=f"{n:,} custom samples")


def _check_units(labels, features, standardize):
    """Refuse features and labels whose covariances are outside the range of numbers in results."""
    largest = np.ptp(features, axis=0).max()
    if not (standardize or 1 / _LARGEST <= largest <= _LARGEST):
        raise ConfigError(
            f"features vary by up to {largest:.3g}: give them in another unit, or set standardize to true"
        )
    if not 1 / _LARGEST <= (spread := np.ptp(labels)) <= _LARGEST:
        raise ConfigError(f"labels vary by {spread:.3g}: give them in another unit")


def _warn_of_few(n, d):
    """Warn if there are few samples.

    Eigenvalues of a sampled covariance spread by 2 sqrt(d / n) (Marchenko and Pastur).
    """
    spread = 2 * math.sqrt(d / n)
    if spread > _SPREAD:
        warnings.warn(
            f"{n} samples of {d} features: the eigenvalues of their covariance have errors of about {spread:.0%}, "
            f"like the theory for new samples; {math.ceil(4 * d / _SPREAD**2)} samples would reduce them to "
            f"{_SPREAD:.0%}",
            SmallSample,
            stacklevel=5,
        )
