"""Parameters of the tasks on generators, and on learning from what they generate."""

from typing import Literal

from twolayer.errors import ConfigError
from twolayer.experiments.tasks import task
from twolayer.parameters import Count, Device, Positive, Seed, Several, checked
from twolayer.results.layout import Layout

GENERATORS = (  # tasks that make one
    "sign_generator convolutional_generator dense_flow trained_generator published_generator trained_flow "
    "named_generator"
)


# Parts of layouts.
_EXAMPLES = {
    "training_example colour row column": "original",
    "example colour row column": "generated",
    "": "brightness_gap images",
}


@task("sign_generator", result=Layout({}, weights=True))
@checked
class SignGenerator:
    """Random network of sign units.

    Attributes:
        widths: D, widths of the hidden layers, N.
        seed: of its weights.
    """

    widths: tuple[Count, ...]
    seed: Seed = 0

    def __post_init__(self):
        if len(self.widths) < 2:
            raise ConfigError(f"widths is {list(self.widths)}: give at least two, of the latent and of the input")


@task(
    "convolutional_generator",
    result=Layout(
        {"example colour row column": "generated"},
        weights=True,
    ),
)
@checked
class RandomConvolutions:
    """Convolutional generator of images, with random weights.

    Attributes:
        seed: of its weights, and of the images that tell its statistics.
        latent_size: D. width: of the largest maps.
        doublings: of height and width, from 4 x 4 pixels. colours: of a pixel.
    """

    seed: Seed = 0
    latent_size: Count = 100
    width: Count = 64
    doublings: Count = 3
    colours: Count = 3


@task("dense_flow", result=Layout({}, weights=True))
@checked
class RandomFlow:
    """Dense normalising flow with random weights.

    Attributes:
        dimension: N = D. couplings: their number.
        seed: of its weights and permutations.
    """

    dimension: Several
    seed: Seed = 0
    couplings: Count = 6


@checked
class _ImageLearner:
    """What trainings of generators on images have in common; those say what each is."""

    seed: Seed = 0
    device: Device = "auto"
    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin"
    size: Literal[8, 16, 32] = 32
    grey: bool = False
    epochs: Count = 25
    batch_size: Several = 128


@task(
    "trained_generator",
    images=("train",),
    resumes=True,
    result=Layout(
        {
            "epoch": "discriminator_loss generator_loss",
            **_EXAMPLES,
        },
        labels={"epoch": "epochs"},
        weights=True,
    ),
)
@checked
class TrainedGenerator(_ImageLearner):
    """Training of a convolutional generator against a discriminator.

    Attributes:
        seed: of initial weights, order of the images, and all else that is drawn.
        device: `auto` is the GPU where there is one.
        dataset: the image set, of which the training images are used.
        size: height and width, to which the images are averaged. Those of 28 x 28 are framed to 32 x 32 first.
        grey: whether the colours are averaged.
        epochs: passes over the images. batch_size: images in a step.
        latent_size: D. width: of the largest maps, of both networks.
        learning_rate, discriminator_rate: of Adam, for the generator and for its discriminator.
    """

    latent_size: Count = 100
    width: Count = 64
    learning_rate: Positive = 2e-4
    discriminator_rate: Positive = 2e-4


@task("published_generator", images=("train", "generator"), result=Layout(_EXAMPLES, weights=True))
@checked
class PublishedGenerator:
    """The convolutional generator that the authors trained on CIFAR-10, from their file.

    Attributes:
        seed: of the examples.
        dataset: whose training images it learned from.
    """

    seed: Seed = 0
    dataset: Literal["cifar-10-batches-bin"] = "cifar-10-batches-bin"


@task(
    "trained_flow",
    images=("train",),
    resumes=True,
    result=Layout(
        {
            "epoch": "bits",
            **_EXAMPLES,
        },
        labels={"epoch": "epochs"},
        weights=True,
    ),
)
@checked
class TrainedFlow(_ImageLearner):
    """Training of a normalising flow of images by maximum likelihood.

    Attributes:
        seed: of initial weights, order of the images, and all else that is drawn.
        device: `auto` is the GPU where there is one.
        dataset: the image set, of which the training images are used.
        size: height and width, to which the images are averaged. Those of 28 x 28 are framed to 32 x 32 first.
        grey: whether the colours are averaged.
        epochs: passes over the images. batch_size: images in a step.
        width: maps of the networks on the large scale; on the small one there are twice as many.
        blocks: residual blocks of each network.
        learning_rate: of Adam.
    """

    width: Count = 16
    blocks: Count = 2
    learning_rate: Positive = 1e-3


@task("named_generator", files=("weights",), modules=("module",), result=Layout({}, weights=True))
@checked
class NamedGeneratorParameters:
    """A custom generator: a torch module by its name, or one of ours with weights from a file.

    The module's code is imported by the jobs that use it, and by no other. Weights are read from safetensors, which
    hold no code.

    Attributes:
        module: `package.module:function`, a function of no arguments that returns the module, from latents (b, D) to
            inputs, (b, N) or images (b, colours, height, width); null for one of ours.
        latent_size: D.
        architecture: of ours; null for a module.
        weights: path of its weights, a safetensors file.
        width, doublings, colours: of a convolutional one. couplings: of a dense flow.
    """

    latent_size: Count
    module: str | None = None
    architecture: Literal["convolutional", "dense_flow"] | None = None
    weights: str | None = None
    width: Count = 64
    doublings: Count = 3
    colours: Count = 3
    couplings: Count = 6

    def __post_init__(self):
        if (self.module is None) == (self.architecture is None):
            raise ConfigError("a generator is a module, or one of ours: give either module or architecture")
        if (self.architecture is None) != (self.weights is None):
            raise ConfigError("weights belong to an architecture of ours: give both, or neither")
