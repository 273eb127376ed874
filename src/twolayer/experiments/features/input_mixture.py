"""The mixture of the inputs of random features."""

import xarray as xr

from twolayer.errors import ConfigError
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture, SpectralMixture
from twolayer.results.mixture import is_isotropic, isotropic_mixture, known_dimension, spectral_mixture


def mixture_of_inputs(mixture: xr.Dataset) -> tuple[IsotropicMixture | SpectralMixture, int]:
    """Return any mixture, and its dimension D.

    Raises:
        ConfigError: the mixture has no dimension.
    """
    dimension = known_dimension(mixture)
    if dimension is None:
        raise ConfigError("the mixture has no dimension, which random features need: give it a dimension")
    return isotropic_mixture(mixture) if is_isotropic(mixture) else spectral_mixture(mixture, dimension), dimension
