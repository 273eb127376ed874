"""Parameters of the training of deep networks."""

from typing import Annotated, Literal

from twolayer.errors import ConfigError
from twolayer.experiments.tasks import task
from twolayer.parameters import Bounds, Count, Device, Positive, Seed, Several, checked
from twolayer.results.layout import Layout

Momentum = Annotated[float, Bounds(at_least=0, below=1)]


@task(
    "image_training",
    images=("train", "test"),
    files=("stored",),
    resumes=True,
    training=True,
    result=Layout(
        {
            "completed_epochs": "risk accuracy",
            "epoch": "rate epoch_risk",
            "": "risk_decrease above_chance initial_risk initial_accuracy initial_accuracy_sem",
            "step": "first_risk reference_risk",
            "image": "confidence reference_confidence",
        },
        scalars=("optimizer", "batch_size"),
        meanings={
            "risk": "regularised risk on the training images, moving average over one epoch",
            "epoch": "number of epochs before this epoch",
        },
    ),
)
@checked
class ImageTraining:
    """Train a ResNet on CIFAR-10.

    Attributes:
        optimizer: `varpro` projects the outer weights and follows the gradient with all others; `sgd` and `shampoo`
            train all weights in the same way.
        batch_size: number of images in a step.
        learning_rate: learning rate in all epochs except the final ones.
        seed: of initial weights, and order and augmentation of the images.
        device: `auto` is the GPU if there is one.
        momentum: momentum of sgd; with varpro, only of the outer weights. Shampoo has none.
        epochs, final_epochs: numbers of epochs; the final ones have half the learning rate.
        ridge: regularisation lambda of the risk.
        dataset: the complete set, or the subset that is part of this project.
        half_precision: whether the network below the outer weights computes in bfloat16, in training and test passes.
            This is 1.4 to 1.9 times as fast on a CPU, and changes the numbers.
        tf32: whether a GPU may round the factors of convolutions to ten bits. If false, GPU and CPU agree up to
            rounding in single precision.
        layers: number of layers with weights.
        compiled: whether torch compiles the network, which takes a minute.
        stored: file of a training with these parameters, from `workflow/scripts/store_training.py`. Then no network is
            trained.

    Example:
        >>> import twolayer as tl
        >>> sizes = {"batch_size": 64, "epochs": 1, "final_epochs": 0, "layers": 8, "device": "cpu"}
        >>> run = tl.image_training("images", optimizer="sgd", learning_rate=0.1, dataset="cifar-10-subset", **sizes)
        >>> dict(run.accuracy.sizes)
        {'completed_epochs': 2}

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
        gupta2018: Gupta, Koren and Singer, arXiv 1802.09568.
    """

    optimizer: Literal["varpro", "sgd", "shampoo"]
    batch_size: Several
    learning_rate: Positive
    seed: Seed = 0
    device: Device = "auto"
    momentum: Momentum = 0.0
    epochs: Count = 100
    final_epochs: Annotated[int, Bounds(at_least=0)] = 10
    ridge: Positive = 1e-3
    dataset: Literal["cifar-10-batches-bin", "cifar-10-subset"] = "cifar-10-batches-bin"
    half_precision: bool = False
    tf32: bool = False
    layers: Literal[8, 14, 20, 32] = 20
    compiled: bool = False
    stored: str | None = None

    def __post_init__(self):
        if self.optimizer == "shampoo" and self.momentum:
            raise ConfigError(f"momentum is {self.momentum:g}, but shampoo has none: set it to 0")
