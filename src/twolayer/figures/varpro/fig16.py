"""Figure 16: training ResNet-20 on CIFAR-10, test accuracy for five batch sizes."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from twolayer.figures.checks import NUMERICS, Verdict, at_most
from twolayer.figures.evidence import Evidence
from twolayer.figures.varpro.resnet import OPTIMIZERS, as_published, trainings


def draw(r: Evidence) -> Figure:
    """Test accuracy of ResNet-20 after each pass over the images: a panel an optimizer, a colour a batch size."""
    return trainings(r, "accuracy", "test accuracy")


def checks(r: Evidence) -> Iterator[Verdict]:
    """The accuracy rises above chance, and is the published one."""
    for optimizer in OPTIMIZERS:
        yield at_most(
            3,
            r.find(optimizer, batch_size=64).above_chance,
            f"{optimizer}_batch_size64: batches of 64, at its best above chance by three standard errors and more",
            tolerance=1e-9,
            source="the paper's claim; the error is that of counting on the test images",
            compared=NUMERICS,
        )
    yield from as_published(r, "accuracy")
