"""Common parts of the figures of ResNet-20: curves of trainings, and checks."""

from collections.abc import Iterator
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, THEORY, Check, relative, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import BLUE, GREEN, PAGE, PURPLE, READ_OFF, RED, YELLOW
from twolayer.figures.varpro import descents
from twolayer.model.data.images import CLASSES

OPTIMIZERS = {"resnet_varpro": "VarPro", "resnet_sgd": "SGD with momentum", "resnet_shampoo": "Shampoo"}
_PAPER = {  # parameters of an optimizer in the paper
    "varpro": {"learning_rate": 0.064, "momentum": 0.5},
    "sgd": {"learning_rate": 0.064, "momentum": 0.9},
    "shampoo": {"learning_rate": 0.64},
}
_RIDGE = 1e-3
_SIZE = {"layers": 20, "dataset": "cifar-10-batches-bin"}  # parameters of the paper's network and data
# The first epochs of three optimizers follow parabolas in the logarithm of the batch size within one percent, with six
# degrees of freedom. The spread of the difference of two runs is larger by a factor of the root of two.
FIRST_EPOCH_SPREAD = 0.0146

# The risk at the start is 1 / (2 CLASSES ridge) times 1 - 2 sum_c p_c <f_c> + ..., where p_c = 1 / CLASSES, and <f_c>
# is the mean of output c over images of class c. Its variance is <phi^2> / (3 M^2) for M = 64 features and outer
# weights uniform up to M^-1/2. Features of mean square one give this relative standard deviation.
_INITIAL_SPREAD = 2 / (64 * np.sqrt(3 * CLASSES))

_FIRST_EPOCH_QUANTILE = 8.0  # quantile of Student's distribution, for a chance of 1e-3 in five batch sizes
_COLOURS = (BLUE, GREEN, YELLOW, RED, PURPLE)  # colours of batch sizes


def of_paper(r: Evidence | Absent, *names: str, size: bool = False) -> Evidence | Absent:
    """Return the evidence if these trainings have the parameters of the paper.

    Args:
        size: whether the network and the data must also have the paper's size.
    """
    for name in names:
        (optimizer,) = (known for known in _PAPER if known in name)
        r = r.as_published(name, ridge=_RIDGE, **_PAPER[optimizer], **(_SIZE if size else {}))
    return r


def batch_sizes(r: Evidence) -> list[int]:
    """Return all batch sizes of a preset, the smallest first."""
    return sorted({point["batch_size"] for optimizer in OPTIMIZERS for point, _ in r.grid(optimizer)})


def smallest_batches(r: Evidence, optimizer: str) -> str:
    """Return the run of an optimizer with the smallest batches."""
    return r.name_of(optimizer, batch_size=batch_sizes(r)[0])


def label(r: Evidence, name: str) -> str:
    """Return the name of a training in the checks."""
    optimizer, batch_size = (r[name][key].item() for key in ("optimizer", "batch_size"))
    words = OPTIMIZERS.get(f"resnet_{optimizer}", optimizer)
    if optimizer == "sgd" and r.parameter(name, "momentum") == 0:
        words = "SGD without momentum"
    return f"{words}, batches of {batch_size}"


def trainings(r: Evidence, quantity: str, name: str) -> Figure:
    """Draw a quantity against epochs: a panel for each optimizer, a colour for each batch size."""
    figure, panels = plt.subplots(1, len(OPTIMIZERS), figsize=(PAGE, 3.0), sharey=True)
    colours = dict(zip(batch_sizes(r), cycle(_COLOURS), strict=False))
    for axes, (optimizer, title) in zip(panels, OPTIMIZERS.items(), strict=True):
        for point, training in r.grid(optimizer):
            _training(axes, training[quantity], r["published"][quantity], colours[point["batch_size"]])
        axes.set(xlabel="epochs", title=title)
    panels[0].set_ylabel(name)
    if r.preset == "paper" and (left_out := sorted(set(r["published"].batch_size.values) - set(colours))):
        listed = ", ".join(map(str, left_out))
        figure.suptitle(f"without batches of {listed}: list them in batch_sizes in config/varpro.yaml")
    handles = [Line2D([], [], color=colour, label=f"batches of {size}") for size, colour in colours.items()]
    if len(figure.axes[0].lines) > len(colours):
        handles.append(Line2D([], [], color="black", marker="o", markersize=3, label="published", **READ_OFF))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _training(axes, curve, published, colour):
    """Draw one training, and the published training if it is equally long, that is at the paper preset."""
    axes.plot(curve.completed_epochs, curve, color=colour)
    if (
        curve.sizes["completed_epochs"] == published.sizes["completed_epochs"]
        and curve.batch_size.item() in published.batch_size
    ):
        there = published.sel(optimizer=curve.optimizer.item(), batch_size=curve.batch_size.item())
        axes.plot(there.completed_epochs, there, "o", color=colour, markersize=2.2, markevery=8, **READ_OFF)


def as_published(r: Evidence, quantity: str) -> Iterator[Check]:
    """Check that each training agrees with the published training."""
    for optimizer in OPTIMIZERS:
        for point, _ in r.grid(optimizer):
            name = r.name_of(optimizer, **point)
            ours = of_paper(r.at("paper"), name, size=True)[name][quantity]
            yield curve_as_published(ours, r["published"][quantity], label(r, name))


def curve_as_published(ours: xr.DataArray | Absent, published: xr.DataArray, name: str) -> Check:
    """Check that the curve of a training agrees with the published one, if its batch size was published."""
    return z_score(
        descents.where_published(ours, published),
        published,
        f"{name}: {published.name} against the published curve",
        source="published figure; the error is the spread between runs, estimated from the published curves",
        compared=PUBLISHED,
    )


def first_epochs(r: Evidence | Absent, names: list[str], *, size: bool = False) -> xr.DataArray | Absent:
    """Return the risk of the first epoch of some runs, which differ in the batch size.

    Args:
        size: see `of_paper`.
    """
    r = of_paper(r, *names, size=size)
    if isinstance(r, Absent):
        return r
    runs = [r[name].risk.isel(completed_epochs=0, drop=True) for name in names]
    return xr.concat(runs, dim="batch_size", coords="minimal", compat="override")


def first_epoch_as_published(risk: xr.DataArray | Absent, published: xr.Dataset, name: str) -> Check:
    """Compare the risk of the first epoch with the published risk of that optimizer, for all published batch sizes."""
    return relative(
        risk,
        published.risk.sel(completed_epochs=0, optimizer=name.rpartition("_")[2], drop=True),
        f"{OPTIMIZERS['resnet_' + name.rpartition('_')[2]]}: risk of the first epoch against the published values",
        tolerance=_FIRST_EPOCH_QUANTILE * FIRST_EPOCH_SPREAD,
        source="published figure; eight times the spread between runs, which has few degrees of freedom",
        compared=PUBLISHED,
    )


def starts_idle(r: Evidence, name: str) -> Check:
    """Check that the first batch has the risk of an output of zero, if there is no projection before it."""
    return relative(
        r[name].initial_risk,
        1 / (2 * CLASSES * r.parameter(name, "ridge")),  # half the mean square of one-hot targets over the ridge
        f"{label(r, name)}: the risk of the first batch",
        tolerance=3.5 * _INITIAL_SPREAD,
        source="the outputs of random outer weights are nearly zero, and their products with the targets vanish only "
        "on average; the tolerance is 3.5 standard deviations for features of mean square one",
        compared=THEORY,
    )


def starts_at_chance(run: xr.Dataset, published: xr.Dataset) -> Check:
    """Check that the accuracy before training is chance, within the spread of untrained networks.

    Each untrained network prefers some classes, so that the spread exceeds the counting error on the test images.
    """
    there = published.accuracy.sel(completed_epochs=0, drop=True) - 1 / CLASSES
    error = np.hypot(run.initial_accuracy_sem, np.sqrt((there**2).mean()))
    return z_score(
        run.initial_accuracy.assign_coords(initial_accuracy_sem=error),
        1 / CLASSES,
        "the accuracy before training is chance",
        source=f"{CLASSES} classes of equal size; the error combines counting on the test images and the deviations of "
        "published accuracies before training",
        compared=THEORY,
    )


def as_defined(r: Evidence, name: str, quantity: str, reference: str, words: str) -> Check:
    """Compare the first steps of a training with their definitions, in double precision."""
    return relative(
        r[name][quantity],
        r[name][reference],
        f"{label(r, name)}: {words} by the definitions of risk, projection and optimizer",
        tolerance=1e-6,
        source="least squares for the outer weights and the formula of each optimizer, written out; rounding",
        compared=INDEPENDENT,
    )
