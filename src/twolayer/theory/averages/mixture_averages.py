"""Averages over the pre-activations of a two-layer network, for inputs from a Gaussian mixture.

In cluster a the pre-activations of the K hidden units are normal with mean M_a and a covariance, which the clusters may
share. With the error err = label - output and the signal u_k = v_k g'(lambda_k) err that reaches hidden unit k,
everything that the order-parameter equations need is an average over that distribution. `units` defines how the
averages of each activation are computed.

Source: refinetti2021, order-parameter equations.
"""

from dataclasses import dataclass

import numpy as np

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.model.networks.two_layer_networks import LocalFields
from twolayer.theory.averages.gaussian_integrals import output_averages
from twolayer.theory.averages.nodes import Nodes
from twolayer.theory.averages.units import unit_averages

Mixture = IsotropicMixture | SpectralMixture


@dataclass(frozen=True, eq=False)
class LocalFieldAverages:
    """Averages over the pre-activations in each of C clusters; f is the network's output.

    Attributes:
        drive: (C, K) <u_k>.
        response: (C, K, K) <d u_k / d lambda_j>, by which <u_k z> = <u_k> <z> + sum_j response_kj Cov(lambda_j, z).
        noise: (C, K, K) <u_k u_l>.
        readout: (C, K) <err g(lambda_k)>.
        pmse: <err^2> / 2 over the whole mixture.
    """

    drive: np.ndarray
    response: np.ndarray
    noise: np.ndarray
    readout: np.ndarray
    pmse: float


def local_field_averages(fields: LocalFields, mixture: Mixture, nodes: Nodes) -> LocalFieldAverages:
    """Return all averages that the order-parameter equations need.

    Args:
        mixture: defines the labels and weights of the clusters.
        nodes: for the noise, if it has no closed form: relu units use lines, others use points.

    Source: refinetti2021, order-parameter equations.
    """
    average, labels = unit_averages(fields.activation).local_fields, mixture.labels[:, None]
    if fields.covariance.ndim == 2:
        parts = average(fields.M, fields.covariance, fields.v, labels, nodes)
    else:
        distributions = zip(fields.M[:, None], fields.covariance, labels[:, None], strict=True)
        alone = [average(mean, covariance, fields.v, label, nodes) for mean, covariance, label in distributions]
        parts = tuple(np.concatenate(part) for part in zip(*alone, strict=True))
    *averages, squared_error = parts
    return LocalFieldAverages(*averages, 0.5 * float(mixture.weights @ squared_error))


def mixture_pmse(fields: LocalFields, mixture: Mixture) -> float:
    """Return half the mean squared error.

    Source: refinetti2021, population error.
    """
    units, variance = unit_averages(fields.activation), np.diagonal(fields.covariance, axis1=-2, axis2=-1)
    values, products = units.values(fields.M, variance), units.products(fields.M, fields.covariance)
    _, squared_error = output_averages(values, products, fields.v, mixture.labels[:, None])
    return 0.5 * float(mixture.weights @ squared_error)


def classification_error(fields: LocalFields, mixture: Mixture, nodes: Nodes) -> tuple[float, float]:
    """Return the probability of a wrong sign of the output, and the probability of a zero output.

    The first includes half the probability of a zero output.

    Args:
        nodes: linear units need no nodes, relu units use lines, all others use points.

    Source: refinetti2021, classification error; half of a zero output is our convention.
    """
    average = unit_averages(fields.activation).sign_errors
    wrong, zero = average(fields.M, fields.covariance, fields.v, mixture.labels, nodes)
    return float(mixture.weights @ (wrong + 0.5 * zero)), float(mixture.weights @ zero)


def network_errors(fields: LocalFields, mixture: Mixture, nodes: Nodes) -> tuple[float, float, float]:
    """Return pmse, classification error and probability of a zero output; arguments as for `classification_error`."""
    return mixture_pmse(fields, mixture), *classification_error(fields, mixture, nodes)
