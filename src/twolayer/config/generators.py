"""Parameters of the tasks that make generators with latents, random and trained."""

from dataclasses import dataclass
from typing import Annotated, Literal

from twolayer.config.parsing import Bounds, Count, Positive, Seed
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


@dataclass(frozen=True)
class _ImageLearner:
    """What trainings of generators on images have in common.

    Attributes:
        seed: of initial weights, order of the images, and all else that is drawn.
        device: `auto` is the GPU where there is one.
        dataset: the image set, of which the training images are used.
        size: height and width, to which the images are averaged. Those of 28 x 28 are framed to 32 x 32 first.
        grey: whether the colours are averaged.
        epochs: passes over the images. batch_size: images in a step.
    """

    seed: Seed
    device: Literal["auto", "cpu", "cuda"]
    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin"
    size: Literal[8, 16, 32] = 32
    grey: bool = False
    epochs: Count = 25
    batch_size: Annotated[int, Bounds(at_least=2)] = 128


@dataclass(frozen=True)
class TrainedGenerator(_ImageLearner):
    """Training of a convolutional generator against a discriminator.

    Attributes:
        latent_size: D. width: of the largest maps, of both networks.
        learning_rate, discriminator_rate: of Adam, for the generator and for its discriminator.
    """

    latent_size: Count = 100
    width: Count = 64
    learning_rate: Positive = 2e-4
    discriminator_rate: Positive = 2e-4


@dataclass(frozen=True)
class TrainedFlow(_ImageLearner):
    """Training of a normalising flow of images by maximum likelihood.

    Attributes:
        width: maps of the networks on the large scale; on the small one there are twice as many.
        blocks: residual blocks of each network.
        learning_rate: of Adam.
    """

    width: Count = 16
    blocks: Count = 2
    learning_rate: Positive = 1e-3
