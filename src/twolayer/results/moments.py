"""Moments of generated inputs as a result, and back."""

import xarray as xr

from twolayer.model.teacher_student import InputMoments
from twolayer.results.kinds import kind_of, marked

MOMENTS = "moments"
_DIMENSIONS = {
    "mean": "input",
    "latent_mean": "latent",
    "Omega": ("input", "other_input"),
    "Phi": ("input", "latent"),
    "Omega_error": (),
    "Phi_error": (),
}


def moments_to_dataset(moments: InputMoments) -> xr.Dataset:
    """Moments with the dimensions `input` and `latent`."""
    variables = {name: (dimensions, getattr(moments, name)) for name, dimensions in _DIMENSIONS.items()}
    return marked(xr.Dataset(variables), MOMENTS)


def dataset_moments(dataset: xr.Dataset) -> InputMoments:
    """What `moments_to_dataset` wrote."""
    kind_of(dataset, MOMENTS)
    arrays = (dataset[name].values for name in ("mean", "latent_mean", "Omega", "Phi"))
    return InputMoments(*arrays, float(dataset.Omega_error), float(dataset.Phi_error))
