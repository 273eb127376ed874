"""Common parts of the figures on generated images: panels, captions, and checks of error against width."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from twolayer.figures.checks import PUBLISHED, THEORY, Check, among, pooled, relative, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.one_step.agreement import MODELS
from twolayer.figures.one_step.panels import legend, panel, sizes
from twolayer.figures.one_step.places import nearest
from twolayer.figures.style import PAGE

PAIRS = {"tops": "tops and trousers", "boots": "sandals and boots"}
WIDE_MODEL = "the paper's claim; 3.6 percent in its figure, 6 for another GAN, above 100 for a linear model"
_PAPER = {"degree": 4, "keep_means": False, "ridge": 1e-4, "step_exponent": 0, "width": 1}
_SETS = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST"}
_ALL = 60_000  # number of training images of Fashion-MNIST


def draw_pairs(r: Evidence, runs: tuple[str, str]) -> Figure:
    """Draw errors against the width for the two pairs of classes, and the published readings at the paper's size."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.6), sharex=True, sharey="row")
    for (error, classes), run, (pair, title) in zip(panels.T, runs, PAIRS.items(), strict=True):
        theory = r.get(f"theory_{run}")
        panel(error, r[run], theory=theory, published=readings_at_its_size(r, f"published_{pair}"))
        panel(classes, r[run], theory=theory, suffix="_misclassified")
        error.set_title(title)
        error.set_xlabel(None)
    for axes in panels[:, 1]:
        axes.set_ylabel(None)
    legend(figure, panels[0, 0], columns=3)
    figure.suptitle(caption(r, *runs))
    return figure


def readings_at_its_size(r: Evidence, name: str) -> xr.Dataset | None:
    """Return readings of a published figure at the paper preset; smaller problems have different values."""
    return r[name] if r.preset == "paper" else None


def caption(r: Evidence, *runs: str) -> str:
    """Return the size of the problem of some sweeps, and of their generator."""
    return f"{sizes(*(r[run] for run in runs))}; {training(r, runs[0])}"


def training(r: Evidence, run: str) -> str:
    """Return the size of the generator of a run, and of its training."""
    weights = f"{int(r[run].parameters) / 1e6:.1f} million weights"
    images = f"{int(r[run].images):,} images of {_SETS[r.parameter('generator', 'dataset')]}"
    return f"images of a generator with {weights}, trained on {images}"


def like_the_published(r: Evidence, run: str, **paper: Any) -> xr.Dataset | Absent:
    """Return a result at the paper preset, for a generator trained on as many images as the published generator.

    Args:
        paper: parameters of the run in the paper.
    """
    if r.preset == "paper" and r[run].images < _ALL:
        return Absent(f"for a generator that learned from all {_ALL:,} images")
    return r.at("paper").as_published(run, **paper)[run]


def of_paper(r: Evidence | Absent, run: str, **different: Any) -> Evidence | Absent:
    """Return the evidence if a run has the parameters of the paper's sweeps. The number of samples may differ.

    Args:
        different: parameters in which the paper's run differs from its other runs.
    """
    return r.as_published(run, **_PAPER | different)


def both_pairs(r: Evidence, runs: Iterable[str], error: str, *, axes: Mapping[str, str]) -> tuple[xr.DataArray, ...]:
    """Return networks and theory of several sweeps with independent data, one draw for each trial of each sweep.

    Args:
        error: suffix of the variables. axes: axes of the sweeps, by run.
    """
    sides: tuple[list, list] = ([], [])
    for number, run in enumerate(runs):
        theory = r[f"theory_{run}"][f"theory{error}"]
        places = {axes[run]: theory[axes[run]].values, "seed": theory.seed.values}
        network = among(r[run][f"network{error}"], **places)
        for side, values in zip(sides, (network, theory), strict=True):
            mean = (values / theory.mean("seed")).mean([axes[run], "activation"])
            side.append(mean.assign_coords(seed=[f"{number}, {seed}" for seed in mean.seed.values]))
    return tuple(xr.concat(side, "seed") for side in sides)


def published(
    r: Evidence, run: str, figure: str, name: str, models: tuple[str, ...] = MODELS, **different: Any
) -> Iterator[Check]:
    """Compare a sweep with the published figure.

    Args:
        figure: table of the figure. name: name of the sweep in the titles.
        different: parameters in which the paper's run differs from its other runs.
    """
    for model in models:
        yield z_score(
            like_the_published(r, run, samples=500, **_PAPER | different)[model],
            r[figure][model],
            f"{name}, {model}: against the published figure",
            source="published figure, one draw of the data; a generator that is trained here differs from the "
            "published one, "
            "and the scatter between trainings is not known",
            compared=PUBLISHED,
            target_draws=1,
        )


def theory_of_network(
    r: Evidence, run: str, name: str, classes: tuple[str, ...] = ("relu", "tanh", "sigmoid")
) -> Iterator[Check]:
    """Compare the theory by sampled moments with networks of the same first layers, at every point and pooled.

    Args:
        name: name of the sweep in the titles.
        classes: activations whose class error is checked.
    """
    whole = r[f"theory_{run}"]
    errors = {name: ("", whole), f"{name}, class error": ("_misclassified", among(whole, activation=list(classes)))}
    for error, (suffix, result) in errors.items():
        theory = result[f"theory{suffix}"]
        (axis,) = set(theory.dims) - {"activation", "seed"}
        for kind, where in ((z_score, "at every point"), (pooled, "pooled")):
            yield kind(
                among(r[run][f"network{suffix}"], **{axis: theory[axis].values, "seed": theory.seed.values}),
                theory,
                f"{error}, theory by sampled moments against the network, {where}",
                source="sampled second moments of the features of drawn first layers, as m and k grow in proportion",
                compared=THEORY,
            )


def wide_equivalence(result: xr.Dataset, name: str, first: float, claim: str) -> Check:
    """Check that the Hermite model has the error of the network for widths above a given one."""
    first = nearest(result, width=first)["width"]
    return relative(
        result.hermite.sel(width=slice(first, None)),
        result.network,
        f"{name}, Hermite model against the network, k/m from {first:g}",
        tolerance=0.1,
        source=claim,
        compared=THEORY,
    )
