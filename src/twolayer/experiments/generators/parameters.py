"""Parameters of the tasks on generators, and on learning from generated inputs."""

from typing import Annotated, Literal, get_args

from twolayer.errors import ConfigError
from twolayer.experiments.tasks import task
from twolayer.model.networks.names import LayerActivation
from twolayer.parameters import Bounds, Count, Device, Positive, Seed, Several, checked
from twolayer.results.layout import Layout

GENERATORS = (  # tasks that create a generator
    "sign_generator dense_generator convolutional_generator dense_flow trained_generator published_generator "
    "trained_flow named_generator"
)
Case = Literal["generic", "few_latents", "localised", "low_rank", "smooth", "smooth_positive"]


# Parts of layouts.
_EXAMPLES = {
    "training_example colour row column": "original",
    "example colour row column": "generated",
    "": "brightness_gap images",
}


@checked
class _Layers:
    """The sizes of the layers of a dense network."""

    widths: tuple[Count, ...]

    def __post_init__(self):
        if len(self.widths) < 2:
            raise ConfigError(f"widths is {list(self.widths)}: give at least two, the latent and the input dimension")


@task("sign_generator", result=Layout({}, weights=True))
@checked
class SignGenerator(_Layers):
    """Create a random network of sign units.

    Attributes:
        widths: D, widths of the hidden layers, N.
        seed: of its weights.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.sign_generator(widths=[20, 50])
        >>> moments = tl.moments(generator)
        >>> moments.Phi.shape, float(moments.Omega[0, 0].round(3))
        ((50, 20), 1.0)

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    seed: Seed = 0


@task("dense_generator", result=Layout({}, weights=True))
@checked
class DenseGenerator(_Layers):
    """Create a random network of dense layers with any activation; one layer is x = s(F c).

    Attributes:
        widths: D, widths of the hidden layers, N.
        activation: of all layers; erf means erf(x / sqrt 2).
        seed: of its weights.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.dense_generator(widths=[20, 40], activation="relu")
        >>> moments = tl.moments(generator, samples=5000)
        >>> bool(moments["mean"].min() > 0)
        True

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    activation: LayerActivation = "erf"
    seed: Seed = 0


@task("convolutional_generator", result=Layout({"example colour row column": "generated"}, weights=True))
@checked
class RandomConvolutions:
    """Create a convolutional generator of images, with random weights.

    Attributes:
        seed: seed of its weights, and of the images for its statistics.
        latent_size: D. width: width of the largest maps.
        doublings: number of doublings of height and width, from 4 x 4 pixels. colours: number of colours.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.convolutional_generator(latent_size=10, width=8, doublings=1, colours=1)
        >>> dict(generator.generated.sizes)
        {'example': 64, 'colour': 1, 'row': 8, 'column': 8}

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    seed: Seed = 0
    latent_size: Count = 100
    width: Count = 64
    doublings: Count = 3
    colours: Count = 3


@task("dense_flow", result=Layout({}, weights=True))
@checked
class RandomFlow:
    """Create a dense normalising flow with random weights.

    Attributes:
        dimension: N = D. couplings: number of couplings.
        seed: of its weights and permutations.

    Example:
        >>> import twolayer as tl
        >>> flow = tl.dense_flow(dimension=6, couplings=2)
        >>> tl.moments(flow, samples=1000).Omega.shape
        (6, 6)

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    dimension: Several
    seed: Seed = 0
    couplings: Count = 6


@checked
class _ImageLearner:
    """Parameters that all tasks for training a generator on images share."""

    seed: Seed = 0
    device: Device = "auto"
    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin"
    size: Literal[8, 16, 32] = 32
    grey: bool = False
    epochs: Count = 25
    batch_size: Several = 128
    stored: str | None = None


@task(
    "trained_generator",
    images=("train",),
    files=("stored",),
    resumes=True,
    training=True,
    result=Layout(
        {"epoch": "discriminator_loss generator_loss", **_EXAMPLES}, labels={"epoch": "epochs"}, weights=True
    ),
)
@checked
class TrainedGenerator(_ImageLearner):
    """Train a convolutional generator against a discriminator.

    Attributes:
        seed: seed of initial weights, order of the images, and all other random numbers.
        device: `auto` is the GPU if there is one.
        dataset: the image set, whose training images are used.
        size: height and width after averaging. Images of 28 x 28 get a frame to 32 x 32 first.
        grey: whether to average the colours.
        epochs: number of epochs. batch_size: number of images in a step.
        stored: file of a training with these parameters, from `workflow/scripts/store_training.py`. Then no network is
            trained.
        latent_size: D. width: width of the largest maps of both networks.
        learning_rate, discriminator_rate: learning rates of Adam for the generator and for the discriminator.

    Example:
        >>> import twolayer as tl
        >>> sizes = {"size": 8, "grey": True, "epochs": 1, "batch_size": 200, "width": 4, "device": "cpu"}
        >>> generator = tl.trained_generator("images", dataset="mnist", latent_size=5, **sizes)
        >>> int(generator.images), dict(generator.generated.sizes)
        (2000, {'example': 64, 'colour': 1, 'row': 8, 'column': 8})

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    latent_size: Count = 100
    width: Count = 64
    learning_rate: Positive = 2e-4
    discriminator_rate: Positive = 2e-4


@task("published_generator", images=("train", "generator"), result=Layout(_EXAMPLES, weights=True))
@checked
class PublishedGenerator:
    """Load the convolutional generator that the authors trained on CIFAR-10, from the published file.

    Attributes:
        seed: of the examples.
        dataset: image set whose training images it was trained on.

    Example:
        >>> import twolayer as tl
        >>> try:
        ...     generator = tl.published_generator("images")
        ... except tl.DataError as error:
        ...     print(str(error).partition(" (")[0])
        images/cifar-10-batches-bin/dcgan_cifar10_weights.pth cannot be read

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    seed: Seed = 0
    dataset: Literal["cifar-10-batches-bin"] = "cifar-10-batches-bin"


@task(
    "trained_flow",
    images=("train",),
    files=("stored",),
    resumes=True,
    training=True,
    result=Layout({"epoch": "bits", **_EXAMPLES}, labels={"epoch": "epochs"}, weights=True),
)
@checked
class TrainedFlow(_ImageLearner):
    """Train a normalising flow of images by maximum likelihood.

    Attributes:
        seed: seed of initial weights, order of the images, and all other random numbers.
        device: `auto` is the GPU if there is one.
        dataset: the image set, whose training images are used.
        size: height and width after averaging. Images of 28 x 28 get a frame to 32 x 32 first.
        grey: whether to average the colours.
        epochs: number of epochs. batch_size: number of images in a step.
        stored: file of a training with these parameters, from `workflow/scripts/store_training.py`. Then no network is
            trained.
        width: maps of the networks on the large scale; the small scale has twice as many.
        blocks: residual blocks of each network.
        learning_rate: learning rate of Adam.

    Example:
        >>> import twolayer as tl
        >>> sizes = {"size": 8, "grey": True, "epochs": 1, "batch_size": 200, "width": 4, "device": "cpu"}
        >>> flow = tl.trained_flow("images", dataset="mnist", blocks=1, **sizes)
        >>> int(flow.images), dict(flow.generated.sizes)
        (2000, {'example': 64, 'colour': 1, 'row': 8, 'column': 8})

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
    """

    width: Count = 16
    blocks: Count = 2
    learning_rate: Positive = 1e-3


@task(
    "sliced_maximum",
    result=Layout(
        {
            "seed case dimension": "distance skewness kurtosis generator_term largest_weight bound",
            "seed": "null_distance",
        },
        labels={"case": "cases", "dimension": "sizes", "seed": "seeds"},
        meanings={
            "distance": "largest Wasserstein-1 distance of a combination of pre-activations from a Gaussian",
            "skewness": "third cumulant along the direction of the largest distance",
            "kurtosis": "excess kurtosis along the direction of the largest distance",
            "null_distance": "the same distance of as many Gaussian samples",
        },
    ),
)
@checked
class SlicedMaximum:
    """Find the combination of pre-activations that is farthest from a normal distribution, at several sizes.

    The pre-activations of student and teacher are whitened by their sample covariance, so that the distance measures
    the shape.
    The generator is one layer, x = s(F c), of sign units or of the smooth units s(z) = softplus(2 z) / 2.

    Attributes:
        cases: weights, see `model.teachers.equivalence_cases`. `smooth` has smooth units and weights of random sign;
            `smooth_positive` has smooth units and positive weights of the student.
        sizes: N. latent_ratio: D / N.
        hidden_units: K. teacher_units: M.
        samples: inputs of each draw.
        seeds: number of draws of all weights.
        seed: seed of all random numbers.

    Example:
        >>> import twolayer as tl
        >>> found = tl.sliced_maximum(cases=["localised"], sizes=[64], samples=5000, seeds=2)
        >>> bool(abs(found.distance - 0.535).max() < 0.02)  # of +-1 from the normal distribution
        True

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
        nourdin2009: Nourdin, Peccati and Reinert, Journal of Functional Analysis 257.
    """

    sizes: tuple[Annotated[int, Bounds(at_least=4, at_most=10**5)], ...]
    samples: Annotated[int, Bounds(at_least=100)]
    seeds: Several
    seed: Seed = 0
    cases: tuple[Case, ...] = get_args(Case)
    latent_ratio: Positive = 0.5
    hidden_units: Count = 2
    teacher_units: Count = 2

    def __post_init__(self):
        if self.hidden_units > min(self.sizes):
            raise ConfigError(
                f"hidden_units is {self.hidden_units}, but the smallest size is {min(self.sizes)}: use at most as "
                "many units"
            )


@task("named_generator", files=("weights",), modules=("module",), result=Layout({}, weights=True))
@checked
class NamedGeneratorParameters:
    """Load a custom generator: a torch module by its name, or weights of an architecture of this package.

    Only the jobs that use the module import its code. Weights are read from safetensors, which contain no code.

    Attributes:
        module: `package.module:function`, a function without arguments that returns the module, which maps latents (b,
            D) to inputs, (b, N) or images (b, colours, height, width); null for an architecture.
        latent_size: D.
        architecture: architecture of this package; null for a module.
        weights: path of its weights, a safetensors file.
        width, doublings, colours: sizes of a convolutional generator. couplings: number of couplings of a dense flow.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.named_generator(module="torch.nn:Identity", latent_size=20)
        >>> dict(tl.moments(generator, samples=1000).Omega.sizes)
        {'input': 20, 'other_input': 20}

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
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
            raise ConfigError(
                "a generator is a module or an architecture of this package: give either module or architecture"
            )
        if (self.architecture is None) != (self.weights is None):
            raise ConfigError("weights belong to an architecture of this package: give both, or neither")
