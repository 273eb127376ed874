"""Random features of a mixture as a Gaussian covariate model, whose field is the label."""

import numpy as np

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.networks.activations import Activation
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.theory.mixtures.random_features import feature_covariance, feature_moments, projection_overlaps


def mixture_feature_covariances(
    mixture: IsotropicMixture, projection: np.ndarray, *, overlap_order: int, activation: Activation
) -> tuple[CovariateModel, np.ndarray]:
    """Return the covariances of the centred features and the centred label, which determine the square loss.

    Args:
        projection: (D, d). overlap_order: as for `optimal_readout`.

    Returns: the covariates, with p = 1, and the mean features (d,).
    """
    weights, labels = mixture.weights, mixture.labels - mixture.weights @ mixture.labels
    moments = feature_moments(mixture, projection, overlap_order=overlap_order, activation=activation)
    mean = weights @ moments.mean
    centred = moments.mean - mean
    half = feature_covariance(projection_overlaps(projection), moments.coefficients, moments.variance, centred, weights)
    Omega = np.tril(half) + np.tril(half, -1).T
    power, correlation = weights @ labels**2, (weights * labels) @ centred
    return CovariateModel(np.array([[power]]), correlation[None], Omega, np.ones(1)), mean
