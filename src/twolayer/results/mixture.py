"""Mixtures as results, and conversion back."""

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, ResultError
from twolayer.model.mixtures.clusters import Clusters
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.results.types import kind_of, marked

_LARGEST_DIMENSION = 1e12
_MANY = 10  # number of dimensions from which the length of a mean determines the regime
_ROUNDING = 1e-14  # relative difference below which variances count as equal
ISOTROPIC, SPECTRAL = "isotropic mixture", "spectral mixture"
ISOTROPIC_CLASSES, SPECTRAL_CLASSES = "isotropic mixture of classes", "spectral mixture of classes"


def isotropic_to_dataset(mixture: IsotropicMixture, dimension: int | None) -> xr.Dataset:
    """Return an isotropic mixture with the dimensions `cluster` and `axis`, in N dimensions or any number of them."""
    clusters = _clusters(mixture, "axis").assign(variance=("cluster", mixture.variances))
    return marked(clusters if dimension is None else clusters.assign(input_dimension=dimension), ISOTROPIC)


def spectral_to_dataset(mixture: SpectralMixture, directions: np.ndarray | None = None) -> xr.Dataset:
    """Return a spectral mixture with the dimensions `cluster` and `mode`, and `coordinate` if it has bases.

    Args:
        directions: (N, N) eigenvectors in columns, in the coordinates of the inputs; None if these are the modes.
    """
    along = "mode" if mixture.bases is None else "coordinate"
    dims = ("mode",) if mixture.one_covariance else ("cluster", "mode")
    dataset = _clusters(mixture, along).assign(eigenvalues=(dims, mixture.eigenvalues))
    if mixture.bases is not None:
        dataset = dataset.assign(bases=(("cluster", "coordinate", "mode"), mixture.bases))
    if directions is not None and mixture.bases is None:
        dataset = dataset.assign(directions=(("input", "mode"), directions))
    return marked(dataset, SPECTRAL)


def in_input_coordinates(vectors: np.ndarray, dataset: xr.Dataset) -> np.ndarray:
    """Return vectors (..., N) in the modes of a mixture in the coordinates of its inputs."""
    return vectors @ dataset.directions.values.T if "directions" in dataset else vectors


def in_modes(vectors: np.ndarray, dataset: xr.Dataset) -> np.ndarray:
    """Return vectors (..., N) in the coordinates of the inputs in the modes of the mixture."""
    return vectors @ dataset.directions.values if "directions" in dataset else vectors


def _clusters(mixture, coordinate):
    return xr.Dataset(
        {
            "means": (("cluster", coordinate), mixture.means),
            "labels": ("cluster", mixture.labels),
            "weights": ("cluster", mixture.weights),
        }
    )


def classes_to_dataset(clusters: Clusters) -> xr.Dataset:
    """Return a mixture whose labels are numbers of classes, with the dimensions `cluster` and `mode`."""
    dataset = _clusters(clusters, "mode").assign(eigenvalues=(("cluster", "mode"), clusters.variances))
    if clusters.dimension is not None:
        dataset = dataset.assign(input_dimension=clusters.dimension)
    return marked(dataset, ISOTROPIC_CLASSES if clusters.isotropic else SPECTRAL_CLASSES)


def dataset_clusters(dataset: xr.Dataset) -> Clusters:
    """Return the clusters of any mixture, in the common modes of their covariances.

    Raises:
        ConfigError: the covariances do not commute, or means are as long as the inputs.
    """
    kind = kind_of(dataset, ISOTROPIC, SPECTRAL, ISOTROPIC_CLASSES, SPECTRAL_CLASSES)
    if "bases" in dataset:
        raise ConfigError(
            "the covariances of the mixture do not commute, but the equations use common eigenvectors: give "
            "covariances that commute, as one for all clusters"
        )
    means, labels, weights = _arrays(dataset, "means", "labels", "weights")
    variances = dataset.eigenvalues.values if kind != ISOTROPIC else dataset.variance.values[:, None]
    variances = np.broadcast_to(variances, means.shape)
    isotropic = kind in (ISOTROPIC, ISOTROPIC_CLASSES)
    dimension = int(dataset.input_dimension) if "input_dimension" in dataset else None
    if dimension and dimension >= _MANY and np.max(np.sum(means**2, axis=1)) > dimension / 2:
        raise ConfigError(
            "means of the mixture are about as long as the root of its dimension: the theory needs means of a length "
            "near 1: scale the means, or set regime to 'low'"
        )
    return Clusters(means, variances, labels, weights, isotropic, dimension)


def is_isotropic(dataset: xr.Dataset) -> bool:
    """Return whether a result is an isotropic mixture instead of a spectral one."""
    return kind_of(dataset, ISOTROPIC, SPECTRAL) == ISOTROPIC


def known_dimension(dataset: xr.Dataset) -> int | None:
    """Return the dimension N of the inputs, or None if a mixture has any number of dimensions.

    Raises:
        ResultError: it is not a whole number of at least 1.
    """
    if not is_isotropic(dataset):
        return dataset.sizes["mode"]
    if "input_dimension" not in dataset:
        return None
    dimension = float(dataset.input_dimension)
    if not (1 <= dimension <= _LARGEST_DIMENSION and dimension.is_integer()):
        raise ResultError(f"input_dimension of the mixture is {dimension:g}: it must be a whole number of at least 1")
    return int(dimension)


def isotropic_mixture(dataset: xr.Dataset) -> IsotropicMixture:
    """Return the isotropic mixture from `isotropic_to_dataset`."""
    kind_of(dataset, ISOTROPIC)
    return IsotropicMixture(*_arrays(dataset, "means", "labels", "weights"), stored_variance(dataset))


def stored_variance(dataset: xr.Dataset) -> float | np.ndarray:
    """Return the variance of the noise of isotropic clusters, a number if all clusters share it."""
    variance = np.atleast_1d(dataset.variance)
    same = np.ptp(variance) <= _ROUNDING * variance.max()
    return float(variance[0]) if same else np.ascontiguousarray(variance)


def spectral_mixture(dataset: xr.Dataset, dimension: int) -> SpectralMixture:
    """Return the mixture from `spectral_to_dataset`, or an isotropic mixture in a given dimension."""
    if is_isotropic(dataset):
        return isotropic_mixture(dataset).embed(dimension)
    names = ("means", "labels", "weights", "eigenvalues", "bases")
    return SpectralMixture(*_arrays(dataset, *(name for name in names if name in dataset)))


def _arrays(dataset, *names):
    return (np.ascontiguousarray(dataset[name]) for name in names)
