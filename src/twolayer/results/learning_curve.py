"""Learning curves of simulations as a result."""

import logging

import numpy as np
import xarray as xr

from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture, is_even
from twolayer.model.networks.activations import Activation

_ROUNDING = 1e-12  # relative difference below which eigenvalues count as equal
log = logging.getLogger("twolayer")


def with_remark(dataset: xr.Dataset, activation: Activation, mixture: IsotropicMixture | SpectralMixture) -> xr.Dataset:
    """Return the result, with the attribute `remark` and a warning in the log if the network cannot learn the
    mixture."""
    if not (activation.odd and is_even(mixture)):
        return dataset
    remark = f"a network of {activation.name} units is odd and both classes are even: class error 1/2 at all times"
    log.warning(remark)
    return dataset.assign_attrs(remark=remark)


def with_covariances(
    dataset: xr.Dataset, covariance: np.ndarray, mixture: IsotropicMixture | SpectralMixture
) -> xr.Dataset:
    """Return the result with covariances (..., K, K) of the pre-activations, or (..., C, K, K) if clusters differ.

    If a spectral mixture allows it, the overlaps Q are added: the covariance is sigma^2 Q.
    """
    units, leading = ("unit", "other_unit"), dataset.pmse.dims
    if covariance.ndim > len(leading) + 2:
        dataset = dataset.assign(cluster_covariance=((*leading, "cluster", *units), covariance))
        covariance = np.tensordot(covariance, mixture.weights, (len(leading), 0))
    dataset = dataset.assign(field_covariance=((*leading, *units), covariance))
    if isinstance(mixture, IsotropicMixture):
        return dataset
    # the covariance is not a multiple of the identity
    if np.any(np.ptp(mixture.spectra, axis=1) > _ROUNDING * mixture.spectra[:, 0]):
        return dataset
    return dataset.assign(Q=dataset.field_covariance / (mixture.weights @ mixture.spectra[:, 0]))
