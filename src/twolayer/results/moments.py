"""Moments of generated inputs as a result, and conversion back."""

from typing import TYPE_CHECKING

import xarray as xr

from twolayer.errors import ConfigError
from twolayer.model.teachers.teacher_student import InputMoments
from twolayer.results.types import kind_of, marked

if TYPE_CHECKING:
    from twolayer.model.generators.latent_generators import LatentGenerator

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
    """Return moments with the dimensions `input` and `latent`."""
    variables = {name: (dimensions, getattr(moments, name)) for name, dimensions in _DIMENSIONS.items()}
    return marked(xr.Dataset(variables), MOMENTS)


def dataset_moments(dataset: xr.Dataset, generator: "LatentGenerator | None" = None) -> InputMoments:
    """Return the moments from `moments_to_dataset`.

    Args:
        generator: generator of the inputs, if its sizes are to be checked.

    Raises:
        ConfigError: the generator has other sizes.
    """
    kind_of(dataset, MOMENTS)
    if generator is not None:
        ours, theirs = (dataset.sizes["latent"], dataset.sizes["input"]), (generator.latent_size, generator.output_size)
        if ours != theirs:
            raise ConfigError(
                f"moments have {ours[0]} latents and {ours[1]} inputs, but generator has {theirs[0]} and {theirs[1]}"
                ": give the moments of this generator"
            )
    arrays = (dataset[name].values for name in ("mean", "latent_mean", "Omega", "Phi"))
    return InputMoments(*arrays, float(dataset.Omega_error), float(dataset.Phi_error))
