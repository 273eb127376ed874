"""The spectrum of the features of a result."""

import numpy as np
import xarray as xr

from twolayer.results.feature_covariances import KINDS, SPECTRUM, dataset_covariate_model
from twolayer.results.types import kind_of
from twolayer.theory.replica.replica_equations import Spectrum, covariate_spectrum


def dataset_spectrum(dataset: xr.Dataset) -> Spectrum:
    """Return the spectrum of any covariances."""
    if kind_of(dataset, *KINDS) != SPECTRUM:
        return covariate_spectrum(dataset_covariate_model(dataset))
    eigenvalues, alignments = dataset.eigenvalues.values, dataset.alignments.values
    return Spectrum(float(dataset.power), eigenvalues, alignments, np.full(len(eigenvalues), 1 / len(eigenvalues)))
