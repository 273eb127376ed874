"""Parameters of the tasks on images of a conditional generator: training, statistics, and one gradient step."""

from typing import Annotated, Literal

from twolayer.errors import ConfigError
from twolayer.experiments.one_step.parameters import TRIALS, Exponent, Swept
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.parameters import Bounds, Count, Device, NonNegative, Positive, Seed, Several, checked
from twolayer.results.layout import Layout

_CONDITIONAL = "conditional_gan published_conditional_gan"  # tasks that create a conditional generator
_Class = Annotated[int, Bounds(at_least=0, at_most=9)]


@task(
    "conditional_gan",
    images=("train",),
    files=("stored",),
    resumes=True,
    training=True,
    result=Layout(
        {
            "epoch": "discriminator_loss generator_loss",
            "class pixel": "image_mean",
            "class": "image_trace",
            "": "images parameters",
        },
        labels={"epoch": "epochs"},
        weights=True,
    ),
)
@checked
class ConditionalGan:
    """Train a conditional generator on the training images of an image set.

    Attributes:
        seed: seed of initial weights, order of the images, and latents.
        device: `auto` is the GPU if there is one.
        epochs: number of epochs. batch_size: number of training and of generated images in a step.
        learning_rate: learning rate of Adam, for both networks.
        hidden: units of the fully connected layers. channels: channels of the smallest convolutional maps.
        dataset: the image set.
        stored: file of a training with these parameters, from `workflow/scripts/store_training.py`. Then no network is
            trained.

    Example:
        >>> import twolayer as tl
        >>> sizes = {"hidden": 8, "channels": 4, "batch_size": 200}
        >>> generator = tl.conditional_gan(images="images", dataset="mnist", epochs=1, device="cpu", **sizes)
        >>> int(generator.images), dict(generator.image_mean.sizes)
        (2000, {'class': 10, 'pixel': 784})

    References:
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    seed: Seed = 0
    device: Device = "auto"
    epochs: Count = 50
    batch_size: Several = 64
    learning_rate: Positive = 2e-4
    hidden: Count = 1024
    channels: Several = 128
    dataset: Literal["mnist", "fashion-mnist"] = "fashion-mnist"
    stored: str | None = None

    def __post_init__(self):
        if self.channels % 2:
            raise ConfigError(f"channels is {self.channels}: make it even, because the larger maps have half as many")


@task(
    "published_conditional_gan",
    images=("train", "generator"),
    result=Layout({"class pixel": "image_mean", "class": "image_trace", "": "images parameters"}, weights=True),
)
@checked
class PublishedConditionalGan:
    """Load the conditional generator that the authors trained on Fashion-MNIST, from the published file.

    Attributes:
        dataset: image set whose training images it was trained on.

    Example:
        >>> import twolayer as tl
        >>> try:
        ...     generator = tl.published_conditional_gan("images")
        ... except tl.DataError as error:
        ...     print(str(error).partition(" (")[0])
        images/fashion-mnist/CGAN_G.pkl cannot be read

    References:
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    dataset: Literal["fashion-mnist"] = "fashion-mnist"


@task(
    "class_statistics",
    inputs={"generator": _CONDITIONAL},
    result=Layout(
        {
            "class pixel": "mean",
            "class": "distance trace trace_fraction nearest_mean_accuracy noisy_power noisy_power_sem",
            "class example row column": "generated centred noisy",
            "": "images parameters",
        },
        labels={"class": "classes"},
        meanings={"mean": "mean of the generated images of each class"},
    ),
)
@checked
class ClassStatistics:
    """Estimate the moments of two classes of generated images, and draw examples.

    Attributes:
        classes: the two classes, from 0 to 9.
        samples: number of images of each class. examples: number of examples of each class.
        seed: seed of the latents and the noise.
        device: `auto` is the GPU if there is one.

    Example:
        >>> import twolayer as tl
        >>> sizes = {"hidden": 8, "channels": 4, "batch_size": 200}
        >>> generator = tl.conditional_gan(images="images", dataset="mnist", epochs=1, device="cpu", **sizes)
        >>> statistics = tl.class_statistics(generator, classes=[0, 1], samples=200, examples=2, device="cpu")
        >>> dict(statistics.generated.sizes)
        {'class': 2, 'example': 2, 'row': 28, 'column': 28}

    References:
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    classes: tuple[_Class, ...]
    seed: Seed = 0
    device: Device = "auto"
    samples: Several = 1_000_000
    examples: Count = 16

    def __post_init__(self):
        if len(set(self.classes)) != 2 or len(self.classes) != 2:
            raise ConfigError(f"classes is {list(self.classes)}: give two different classes")


@checked
class ImageAxes(Swept):
    """The varied parameters of a sweep on generated images; several axes give all combinations.

    Attributes:
        width: k / m.
        step_exponent: log eta / log n.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.ImageAxes(width=[0.5, 1])
        ImageAxes(width=(0.5, 1.0))
    """

    width: tuple[Positive, ...] | None = None
    step_exponent: tuple[Exponent, ...] | None = None


@checked
class _ImageTrials:
    """Parameters of networks on generated images and of their theory."""

    samples: Several
    axes: ImageAxes
    seeds: Several = 10
    seed: Seed = 0
    keep_means: bool = False
    width: Positive = 1.0
    step_exponent: Exponent = 0.0
    activations: tuple[ActivationLike, ...] = ("relu", "tanh", "sigmoid")


@task(
    "image_sweep",
    inputs={"generator": _CONDITIONAL, "statistics": "class_statistics"},
    result=Layout(
        {**TRIALS, "": "input_dimension samples images parameters"},
        labels={"activation": "activations", "seed": "seeds"},
    ),
)
@checked
class ImageSweep(_ImageTrials):
    """Train networks by one gradient step on noisy images of two classes, and fit their Hermite models.

    The images are scaled to a total variance of n, and the noise has the same variance.

    Attributes:
        samples: m, of the step and of the fit each, half of them from either class; the test uses five times as many.
        seeds: number of networks at each point.
        activations: activations of the hidden units, one network each.
        keep_means: whether the classes keep their means; else every class is centred.
        axes: values of width or step_exponent to compute; the others keep the value below.
        width: k / m. step_exponent: log eta / log n. ridge: lambda.
        degree: degree of the Hermite model. nodes: number of nodes of its quadrature; null uses as many as necessary.
        draws: `fresh` images for every trial, or one draw `shared` by all trials, as in the paper.
        seed: seed of all random numbers.

    Example:
        >>> import twolayer as tl
        >>> sizes = {"hidden": 8, "channels": 4, "batch_size": 200}
        >>> generator = tl.conditional_gan(images="images", dataset="mnist", epochs=1, device="cpu", **sizes)
        >>> statistics = tl.class_statistics(generator, classes=[0, 1], samples=200, device="cpu")
        >>> trials = {"samples": 40, "seeds": 2, "activations": ["relu"]}
        >>> runs = tl.image_sweep(generator, statistics, tl.ImageAxes(width=[0.5, 1]), **trials)
        >>> dict(runs.network.sizes)
        {'width': 2, 'activation': 1, 'seed': 2}

    References:
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    ridge: NonNegative = 1e-4
    degree: Count = 4
    nodes: Count | None = 100
    draws: Literal["fresh", "shared"] = "fresh"


@task(
    "image_theory",
    inputs={"generator": _CONDITIONAL, "statistics": "class_statistics"},
    result=Layout(
        {
            "axes activation seed": "converged theory theory_training theory_misclassified",
            "": "input_dimension samples",
        },
        labels={"activation": "activations", "seed": "seeds"},
    ),
)
@checked
class ImageTheory(_ImageTrials):
    """Compute in theory the errors after one gradient step on noisy images of two classes.

    The theory uses second moments of the features, and their correlations with the labels, over a set of images. Second
    layers are fitted to a part of these images, and are tested on others.

    Attributes:
        samples, axes, seeds, activations, keep_means, width, step_exponent, ridge: as for `image_sweep`.
        images: number of images for the moments, at least 1.2 times the hidden units. The first of them, six times the
            samples, are the training and test sets of the sweep's trial.
        seed: seed of all random numbers. With the seed of the sweep, each trial has the same first layers at common
            points.

    Example:
        >>> import twolayer as tl
        >>> sizes = {"hidden": 8, "channels": 4, "batch_size": 200}
        >>> generator = tl.conditional_gan(images="images", dataset="mnist", epochs=1, device="cpu", **sizes)
        >>> statistics = tl.class_statistics(generator, classes=[0, 1], samples=200, device="cpu")
        >>> trials = {"samples": 40, "seeds": 2, "activations": ["relu"], "images": 300}
        >>> theory = tl.image_theory(generator, statistics, tl.ImageAxes(width=[0.5, 1]), **trials)
        >>> dict(theory.theory.sizes)
        {'width': 2, 'activation': 1, 'seed': 2}

    References:
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    ridge: Positive = 1e-4
    images: Several = 3000

    def __post_init__(self):
        needed = max(6, 1.2 * max(self.axes.width or (self.width,))) * self.samples
        if self.images < needed:
            raise ConfigError(
                f"images is {self.images}: make it {needed:g} or more, 6 times the samples and 1.2 times the hidden "
                "units"
            )
