"""Figure 15: training ResNet-20 on CIFAR-10, risk by batch size."""

from collections.abc import Iterator
from itertools import product

from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from twolayer.figures.checks import NUMERICS, Check, main, ordering, relative
from twolayer.figures.evidence import Evidence
from twolayer.figures.varpro import resnet

_SMALL = 2  # both presets have at least this many of the smallest batch sizes


def draw(r: Evidence) -> Figure:
    """Draw the training risk of ResNet-20 against epochs: a panel for each optimizer, a colour for each batch size."""
    figure = resnet.trainings(r, "risk", "training risk, mean over one epoch")
    axis = figure.axes[0].yaxis
    figure.axes[0].set_yscale("log")
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Compare steps with their definitions, and the risk and its order with the published ones."""
    for optimizer in resnet.OPTIMIZERS:
        name = resnet.smallest_batches(r, optimizer)
        defined = resnet.as_defined(r, name, "first_risk", "reference_risk", "the risk of the first steps")
        yield main(defined) if optimizer == "resnet_varpro" else defined
        yield relative(
            r[name].rate.isel(epoch=-1),
            r[name].rate.isel(epoch=0) / 2,
            f"{resnet.label(r, name)}: the final epochs have half the learning rate",
            tolerance=1e-9,
            source="the schedule in the paper, against the rate of the optimizer",
            compared=NUMERICS,
        )
    for optimizer in ("resnet_sgd", "resnet_shampoo"):
        yield resnet.starts_idle(r, resnet.smallest_batches(r, optimizer))
    yield from _order(r)
    for optimizer, batch_size in product(resnet.OPTIMIZERS, resnet.batch_sizes(r)[:_SMALL]):
        name = r.name_of(optimizer, batch_size=batch_size)
        yield ordering(
            r[name].risk_decrease.assign_coords(risk_decrease_sem=1.0),
            0.0,
            f"{resnet.label(r, name)}: the risk falls",
            source="the paper's claim; in standard errors of the mean over batches in the first and the last epoch",
            compared=NUMERICS,
        )
    yield from resnet.as_published(r, "risk")
    for optimizer in resnet.OPTIMIZERS:
        names = [r.name_of(optimizer, **point) for point, _ in r.grid(optimizer)]
        risk = resnet.first_epochs(r.at("paper"), names, size=True)
        yield resnet.first_epoch_as_published(risk, r["published"], optimizer)


def _order(r):
    """Check that variable projection has the smallest risk in the first epoch, and Shampoo the largest in the end.

    The difference in the first epoch is largest for small batches.
    """
    small = resnet.batch_sizes(r)[:_SMALL]
    runs = {optimizer: [r.name_of(optimizer, batch_size=size) for size in small] for optimizer in resnet.OPTIMIZERS}
    for optimizer in ("resnet_sgd", "resnet_shampoo"):
        yield ordering(
            resnet.first_epochs(r, runs[optimizer]),
            resnet.first_epochs(r, runs["resnet_varpro"]),
            f"the first epoch of {resnet.OPTIMIZERS[optimizer]} has a larger risk than variable projection",
            stated=2 * resnet.FIRST_EPOCH_SPREAD,
            source=f"the paper's claim, batches of {' and '.join(map(str, small))}; beyond twice the spread between "
            "its runs",
        )
    for optimizer, batch_size in product(("resnet_varpro", "resnet_sgd"), resnet.batch_sizes(r)):
        names = [r.name_of(name, batch_size=batch_size) for name in ("resnet_shampoo", optimizer)]
        here = resnet.of_paper(r.at("paper"), *names, size=True)
        shampoo, other = (here[name].risk.isel(completed_epochs=-1) for name in names)
        yield ordering(
            shampoo,
            other,
            f"batches of {batch_size}, Shampoo ends above {resnet.OPTIMIZERS[optimizer]}",
            stated=0.5,
            source="published curves, a factor of two or more",
        )
