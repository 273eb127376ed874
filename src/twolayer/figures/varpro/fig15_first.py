"""The part of figures 15 and 16 that a CPU can compute: the first epochs on CIFAR-10 with batches of 256."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import PUBLISHED, Check, main, ordering, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import PAGE, READ_OFF
from twolayer.figures.varpro import descents, resnet

_OPTIMIZERS = {
    "resnet_first_varpro": "VarPro",
    "resnet_first_sgd": "SGD with momentum",
    "resnet_first_shampoo": "Shampoo",
}
_SPREAD = "published figure; the error is the spread between runs, estimated from the published curves"


def draw(r: Evidence) -> Figure:
    """Draw risk in each epoch and test accuracy after it, for three optimizers; at the paper preset with published
    values.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 3.0))
    for (name, optimizer), colour in zip(_OPTIMIZERS.items(), descents.COLOURS, strict=False):
        for axes, ours in ((left, _risk(r[name])), (right, r[name].accuracy)):
            axes.plot(ours.completed_epochs, ours, "o-", markersize=3, color=colour, label=optimizer)
            published = r["published"][ours.name]
            if r.preset == "paper" and ours.batch_size.item() in published.batch_size:
                there = published.sel(optimizer=ours.optimizer.item(), batch_size=ours.batch_size.item())
                _, there = xr.align(ours, there, join="inner")
                axes.plot(there.completed_epochs, there, "o", color=colour, markersize=6, **READ_OFF)
    last = int(ours.completed_epochs[-1])
    left.set(xlabel="completed epochs", xticks=range(last), xlim=(-0.5, last - 0.5))
    left.set_ylabel("training risk, mean over one epoch")
    right.set(xlabel="epochs", ylabel="test accuracy", xticks=range(last + 1))
    handles = left.get_legend_handles_labels()[0]
    if r.preset == "paper":
        handles.append(Line2D([], [], color="black", marker="o", label="published", **READ_OFF))
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def checks(r: Evidence) -> Iterator[Check]:
    """Compare steps with their definitions, and risk, accuracy and their order with the published ones."""
    for name in _OPTIMIZERS:
        defined = resnet.as_defined(r, name, "first_risk", "reference_risk", "the risk of the first steps")
        yield main(defined) if name == "resnet_first_varpro" else defined
    for name in ("resnet_first_sgd", "resnet_first_shampoo"):
        yield resnet.starts_idle(r, name)
        here = resnet.of_paper(r, name, "resnet_first_varpro")
        yield ordering(
            here[name].epoch_risk.isel(epoch=0),
            here["resnet_first_varpro"].epoch_risk.isel(epoch=0),
            f"the first epoch of {_OPTIMIZERS[name]} has a larger risk than variable projection",
            stated=2 * resnet.FIRST_EPOCH_SPREAD,
            source="the paper's claim; beyond twice the spread between its runs",
        )
    yield resnet.starts_at_chance(r["resnet_first_sgd"], r["published"])
    paper, published = resnet.of_paper(r.at("paper"), *_OPTIMIZERS, size=True), r["published"]
    for name in _OPTIMIZERS:
        yield resnet.first_epoch_as_published(_risk(paper[name]).isel(completed_epochs=0, drop=True), published, name)
        for quantity, ours in (("risk", _risk(paper[name])), ("accuracy", paper[name].accuracy)):
            title = f"{resnet.label(r, name)}: {quantity} against the published curve"
            yield z_score(ours, published[quantity], title, source=_SPREAD, compared=PUBLISHED)
    for name in ("resnet_first_sgd", "resnet_first_shampoo"):
        yield ordering(
            paper[name].accuracy.isel(completed_epochs=-1),
            paper["resnet_first_varpro"].accuracy.isel(completed_epochs=-1),
            f"after the last epoch {_OPTIMIZERS[name]} is more accurate than variable projection",
            stated=0.1,
            source="published curves, which differ by two tenths; the spread between runs is one tenth",
        )


def _risk(run: xr.Dataset | Absent) -> xr.DataArray | Absent:
    """Return the risk of each epoch by the number of epochs before it, as in the published curves.

    These begin an epoch by up to a twentieth earlier, where the risk differs by half a percent.
    """
    return run if isinstance(run, Absent) else run.epoch_risk.rename(epoch="completed_epochs").rename("risk")
