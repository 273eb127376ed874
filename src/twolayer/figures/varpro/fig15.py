"""Figure 15: training ResNet-20 on CIFAR-10, risk for five batch sizes."""

from collections.abc import Iterator
from itertools import product

from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from twolayer.figures.checks import NUMERICS, Verdict, at_most
from twolayer.figures.evidence import Evidence
from twolayer.figures.varpro.resnet import OPTIMIZERS, as_published, trainings


def draw(r: Evidence) -> Figure:
    """Training risk of ResNet-20 against the passes over the images: a panel an optimizer, a colour a batch size."""
    figure = trainings(r, "risk", "training risk, mean over one pass")
    axis = figure.axes[0].yaxis
    figure.axes[0].set_yscale("log")
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The risk falls, and is the published one."""
    for optimizer, batch_size in product(OPTIMIZERS, (64, 128)):
        yield at_most(
            3,
            r.find(optimizer, batch_size=batch_size).fall,
            f"{optimizer}_batch_size{batch_size}: the risk falls by three standard errors and more",
            tolerance=1e-9,
            source="the paper's claim; the error is that of the first and the last epoch's mean over batches",
            compared=NUMERICS,
        )
    yield from as_published(r, "risk")
