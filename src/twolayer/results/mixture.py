"""Mixtures: from a config, as a result, and back."""

import numpy as np
import xarray as xr

from twolayer.experiments.mixtures.parameters import Geometry
from twolayer.model.mixtures import IsotropicMixture, SpectralMixture, circle, from_means, three_clusters


def build(geometry: Geometry, sigma: float, dimension: int | None = None) -> IsotropicMixture:
    """The isotropic mixture of that geometry and noise; regimes of high signal-to-noise need the dimension N."""
    if geometry.shape == "own":
        return from_means(geometry.means, geometry.labels, geometry.weights, sigma**2)
    law = (sigma**2, geometry.positive_fraction, geometry.regime, dimension)
    if geometry.shape == "three_clusters":
        return three_clusters(*law)
    return circle(geometry.clusters_per_class, *law)


def isotropic_to_dataset(mixture: IsotropicMixture, dimension: int) -> xr.Dataset:
    """An isotropic mixture with the dimensions `cluster` and `axis`, for simulations in N dimensions."""
    return _clusters(mixture, "axis").assign(variance=mixture.variance, input_dimension=dimension)


def spectral_to_dataset(mixture: SpectralMixture) -> xr.Dataset:
    """A spectral mixture with the dimensions `cluster` and `mode`."""
    return _clusters(mixture, "mode").assign(eigenvalues=("mode", mixture.eigenvalues))


def _clusters(mixture, coordinate):
    return xr.Dataset(
        {
            "means": (("cluster", coordinate), mixture.means),
            "labels": ("cluster", mixture.labels),
            "weights": ("cluster", mixture.weights),
        }
    )


def is_isotropic(dataset: xr.Dataset) -> bool:
    """Which of the two kinds a result holds."""
    return "variance" in dataset


def isotropic_mixture(dataset: xr.Dataset) -> IsotropicMixture:
    """What `isotropic_to_dataset` wrote."""
    return IsotropicMixture(*_arrays(dataset, "means", "labels", "weights"), float(dataset.variance))


def spectral_mixture(dataset: xr.Dataset) -> SpectralMixture:
    """What `spectral_to_dataset` wrote, or an isotropic mixture in its N dimensions."""
    if is_isotropic(dataset):
        return isotropic_mixture(dataset).embed(int(dataset.input_dimension))
    return SpectralMixture(*_arrays(dataset, "means", "labels", "weights", "eigenvalues"))


def _arrays(dataset, *names):
    return (np.ascontiguousarray(dataset[name]) for name in names)
