"""Learning curves of simulations as a result."""

import logging
from collections.abc import Sequence

import numpy as np
import xarray as xr

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture, is_even
from twolayer.model.networks.activations import Activation
from twolayer.model.networks.two_layer_networks import LocalFields
from twolayer.theory.averages.mixture_averages import network_errors
from twolayer.theory.averages.nodes import Nodes, changes_around

_ROUNDING = 1e-12  # relative difference of eigenvalues that are the same
log = logging.getLogger("twolayer")


def with_remark(dataset: xr.Dataset, activation: Activation, mixture: IsotropicMixture | SpectralMixture) -> xr.Dataset:
    """The result, with the attribute `remark` and a warning in the log where the network cannot learn the mixture."""
    if not (activation.odd and is_even(mixture)):
        return dataset
    remark = f"a network of {activation.name} units is odd and both classes are even: class error 1/2 at all times"
    log.warning(remark)
    return dataset.assign_attrs(remark=remark)


def with_covariances(
    dataset: xr.Dataset, covariance: np.ndarray, mixture: IsotropicMixture | SpectralMixture
) -> xr.Dataset:
    """The result with the covariance of the pre-activations (..., K, K), or (..., C, K, K) where clusters differ.

    The overlaps Q come with it where a spectral mixture lets it tell them: it is sigma^2 Q.
    """
    units, leading = ("unit", "other_unit"), dataset.pmse.dims
    if covariance.ndim > len(leading) + 2:
        dataset = dataset.assign(cluster_covariance=((*leading, "cluster", *units), covariance))
        covariance = np.tensordot(covariance, mixture.weights, (len(leading), 0))
    dataset = dataset.assign(field_covariance=((*leading, *units), covariance))
    if isinstance(mixture, IsotropicMixture):
        return dataset
    if np.any(np.ptp(mixture.spectra, axis=1) > _ROUNDING * mixture.spectra[:, 0]):  # no multiple of the identity
        return dataset
    return dataset.assign(Q=dataset.field_covariance / (mixture.weights @ mixture.spectra[:, 0]))


def simulations_to_dataset(
    times: np.ndarray,
    paths: Sequence[Sequence[LocalFields]],
    mixture: IsotropicMixture | SpectralMixture,
    nodes: Nodes,
    other_nodes: Nodes,
) -> xr.Dataset:
    """Order parameters of several runs, and the errors that they imply: there is no test set.

    The quadrature error of the class error comes from the first run, whose nodes are those of the other runs.

    Args:
        times: (T,). paths: distribution of the pre-activations at each of the times, of each run.
        other_nodes: as many as the nodes, and independent of them.
    """
    errors = [[network_errors(distribution, mixture, nodes) for distribution in path] for path in paths]
    M, covariance, v = (
        np.array([[getattr(distribution, name) for distribution in path] for path in paths])
        for name in ("M", "covariance", "v")
    )
    again = [network_errors(distribution, mixture, other_nodes)[1] for distribution in paths[0]]
    variables = {
        "quadrature_error": ("time", changes_around(np.array(again) - [error[1] for error in errors[0]])),
        **{name: (("seed", "time"), values) for name, values in zip(_ERRORS, np.moveaxis(errors, -1, 0), strict=True)},
        "M": (("seed", "time", "cluster", "unit"), M),
        "v": (("seed", "time", "unit"), v),
    }
    dataset = xr.Dataset(variables, coords={"time": times})
    return with_remark(with_covariances(dataset, covariance, mixture), paths[0][0].activation, mixture)


_ERRORS = ("pmse", "class_error", "zero_probability")
