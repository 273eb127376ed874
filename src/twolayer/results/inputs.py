"""Gaussian inputs as a result, and conversion back."""

import xarray as xr

from twolayer.model.teachers.teacher_student import GaussianInputs
from twolayer.results.moments import MOMENTS, dataset_moments, moments_to_dataset
from twolayer.results.types import kind_of, marked

_ISOTROPIC, _COVARIANCE = "isotropic inputs", "inputs of a covariance"


def inputs_to_dataset(inputs: GaussianInputs) -> xr.Dataset:
    """Return inputs as a result: their dimension, covariance or moments."""
    if inputs.covariance is not None:
        return marked(xr.Dataset({"covariance": (("input", "other_input"), inputs.covariance)}), _COVARIANCE)
    if inputs.moments is not None:
        return moments_to_dataset(inputs.moments)
    return marked(xr.Dataset({"input_dimension": inputs.dimension}), _ISOTROPIC)


def gaussian_inputs(dataset: xr.Dataset) -> GaussianInputs:
    """Return inputs from `inputs_to_dataset`, or the inputs with the moments of a generator."""
    kind = kind_of(dataset, _ISOTROPIC, _COVARIANCE, MOMENTS)
    if kind == _ISOTROPIC:
        return GaussianInputs(int(dataset.input_dimension))
    if kind == _COVARIANCE:
        return GaussianInputs(dataset.sizes["input"], covariance=dataset.covariance.values)
    return GaussianInputs(dataset.sizes["input"], moments=dataset_moments(dataset))
