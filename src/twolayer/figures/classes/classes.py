"""Three Gaussian classes, learned by least squares and by the softmax: replica equations and samples."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from twolayer.figures.checks import THEORY, Check, main, ordering, pooled
from twolayer.figures.curves import points
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import BLUE, PAGE, RED

LOSSES = {"square": BLUE, "softmax": RED}
FINITE_SIZE = 3.0  # relative errors in N dimensions differ from the limit by at most about this number over N
_QUANTITIES = {"class_error": "class error", "training_loss": "training loss"}


def draw(r: Evidence) -> Figure:
    """Draw class error, training loss, and the answers for each class, against the sample ratio."""
    theory, samples = r["theory"], r["samples"]
    figure, panels = plt.subplots(1, 3, figsize=(PAGE, 2.6))
    for axes, (name, label) in zip(panels, _QUANTITIES.items(), strict=False):
        for loss, colour in LOSSES.items():
            points(axes, _one(samples[name], loss), "seed", colour, f"{loss}, samples")
            axes.plot(theory.sample_ratio, _one(theory[name], loss), color=colour, label=f"{loss}, theory")
        axes.set(xscale="log", xlabel="sample ratio $n/N$", ylabel=label)
    right, answers = panels[2], (_one(one.confusion, "softmax") for one in (samples, theory))
    measured, expected = (_diagonal(one) for one in answers)
    for k, colour in zip(measured["class"].values, (BLUE, RED, "black"), strict=False):
        points(right, measured.sel({"class": k}), "seed", colour, f"class {k}")
        right.plot(theory.sample_ratio, expected.sel({"class": k}), color=colour)
    right.set(xscale="log", xlabel="sample ratio $n/N$", ylabel="right answers, softmax")
    for axes in panels:
        axes.xaxis.set_minor_formatter(NullFormatter())
    panels[0].legend()
    right.legend()
    return figure


def _one(values: xr.DataArray, loss: str) -> xr.DataArray:
    """Return the values of one loss, at the only ridge."""
    return values.sel(loss=loss).isel(ridge=0, drop=True).drop_vars("loss")


def _diagonal(confusion: xr.DataArray) -> xr.DataArray:
    """Return the probability of the right answer in each class."""
    classes = range(confusion.sizes["class"])
    right = [confusion.isel({"class": k, "answer": k}, drop=True) for k in classes]
    return xr.concat(right, "class").assign_coords({"class": list(classes)})


def checks(r: Evidence) -> Iterator[Check]:
    """Compare samples with the theory, in errors, losses and answers, and the softmax with least squares."""
    theory, samples = r["theory"], r["samples"]
    stated = FINITE_SIZE / r.parameter("mixture", "input_dimension")
    source = "replica equations of several classes"
    for loss in reversed(LOSSES):
        for name, label in (*_QUANTITIES.items(), ("test_loss", "test loss")):
            sides = _one(samples[name], loss), _one(theory[name], loss)
            check = pooled(*sides, f"{loss}, {label} of samples against the theory", source=source, stated=stated)
            yield main(check) if (loss, name) == ("softmax", "class_error") else check
        sides = (_diagonal(_one(one.confusion, loss)) for one in (samples, theory))
        yield pooled(*sides, f"{loss}, right answers of samples against the theory", source=source, stated=stated)
    errors = (_one(samples.class_error, loss) for loss in LOSSES)
    title = "least squares errs more than the softmax"
    yield ordering(*errors, title, source="samples of the same classes", compared=THEORY, on_average=True)
