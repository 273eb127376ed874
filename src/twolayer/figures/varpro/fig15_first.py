"""The part of figures 15 and 16 that a CPU can compute: the first epochs on CIFAR-10 with batches of 256."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import PUBLISHED, Check, main, ordering, relative
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.style import PAGE, READ_OFF
from twolayer.figures.varpro import descents, resnet

_FAMILY = "resnet_first_varpro"  # trainings that differ by the seed
_OTHERS = {"resnet_first_sgd": "SGD with momentum", "resnet_first_shampoo": "Shampoo"}
_OPTIMIZERS = {_FAMILY: "VarPro", **_OTHERS}
_BATCH_SIZE, _TRAININGS = 256, 5  # of the trainings behind the next numbers
# relative standard deviation of the accuracy, averaged over five epochs, between five trainings that differ by the seed
_ACCURACY_SPREAD = 0.063
# quantile of Student's distribution with the four degrees of freedom of this standard deviation, for a chance of 0.3 %
_ACCURACY_QUANTILE = 6.4


def draw(r: Evidence) -> Figure:
    """Draw risk in each epoch and test accuracy after it, for three optimizers; at the paper preset with published
    values.

    The thin lines are trainings that differ by the seed, and the thick line is their mean.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 3.0))
    for (name, optimizer), colour in zip(_OPTIMIZERS.items(), descents.COLOURS, strict=False):
        for axes, quantity in ((left, "risk"), (right, "accuracy")):
            each, ours = _curves(r, name, quantity), _mean_curve(r, name, quantity)
            if each.sizes["seed"] > 1:
                thin = {"markersize": 2, "linewidth": 0.5, "alpha": 0.6}
                axes.plot(each.completed_epochs, each.transpose(..., "seed"), ".-", color=colour, **thin)
            axes.plot(ours.completed_epochs, ours, "o-", markersize=3, color=colour, label=optimizer)
            published = r["published"][quantity]
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
    one = r.names(_FAMILY)[0]
    for name in (one, *_OTHERS):
        defined = resnet.as_defined(r, name, "first_risk", "reference_risk", "the risk of the first steps")
        yield main(defined) if name == one else defined
    for name, optimizer in _OTHERS.items():
        yield resnet.starts_idle(r, name)
        here = resnet.of_paper(r, name, one)
        yield ordering(
            _mean_curve(here, name, "risk").isel(completed_epochs=0),
            _mean_curve(here, _FAMILY, "risk").isel(completed_epochs=0),
            f"the first epoch of {optimizer} has a larger risk than variable projection",
            stated=2 * resnet.FIRST_EPOCH_SPREAD,
            source="the paper's claim; beyond twice the spread between its runs",
        )
    yield resnet.starts_at_chance(r["resnet_first_sgd"], r["published"])
    published, paper = r["published"], resnet.of_paper(r.at("paper"), one, *_OTHERS, size=True)
    for name in _OPTIMIZERS:
        first = _mean_curve(paper, name, "risk").isel(completed_epochs=0, drop=True)
        yield resnet.first_epoch_as_published(first, published, name)
    for name, optimizer in _OPTIMIZERS.items():
        for quantity in ("risk", "accuracy") if name in _OTHERS else ("risk",):
            yield resnet.curve_as_published(_mean_curve(paper, name, quantity), published[quantity], optimizer)
    yield _mean_accuracy(paper.as_published(one, batch_size=_BATCH_SIZE), published)
    for name, optimizer in _OTHERS.items():
        yield ordering(
            _mean_curve(paper, name, "accuracy").isel(completed_epochs=-1),
            _mean_curve(paper, _FAMILY, "accuracy").isel(completed_epochs=-1),
            f"after the last epoch {optimizer} is more accurate than variable projection",
            stated=0.1,
            source="published curves, which differ by two tenths; the spread between runs is one tenth",
        )


def _mean_accuracy(r: Evidence | Absent, published: xr.Dataset) -> Check:
    """Compare the accuracy of variable projection on average over the epochs: it varies from epoch to epoch."""
    epochs = {"completed_epochs": slice(1, 5)}
    both = np.sqrt(1 + 1 / _TRAININGS)  # error of a difference: the mean of our trainings, and the published one
    return relative(
        _mean_curve(r, _FAMILY, "accuracy").sel(epochs).mean("completed_epochs"),
        published.accuracy.sel(epochs).mean("completed_epochs"),
        f"{_OPTIMIZERS[_FAMILY]}: mean accuracy after each epoch against the published mean",
        tolerance=_ACCURACY_QUANTILE * _ACCURACY_SPREAD * both,
        source=f"published figure, one run; Student's distribution for the spread between a few trainings with other "
        f"seeds, {_ACCURACY_SPREAD:.1%}, so few that the limit is wide",
        compared=PUBLISHED,
    )


def _curves(r: Evidence | Absent, name: str, quantity: str) -> xr.DataArray | Absent:
    """Return the risk or the accuracy by the number of epochs before it, with seeds if trainings differ by the seed.

    As in the published curves, the risk is the mean over an epoch. The published risks begin an epoch by up to a
    twentieth earlier, where the risk differs by half a percent.
    """
    if isinstance(r, Absent):
        return r
    runs = [r[run] for run in (r.names(name) if name == _FAMILY else [name])]
    risks = (run.epoch_risk.rename(epoch="completed_epochs").rename("risk") for run in runs)
    return xr.concat(risks if quantity == "risk" else (run.accuracy for run in runs), "seed")


def _mean_curve(r: Evidence | Absent, name: str, quantity: str) -> xr.DataArray | Absent:
    """Return the mean of `_curves` over the seeds."""
    return _curves(r, name, quantity).mean("seed")
