"""Theory of networks on a mixture with a given first layer, before or after a gradient step.

This is the conditional equivalent: given the first layer, the pre-activations are Gaussian within each cluster. For
many samples and features, ridge regression with an offset on the features has the errors of ridge regression on
Gaussian features with the same second moments.

Source: own derivation from demir2025, equivalent model, and goldt2021, replica solution of ridge regression.
"""

import math
from dataclasses import replace

import numpy as np

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.networks.activations import Activation
from twolayer.model.networks.learning import Losses
from twolayer.theory.one_step.class_error import class_error, isotropic_clusters, second_layer, strong_axes
from twolayer.theory.one_step.mixture_features import mixture_feature_covariances
from twolayer.theory.replica.replica_equations import covariate_spectrum, linear_labels
from twolayer.theory.replica.ridge import ridge_errors


def mixture_ridge(
    mixture: IsotropicMixture,
    first_layer: np.ndarray,
    step: np.ndarray,
    activation: Activation,
    samples: int,
    ridge: float,
    *,
    overlap_order: int,
) -> tuple[Losses, float]:
    """Return the errors of a second layer that ridge regression fits to fresh samples, and its class error.

    Args:
        first_layer: (k, D), after a step. step: (k, D), the change by the step, or the layer itself if there is no
            step.
        samples: m. ridge: lambda, in units of m.
        overlap_order: order of the series of two features' covariance; large steps need more than `optimal_readout`.
    """
    k, dimension = first_layer.shape
    projection = first_layer.T * math.sqrt(dimension)
    feature_covariances, centre = mixture_feature_covariances(
        mixture, projection, overlap_order=overlap_order, activation=activation
    )
    spectrum, problem = covariate_spectrum(feature_covariances), (samples / k, ridge * samples)
    errors = ridge_errors(spectrum, linear_labels(spectrum), *problem)
    second = second_layer(feature_covariances.Omega, feature_covariances.correlation, spectrum, *problem)
    second = replace(second, centre=centre, offset=float(mixture.weights @ mixture.labels))
    axes = strong_axes([np.eye(dimension)[:, : mixture.means.shape[1]]], step)
    along = first_layer @ axes
    across = mixture.variance * (first_layer @ first_layer.T - along @ along.T)
    return errors, class_error(isotropic_clusters(mixture, axes), along, across, activation, second)
