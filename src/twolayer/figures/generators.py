"""Figures of goldt2021 on generators, and on learning from what they give: equations of motion against online SGD."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from twolayer.figures.curves import SIMULATION, after_start, points

TEST = "#CCBB44"
OVERLAPS = {"Q": ("unit", "other_unit", "#EE6677"), "R": ("unit", "teacher_unit", "#228833")}


def fig31(results: Mapping[str, xr.Dataset]) -> Figure:
    """Images that generators learned from, and images that they give."""
    figure, panels = plt.subplots(1, 5, figsize=(11, 2.7))
    gan, flow, random = (results[run] for run in ("trained_gan", "trained_flow", "random_gan"))
    pictures = {
        f"learned from by the dcGAN:\n{gan.attrs['trained_on']}": gan.original,
        "dcGAN, trained": gan.generated,
        "dcGAN, random weights": random.generated,
        f"learned from by the flow:\n{flow.attrs['trained_on']}": flow.original,
        "real NVP, trained": flow.generated,
    }
    for axes, (title, images) in zip(panels, pictures.items(), strict=True):
        axes.imshow(_mosaic(images.values), cmap="gray", interpolation="nearest")
        axes.set_title(title, fontsize=8)
        axes.axis("off")
    return figure


def _mosaic(images: np.ndarray) -> np.ndarray:
    """The first 64 images (n, C, H, W) in [-1, 1], eight in a row, as one with or without colours."""
    _, colours, height, width = images.shape
    rows = images[:64].reshape(8, 8, colours, height, width).transpose(0, 3, 1, 4, 2)
    picture = np.clip(rows.reshape(8 * height, 8 * width, colours) / 2 + 0.5, 0, 1)  # flows can leave the range
    return picture if colours == 3 else picture[..., 0]


def fig33(results: Mapping[str, xr.Dataset]) -> Figure:
    """Random sign networks of one layer and of four."""
    return _learning(results, {"sign_one": "one layer of sign units", "sign_four": "four layers of sign units"})


def fig34(results: Mapping[str, xr.Dataset]) -> Figure:
    """A convolutional generator with random weights."""
    return _learning(results, {"random_gan": "dcGAN, random weights"})


def fig35(results: Mapping[str, xr.Dataset]) -> Figure:
    """A convolutional generator that was trained."""
    return _learning(results, {"trained_gan": "dcGAN"})


def fig36(results: Mapping[str, xr.Dataset]) -> Figure:
    """Normalising flows, whose latents have as many dimensions as the inputs."""
    return _learning(results, {"dense_flow": "real NVP, random weights", "trained_flow": "real NVP"})


def _learning(results: Mapping[str, xr.Dataset], runs: Mapping[str, str]) -> Figure:
    """Error and order parameters against time, a column for each generator."""
    figure, panels = plt.subplots(2, len(runs), figsize=(1.2 + 3.6 * len(runs), 5.4), sharex="col", squeeze=False)
    for (errors, overlaps), (run, title) in zip(panels.T, runs.items(), strict=True):
        theory, sgd = (after_start(results[f"{run}_{kind}"]) for kind in ("curve", "sgd"))
        _errors(errors, theory, sgd)
        _overlaps(overlaps, theory, sgd)
        errors.set_title(_titled(title, results[run], sgd), fontsize=9)
    for row in panels:
        row[0].legend(fontsize=7)
    return figure


def _titled(title: str, generator: xr.Dataset, sgd: xr.Dataset) -> str:
    trained = f", trained on {generator.attrs['trained_on']}" if "trained_on" in generator.attrs else ""
    return f"{title}{trained}\n$D={int(sgd.latent_size)}$, $N={int(sgd.input_size)}$, {sgd.sizes['seed']} runs"


def _errors(axes: Axes, theory: xr.Dataset, sgd: xr.Dataset) -> None:
    points(axes, sgd.pmse, "seed", SIMULATION, "SGD")
    points(axes, sgd.test_pmse, "seed", TEST, "SGD, on fresh inputs")
    axes.plot(theory.time, theory.pmse, color="black", linewidth=0.8, label="equations")
    axes.set(xscale="log", yscale="log", ylabel="pmse")
    axes.yaxis.set_minor_formatter(ScalarFormatter())
    axes.yaxis.set_major_formatter(ScalarFormatter())


def _overlaps(axes: Axes, theory: xr.Dataset, sgd: xr.Dataset) -> None:
    for name, (row, column, colour) in OVERLAPS.items():
        for position in np.ndindex(theory.sizes[row], theory.sizes[column]):
            place = dict(zip((row, column), position, strict=True))
            label = f"${name}$" if position == (0, 0) else None
            points(axes, sgd[name].isel(place), "seed", colour, label)
            axes.plot(theory.time, theory[name].isel(place), color="black", linewidth=0.8)
    axes.set(xscale="log", xlabel="time $t$ = steps / $N$", ylabel="order parameters")
