"""Mixtures as results, and back."""

import numpy as np
import xarray as xr

from twolayer.model.mixtures import IsotropicMixture, SpectralMixture
from twolayer.results.kinds import kind_of, marked

ISOTROPIC, SPECTRAL = "isotropic mixture", "spectral mixture"


def isotropic_to_dataset(mixture: IsotropicMixture, dimension: int) -> xr.Dataset:
    """An isotropic mixture with the dimensions `cluster` and `axis`, for simulations in N dimensions."""
    clusters = _clusters(mixture, "axis")
    return marked(clusters.assign(variance=mixture.variance, input_dimension=dimension), ISOTROPIC)


def spectral_to_dataset(mixture: SpectralMixture) -> xr.Dataset:
    """A spectral mixture with the dimensions `cluster` and `mode`."""
    return marked(_clusters(mixture, "mode").assign(eigenvalues=("mode", mixture.eigenvalues)), SPECTRAL)


def _clusters(mixture, coordinate):
    return xr.Dataset(
        {
            "means": (("cluster", coordinate), mixture.means),
            "labels": ("cluster", mixture.labels),
            "weights": ("cluster", mixture.weights),
        }
    )


def is_isotropic(dataset: xr.Dataset) -> bool:
    """Which of the two kinds of mixtures a result holds."""
    return kind_of(dataset, ISOTROPIC, SPECTRAL) == ISOTROPIC


def isotropic_mixture(dataset: xr.Dataset) -> IsotropicMixture:
    """What `isotropic_to_dataset` wrote."""
    kind_of(dataset, ISOTROPIC)
    return IsotropicMixture(*_arrays(dataset, "means", "labels", "weights"), float(dataset.variance))


def spectral_mixture(dataset: xr.Dataset) -> SpectralMixture:
    """What `spectral_to_dataset` wrote, or an isotropic mixture in its N dimensions."""
    if is_isotropic(dataset):
        return isotropic_mixture(dataset).embed(int(dataset.input_dimension))
    return SpectralMixture(*_arrays(dataset, "means", "labels", "weights", "eigenvalues"))


def _arrays(dataset, *names):
    return (np.ascontiguousarray(dataset[name]) for name in names)
