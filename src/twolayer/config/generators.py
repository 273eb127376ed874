"""Parameters of the tasks that make generators with latents, random and trained."""

from dataclasses import dataclass
from typing import Annotated

from twolayer.config.parsing import Bounds, Count, Seed
from twolayer.errors import ConfigError


@dataclass(frozen=True)
class SignGenerator:
    """Random network of sign units.

    Attributes:
        widths: D, widths of the hidden layers, N.
        seed: of its weights.
    """

    widths: tuple[Count, ...]
    seed: Seed

    def __post_init__(self):
        if len(self.widths) < 2:
            raise ConfigError(f"widths is {list(self.widths)}: give at least two, of the latent and of the input")


@dataclass(frozen=True)
class RandomConvolutions:
    """Convolutional generator of images, with random weights.

    Attributes:
        seed: of its weights, and of the images that tell its statistics.
        latent_size: D. width: of the largest maps.
        doublings: of height and width, from 4 x 4 pixels. colours: of a pixel.
    """

    seed: Seed
    latent_size: Count = 100
    width: Count = 64
    doublings: Count = 3
    colours: Count = 3


@dataclass(frozen=True)
class RandomFlow:
    """Dense normalising flow with random weights.

    Attributes:
        dimension: N = D. couplings: their number.
        seed: of its weights and permutations.
    """

    dimension: Annotated[int, Bounds(at_least=2)]
    seed: Seed
    couplings: Count = 6
