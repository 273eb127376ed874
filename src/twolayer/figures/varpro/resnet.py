"""What the figures of ResNet-20 share: how they draw trainings, and what they check."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, THEORY, Verdict, relative, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import BLUE, GREEN, PAGE, PURPLE, READ_OFF, RED, YELLOW
from twolayer.model.images import CLASSES

OPTIMIZERS = {"resnet_varpro": "VarPro", "resnet_sgd": "SGD with momentum", "resnet_shampoo": "Shampoo"}
QUICK_SIZES = (64, 128)  # batch sizes of both presets
# The first passes of three optimizers lie on parabolas in the logarithm of the batch size but for one per cent, in six
# degrees of freedom: that of the difference of two runs is the root of two times larger.
FIRST_PASS_SPREAD = 0.0146

_FIRST_PASS_QUANTILE = 8.0  # of Student's distribution, for a chance of 1e-3 in five batch sizes
_IDLE_RISK = 50.0  # half the mean square of one-hot targets of ten classes, 1/10, over the ridge 1e-3
_BATCH_COLOURS = {64: BLUE, 128: GREEN, 256: YELLOW, 512: RED, 1024: PURPLE}


def trainings(r: Evidence, quantity: str, name: str) -> Figure:
    """A quantity against the passes over the images: a panel an optimizer, a colour a batch size."""
    figure, panels = plt.subplots(1, len(OPTIMIZERS), figsize=(PAGE, 3.0), sharey=True)
    for axes, (optimizer, title) in zip(panels, OPTIMIZERS.items(), strict=True):
        for _, training in r.grid(optimizer):
            _training(axes, training[quantity], r["published"][quantity])
        axes.set(xlabel="passes over the images", title=title)
    panels[0].set_ylabel(name)
    sizes = sorted({point["batch_size"] for optimizer in OPTIMIZERS for point, _ in r.grid(optimizer)})
    handles = [Line2D([], [], color=_BATCH_COLOURS[size], label=f"batches of {size}") for size in sizes]
    if len(figure.axes[0].lines) > len(sizes):
        handles.append(Line2D([], [], color="black", marker="o", markersize=3, label="published", **READ_OFF))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _training(axes, curve, published):
    """One training, and the published one where it went as far, that is at the paper preset."""
    colour = _BATCH_COLOURS[int(curve.batch_size)]
    axes.plot(curve.passes, curve, color=colour)
    if curve.sizes["passes"] == published.sizes["passes"]:
        there = published.sel(optimizer=curve.optimizer.item(), batch_size=curve.batch_size.item())
        axes.plot(there.passes, there, "o", color=colour, markersize=2.2, markevery=8, **READ_OFF)


def as_published(r: Evidence, quantity: str) -> Iterator[Verdict]:
    """Each training agrees with the published one."""
    for optimizer, batch_size in product(OPTIMIZERS, _BATCH_COLOURS):
        yield z_score(
            r.at("paper").find(optimizer, batch_size=batch_size)[quantity],
            r["published"][quantity],
            f"{optimizer}_batch_size{batch_size}: {quantity} against the published curve",
            source="published figure; the error is the spread between runs, estimated from the published curves",
            compared=PUBLISHED,
        )


def first_passes(r: Evidence | Absent, optimizer: str) -> xr.DataArray | Absent:
    """The risk of the first pass over the images for all batch sizes of a scale."""
    if isinstance(r, Absent):
        return r
    runs = [run.risk.isel(passes=0, drop=True) for _, run in r.grid(optimizer)]
    return xr.concat(runs, dim="batch_size", coords="minimal", compat="override")


def first_pass_as_published(risk: xr.DataArray | Absent, published: xr.Dataset, name: str) -> Verdict:
    """The risk of the first pass is the published one of that optimizer, for all batch sizes that it is given for."""
    return relative(
        risk,
        published.risk.sel(passes=0, optimizer=name.rpartition("_")[2], drop=True),
        f"{name}: risk of the first pass against the published ones",
        tolerance=_FIRST_PASS_QUANTILE * FIRST_PASS_SPREAD,
        source="published figure; eight times the spread between runs, which has few degrees of freedom",
        compared=PUBLISHED,
    )


def starts_idle(run: xr.Dataset, name: str) -> Verdict:
    """The first batch has the risk of answering zero, where no projection comes before."""
    return relative(
        run.initial_risk,
        _IDLE_RISK,
        f"{name}: the risk of the first batch",
        tolerance=0.005,
        source="a readout of small random weights answers next to nothing, which leaves the targets; the tolerance "
        "is the mean square of its answers for features of order one",
        compared=THEORY,
    )


def starts_at_chance(run: xr.Dataset, published: xr.Dataset) -> Verdict:
    """The accuracy before training is chance, within what untrained networks differ by: each has favourite answers, so
    that it is off by more than counting on the test images tells."""
    there = published.accuracy.sel(passes=0, drop=True) - 1 / CLASSES
    error = np.hypot(run.initial_accuracy_sem, np.sqrt((there**2).mean()))
    return z_score(
        run.initial_accuracy.assign_coords(initial_accuracy_sem=error),
        1 / CLASSES,
        "the accuracy before training is chance",
        source="ten classes of equal size; the error is that of counting on the test images, and what the fifteen "
        "published accuracies before training are off by",
        compared=THEORY,
    )


def as_defined(run: xr.Dataset, name: str, quantity: str, reference: str, words: str) -> Verdict:
    """What a training does in its first steps is what the definitions say, in double precision."""
    return relative(
        run[quantity],
        run[reference],
        f"{name}: {words} by the definitions of risk, projection and optimizer",
        tolerance=1e-6,
        source="least squares for the outer weights and the formula of each optimizer, written out; rounding",
        compared=INDEPENDENT,
    )
