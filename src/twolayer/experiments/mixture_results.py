"""A mixture as a result, and back."""

import numpy as np
import xarray as xr

from twolayer.model.mixtures import SpectralMixture


def to_dataset(mixture: SpectralMixture) -> xr.Dataset:
    """A spectral mixture with the dimensions `cluster` and `mode`."""
    return xr.Dataset(
        {
            "means": (("cluster", "mode"), mixture.means),
            "eigenvalues": ("mode", mixture.eigenvalues),
            "labels": ("cluster", mixture.labels),
            "weights": ("cluster", mixture.weights),
        }
    )


def from_dataset(dataset: xr.Dataset) -> SpectralMixture:
    """The spectral mixture that `to_dataset` wrote."""
    arrays = (np.ascontiguousarray(dataset[name]) for name in ("means", "labels", "weights", "eigenvalues"))
    return SpectralMixture(*arrays)
