"""Parameters of the tasks on images that a network generates."""

from dataclasses import dataclass
from typing import Annotated, Literal

from twolayer.config.one_step import Exponent
from twolayer.config.parsing import Bounds, Count, NonNegative, Positive, Seed
from twolayer.errors import ConfigError

_Class = Annotated[int, Bounds(at_least=0, at_most=9)]


@dataclass(frozen=True)
class ConditionalGan:
    """Training of a conditional generator on the training images of Fashion-MNIST.

    Attributes:
        seed: of initial weights, order of the images, and latents.
        device: `auto` is the GPU where there is one.
        epochs: passes over the images. batch_size: images of either kind in a step.
        learning_rate: of Adam, for both networks.
        hidden: units of the fully connected layers. channels: of the convolutions' smallest maps.
        dataset: the image set.
    """

    seed: Seed
    device: Literal["auto", "cpu", "cuda"]
    epochs: Count = 50
    batch_size: Annotated[int, Bounds(at_least=2)] = 64
    learning_rate: Positive = 2e-4
    hidden: Count = 1024
    channels: Annotated[int, Bounds(at_least=2)] = 128
    dataset: Literal["mnist", "fashion-mnist"] = "fashion-mnist"

    def __post_init__(self):
        if self.channels % 2:
            raise ConfigError(f"channels is {self.channels}: make it even, the larger maps have half as many")


@dataclass(frozen=True)
class ClassStatistics:
    """Moments of two classes of generated images, and examples of them.

    Attributes:
        classes: the two, 0 to 9.
        samples: images of each class. examples: how many of each are kept.
        seed: of the latents and the noise.
        device: `auto` is the GPU where there is one.
    """

    classes: tuple[_Class, ...]
    seed: Seed
    device: Literal["auto", "cpu", "cuda"]
    samples: Annotated[int, Bounds(at_least=2)] = 1_000_000
    examples: Count = 16

    def __post_init__(self):
        if len(set(self.classes)) != 2 or len(self.classes) != 2:
            raise ConfigError(f"classes is {list(self.classes)}: give two different ones")


@dataclass(frozen=True)
class ImageAxes:
    """What a sweep on generated images varies; of several axes, all combinations.

    Attributes:
        width: k / m. step_exponent: log eta / log n.
    """

    width: tuple[Positive, ...] | None = None
    step_exponent: tuple[Exponent, ...] | None = None

    def __post_init__(self):
        if not any(vars(self).values()):
            raise ConfigError(f"no axis is given: give at least one of {', '.join(vars(self))}")


@dataclass(frozen=True)
class ImageSweep:
    """Errors of networks after one gradient step on noisy images of two classes, and of their Hermite models.

    The images are scaled to a total variance of n, and the noise has as much.

    Attributes:
        samples: m, of the step and of the fit each, half of either class; five times as many test the result.
        axes: what is swept.
        trials: number of networks at each point.
        keep_means: the classes keep their means; else they differ in what is left without them.
        width: k / m. step_exponent: log eta / log n. ridge: lambda.
        degree: of the Hermite model. nodes: of its quadrature; null takes as many as it needs.
        draws: `fresh` images for every trial, or one draw `shared` by all, as in the paper.
        seed: of everything.
    """

    samples: Annotated[int, Bounds(at_least=2)]
    axes: ImageAxes
    trials: Annotated[int, Bounds(at_least=2)]
    seed: Seed
    keep_means: bool = False
    width: Positive = 1.0
    step_exponent: Exponent = 0.0
    ridge: NonNegative = 1e-4
    activations: tuple[Literal["relu", "tanh", "sigmoid", "softplus"], ...] = ("relu", "tanh", "sigmoid")
    degree: Count = 4
    nodes: Count | None = 100
    draws: Literal["fresh", "shared"] = "fresh"
