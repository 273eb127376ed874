"""Mixtures in the form of a student's inputs."""

import xarray as xr

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.parameters import Student
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.results.mixture import is_isotropic, isotropic_mixture, spectral_mixture


def seen_by(student: Student, mixture: IsotropicMixture) -> IsotropicMixture:
    """Return the mixture, with a constant input if the student has biases."""
    return mixture.with_constant_input() if student.bias else mixture


def isotropic_inputs(mixture: xr.Dataset, student: Student) -> IsotropicMixture:
    """Return an isotropic mixture as the inputs of a student."""
    return seen_by(student, isotropic_mixture(mixture))


def spectral_inputs(mixture: xr.Dataset, student: Student, dimension: int) -> SpectralMixture:
    """Return any mixture with a given dimension as the inputs of a student.

    Raises:
        ConfigError: the student has biases, and the mixture is not isotropic.
    """
    if is_isotropic(mixture):
        return isotropic_inputs(mixture, student).embed(dimension)
    if student.bias:
        raise ConfigError("bias is true: biases are defined only for isotropic mixtures: set it to false")
    return spectral_mixture(mixture, dimension)
