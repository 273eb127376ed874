"""What the figures of ResNet-20 share: how they draw trainings, and what they check."""

from collections.abc import Iterator
from itertools import product

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, Verdict, relative, z_score
from twolayer.figures.evidence import Absent, Evidence

OPTIMIZERS = {"resnet_varpro": "VarPro", "resnet_sgd": "SGD with momentum", "resnet_shampoo": "Shampoo"}
QUICK_SIZES = (64, 128)  # batch sizes of both scales

_BATCH_COLOURS = {64: "#4477AA", 128: "#228833", 256: "#CCBB44", 512: "#EE6677", 1024: "#AA3377"}


def trainings(r: Evidence, quantity: str, name: str) -> Figure:
    """A quantity against the passes over the images: a panel an optimizer, a colour a batch size."""
    figure, panels = plt.subplots(1, len(OPTIMIZERS), figsize=(7.2, 3.0), sharey=True)
    for axes, (optimizer, title) in zip(panels, OPTIMIZERS.items(), strict=True):
        for _, training in r.grid(optimizer):
            _training(axes, training[quantity], r["published"][quantity])
        axes.set(xlabel="passes over the images", title=title)
    panels[0].set_ylabel(name)
    sizes = sorted({point["batch_size"] for optimizer in OPTIMIZERS for point, _ in r.grid(optimizer)})
    handles = [Line2D([], [], color=_BATCH_COLOURS[size], label=f"batches of {size}") for size in sizes]
    if len(figure.axes[0].lines) > len(sizes):
        handles.append(Line2D([], [], color="0.4", linestyle="--", linewidth=0.6, label="published"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=8)
    return figure


def _training(axes, curve, published):
    """One training, and the published one where it went as far, that is at the paper's scale."""
    colour = _BATCH_COLOURS[int(curve.batch_size)]
    axes.plot(curve.passes, curve, color=colour)
    if curve.sizes["passes"] == published.sizes["passes"]:
        there = published.sel(optimizer=curve.optimizer.item(), batch_size=curve.batch_size.item())
        axes.plot(there.passes, there, "--", color=colour, linewidth=0.6)


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


def as_defined(r: Evidence, optimizer: str, quantity: str, reference: str, words: str) -> Verdict:
    """What a training does in its first steps is what the definitions say, in double precision."""
    run = r.find(optimizer, batch_size=QUICK_SIZES[0])
    return relative(
        run[quantity],
        run[reference],
        f"{optimizer}: {words} by the definitions of risk, projection and optimizer",
        tolerance=1e-6,
        source="least squares for the outer weights and the formula of each optimizer, written out; rounding",
        compared=INDEPENDENT,
    )
