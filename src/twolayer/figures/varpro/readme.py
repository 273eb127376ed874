"""Parts of the authors' code that no figure of the paper shows."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twolayer.figures.checks import INDEPENDENT, THEORY, Check, main, ordering, relative
from twolayer.figures.evidence import Evidence
from twolayer.figures.style import PAGE
from twolayer.figures.varpro.circle import FLOW, draw_flow, flow_of, starts_as_mean_field, within_initial_noise
from twolayer.figures.varpro.descents import COLOURS, line, power_of_ten
from twolayer.figures.varpro.resnet import FIRST_EPOCH_SPREAD, as_defined

RIDGES = {"circle_gamma10_readme": "flow_gamma10_readme", "circle_gamma1000_readme": "flow_gamma1000_readme"}
PLAIN = {"resnet_first_plain_varpro": "VarPro", "resnet_first_plain_sgd": "SGD"}
STARTS = (  # runs of the first iterations, their limits, and names for the checks
    ("circle_start_entropy", "flow_entropy", "two-timescale descent with the entropy"),
    ("circle_start_gamma10_readme", "flow_gamma10_readme", "gamma {gamma:g}"),
    ("circle_start_gamma1000_readme", "flow_gamma1000_readme", "gamma {gamma:g}"),
)
_EVERY = 16  # one of so many angles is enough to compare signals


def draw(r: Evidence) -> Figure:
    """Draw risks with the entropy and with the ridges of the README, signals of teachers, and ResNet-20 without
    momentum.
    """
    figure, ((entropy, ridges), (signal, resnet)) = plt.subplots(2, 2, figsize=(PAGE, 5.4))
    for name, colour in zip(_entropies(r), COLOURS, strict=False):
        line(entropy, r[name].risk.isel(width=-1), color=colour, label=_ridge(r[name]))
        draw_flow(entropy, r["flow_entropy"], r[name])
    for (name, flow), colour in zip(RIDGES.items(), COLOURS, strict=False):
        label = rf"$\gamma = {float(r[name].gamma):g}$, {_ridge(r[name])}"
        line(ridges, r[name].risk.isel(width=-1), color=colour, label=label)
        draw_flow(ridges, r[flow], r[name])
    for axes, title in ((entropy, "two-timescale descent, entropy"), (ridges, "variable projection")):
        handles = [
            *axes.get_legend_handles_labels()[0],
            Line2D([], [], color="black", linestyle=":", label="mean field"),
        ]
        axes.legend(handles=handles)
        axes.set(xlabel="iteration", ylabel="unbiased risk", xscale="log", yscale="log", title=title)
    for gamma, colour in zip(r["teachers"].gamma.values, COLOURS, strict=False):
        signal.plot(
            r["teachers"].angle, r["teachers"].signal.sel(gamma=gamma), color=colour, label=rf"$\gamma = {gamma:g}$"
        )
    signal.set(xlabel="angle of the input", ylabel="output of the teacher", xlim=(-np.pi, np.pi))
    signal.legend()
    for (name, label), colour in zip(PLAIN.items(), COLOURS, strict=False):
        resnet.plot(r[name].epoch, r[name].epoch_risk, "o-", markersize=3, color=colour, label=label)
    last = r["resnet_first_plain_sgd"].sizes["epoch"]
    resnet.set(xlabel="completed epochs", ylabel="training risk, mean over one epoch", title="ResNet without momentum")
    resnet.set(xticks=range(last), xlim=(-0.5, last - 0.5), yscale="log")
    resnet.legend()
    return figure


def _entropies(r):
    """Return the runs with the entropy, the largest ridge first."""
    return sorted(r.names("circle_entropy"), key=lambda name: -float(r[name].ridge))


def _ridge(networks):
    return rf"$\lambda = {power_of_ten(float(networks.ridge))}$"


def checks(r: Evidence) -> Iterator[Check]:
    """Check that networks follow the mean field, and signals and first steps against their definitions."""
    for name, flow, words in STARTS:
        start = r[name]
        place = f"{words.format(gamma=float(start.gamma))}, ridge {float(start.ridge):g}"
        risk = starts_as_mean_field(
            start, flow_of(r[flow], start), f"{place}, risk at the start against the mean field"
        )
        yield main(risk) if flow == "flow_entropy" else risk
        yield within_initial_noise(r, name, start, f"{place}, {FLOW} at the start within the initial noise")
    teachers = r["teachers"]
    yield relative(
        teachers.signal,
        _direct_signal(teachers),
        "the teacher's signal against a sum over its density",
        tolerance=1e-5,
        source="integral of the relu features over the density of the teacher, on the grid of the angles",
        compared=INDEPENDENT,
    )
    for name in PLAIN:
        yield as_defined(r, name, "first_risk", "reference_risk", "the risk of the first steps")
    yield ordering(
        r["resnet_first_plain_sgd"].epoch_risk.isel(epoch=0),
        r["resnet_first_plain_varpro"].epoch_risk.isel(epoch=0),
        "without momentum, the first epoch of SGD has a larger risk than variable projection",
        stated=2 * FIRST_EPOCH_SPREAD,
        source="the paper's claim for training with momentum; beyond twice the spread between its runs",
        compared=THEORY,
    )


def _direct_signal(teachers: xr.Dataset) -> xr.DataArray:
    """Return signals at some of the angles by sums of relu features over the densities."""
    seen = teachers.angle.values[::_EVERY]
    features = np.maximum(np.cos(teachers.angle.values[:, None] - seen), 0)
    signals = teachers.density.values @ features * (2 * np.pi / len(features))
    return xr.DataArray(signals, {"gamma": teachers.gamma.values, "angle": seen}, name="signal")
