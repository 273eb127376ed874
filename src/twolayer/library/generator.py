"""A custom torch module as the generator of inputs."""

from typing import Any

from torch import nn

from twolayer.errors import ConfigError, shown
from twolayer.model.generators.custom_generators import Generator
from twolayer.model.generators.latent_generators import LatentGenerator


def as_latent_generator(given: Any) -> LatentGenerator | None:
    """Return the generator of an object, or None if the object is not a generator.

    Raises:
        ConfigError: the object is a module without `latent_size`.
    """
    if isinstance(given, LatentGenerator):
        return given.eval()
    if not isinstance(given, nn.Module):
        return None
    if not hasattr(given, "latent_size"):
        raise ConfigError(
            f"generator is {shown(given)}, which has no latent_size: give a Generator(module, latent_size)"
        )
    return Generator(given, given.latent_size)
