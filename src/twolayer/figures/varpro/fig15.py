"""Figure 15: training ResNet-20 on CIFAR-10, risk for five batch sizes."""

from collections.abc import Iterator
from itertools import product

from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from twolayer.figures.checks import NUMERICS, Verdict, among, at_most, ordering, relative
from twolayer.figures.evidence import Evidence
from twolayer.figures.varpro.resnet import (
    FIRST_PASS_SPREAD,
    OPTIMIZERS,
    QUICK_SIZES,
    as_defined,
    as_published,
    first_pass_as_published,
    first_passes,
    starts_idle,
    trainings,
)


def draw(r: Evidence) -> Figure:
    """Training risk of ResNet-20 against the passes over the images: a panel an optimizer, a colour a batch size."""
    figure = trainings(r, "risk", "training risk, mean over one pass")
    axis = figure.axes[0].yaxis
    figure.axes[0].set_yscale("log")
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))
    return figure


def checks(r: Evidence) -> Iterator[Verdict]:
    """The steps are those of the definitions, the risk falls, its order is the paper's, and it is the published one."""
    for optimizer in OPTIMIZERS:
        run = r.find(optimizer, batch_size=QUICK_SIZES[0])
        yield as_defined(run, optimizer, "first_risk", "plain_risk", "the risk of the first steps")
        yield relative(
            run.rate.isel(epoch=-1),
            run.rate.isel(epoch=0) / 2,
            f"{optimizer}: the final epochs have half the learning rate",
            tolerance=1e-9,
            source="the schedule that the paper states, against the rate that the optimizer had",
            compared=NUMERICS,
        )
    for optimizer in ("resnet_sgd", "resnet_shampoo"):
        yield starts_idle(r.find(optimizer, batch_size=QUICK_SIZES[0]), optimizer)
    yield from _order(r)
    for optimizer, batch_size in product(OPTIMIZERS, QUICK_SIZES):
        yield at_most(
            3,
            r.find(optimizer, batch_size=batch_size).fall,
            f"{optimizer}_batch_size{batch_size}: the risk falls by three standard errors and more",
            tolerance=1e-9,
            source="the paper's claim; the error is that of the first and the last epoch's mean over batches",
            compared=NUMERICS,
        )
    yield from as_published(r, "risk")
    for optimizer in OPTIMIZERS:
        yield first_pass_as_published(first_passes(r.at("paper"), optimizer), r["published"], optimizer)


def _order(r):
    """The first pass of variable projection is below those of the others, most of all for small batches; Shampoo ends
    above the others."""
    varpro = among(first_passes(r, "resnet_varpro"), batch_size=QUICK_SIZES)
    for optimizer in ("resnet_sgd", "resnet_shampoo"):
        yield ordering(
            among(first_passes(r, optimizer), batch_size=QUICK_SIZES),
            varpro,
            f"the first pass of {OPTIMIZERS[optimizer]} has a larger risk than that of variable projection",
            stated=2 * FIRST_PASS_SPREAD,
            source="the paper's point, batches of 64 and 128; beyond twice the spread between its runs",
        )
    for optimizer, batch_size in product(("resnet_varpro", "resnet_sgd"), (64, 128, 256, 512, 1024)):
        shampoo, other = (
            r.at("paper").find(name, batch_size=batch_size).risk.isel(passes=-1)
            for name in ("resnet_shampoo", optimizer)
        )
        yield ordering(
            shampoo,
            other,
            f"batches of {batch_size}, Shampoo ends above {OPTIMIZERS[optimizer]}",
            stated=0.5,
            source="published curves, a factor of two or more",
        )
