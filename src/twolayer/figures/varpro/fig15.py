"""Figure 15: training ResNet-20 on CIFAR-10, risk for five batch sizes."""

from collections.abc import Iterator
from itertools import product

from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from twolayer.figures.checks import NUMERICS, Check, at_most, main, ordering, relative
from twolayer.figures.evidence import Evidence
from twolayer.figures.varpro.resnet import (
    FIRST_PASS_SPREAD,
    OPTIMIZERS,
    as_defined,
    as_published,
    batch_sizes,
    first_pass_as_published,
    first_passes,
    label,
    of_paper,
    smallest_batches,
    starts_idle,
    trainings,
)

_SMALL = 2  # how many batch sizes, of the smallest, both presets have


def draw(r: Evidence) -> Figure:
    """Training risk of ResNet-20 against the passes over the images: a panel an optimizer, a colour a batch size."""
    figure = trainings(r, "risk", "training risk, mean over one pass")
    axis = figure.axes[0].yaxis
    figure.axes[0].set_yscale("log")
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """The steps are those of the definitions, the risk falls, its order is the paper's, and it is the published one."""
    for optimizer in OPTIMIZERS:
        name = smallest_batches(r, optimizer)
        defined = as_defined(r, name, "first_risk", "reference_risk", "the risk of the first steps")
        yield main(defined) if optimizer == "resnet_varpro" else defined
        yield relative(
            r[name].rate.isel(epoch=-1),
            r[name].rate.isel(epoch=0) / 2,
            f"{label(r, name)}: the final epochs have half the learning rate",
            tolerance=1e-9,
            source="the schedule that the paper states, against the rate that the optimizer had",
            compared=NUMERICS,
        )
    for optimizer in ("resnet_sgd", "resnet_shampoo"):
        yield starts_idle(r, smallest_batches(r, optimizer))
    yield from _order(r)
    for optimizer, batch_size in product(OPTIMIZERS, batch_sizes(r)[:_SMALL]):
        name = r.name_of(optimizer, batch_size=batch_size)
        yield at_most(
            3,
            r[name].risk_decrease,
            f"{label(r, name)}: the risk falls by three standard errors and more",
            tolerance=1e-9,
            source="the paper's claim; the error is that of the first and the last epoch's mean over batches",
            compared=NUMERICS,
        )
    yield from as_published(r, "risk")
    for optimizer in OPTIMIZERS:
        names = [r.name_of(optimizer, **point) for point, _ in r.grid(optimizer)]
        risk = first_passes(r.at("paper"), names, size=True)
        yield first_pass_as_published(risk, r["published"], optimizer)


def _order(r):
    """The first pass of variable projection is below those of the others, most of all for small batches; Shampoo ends
    above the others."""
    small = batch_sizes(r)[:_SMALL]
    runs = {optimizer: [r.name_of(optimizer, batch_size=size) for size in small] for optimizer in OPTIMIZERS}
    for optimizer in ("resnet_sgd", "resnet_shampoo"):
        yield ordering(
            first_passes(r, runs[optimizer]),
            first_passes(r, runs["resnet_varpro"]),
            f"the first pass of {OPTIMIZERS[optimizer]} has a larger risk than that of variable projection",
            stated=2 * FIRST_PASS_SPREAD,
            source=f"the paper's point, batches of {' and '.join(map(str, small))}; beyond twice the spread between "
            "its runs",
        )
    for optimizer, batch_size in product(("resnet_varpro", "resnet_sgd"), batch_sizes(r)):
        names = [r.name_of(name, batch_size=batch_size) for name in ("resnet_shampoo", optimizer)]
        here = of_paper(r.at("paper"), *names, size=True)
        shampoo, other = (here[name].risk.isel(passes=-1) for name in names)
        yield ordering(
            shampoo,
            other,
            f"batches of {batch_size}, Shampoo ends above {OPTIMIZERS[optimizer]}",
            stated=0.5,
            source="published curves, a factor of two or more",
        )
