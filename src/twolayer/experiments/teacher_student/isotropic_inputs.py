"""Isotropic Gaussian inputs."""

import xarray as xr

from twolayer.experiments.teacher_student.parameters import IsotropicInputs
from twolayer.model.teachers.teacher_student import GaussianInputs
from twolayer.results.inputs import inputs_to_dataset


def run(config: IsotropicInputs) -> xr.Dataset:
    """Return the inputs, which their dimension defines."""
    return inputs_to_dataset(GaussianInputs(config.dimension))
