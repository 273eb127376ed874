"""Checks of the errors of networks and Hermite models, against published values and against each other."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import xarray as xr

from twolayer.figures.checks import INDEPENDENT, PUBLISHED, THEORY, Check, Values, pooled, reading, relative, z_score
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.one_step.places import at, of_paper

MODELS = ("network", "hermite")
CONDITIONAL = "exact second moments of the features of each drawn first layer, as n, m and k grow in proportion"
_VISIBLE = 5  # size of a visible error in radii of a marker
FROZEN_FEATURES = "frozen features as n, m and k grow in proportion"


def published(
    r: Evidence,
    run: str,
    figure: str,
    code: str,
    name: str,
    *,
    visible: tuple[str, ...] = MODELS,
    suffix: str = "",
    place: Mapping[str, float] = MappingProxyType({}),
    small: tuple[int, int] = (200, 3),
    **different: Any,
) -> Iterator[Check]:
    """Compare a sweep with published values: with replayed random numbers at either preset, and with fresh data.

    Args:
        figure, code: tables of the published figure, and of the output of the published code at reduced size.
        small: numbers of inputs and samples, and of trials, of that output.
        different: parameters in which the paper's run differs from its other runs.
        name: name of the sweep in the titles.
        visible: models that the published figure shows; points do not cover all of a line.
        suffix: suffix of the variables' names, `_training` for the training error.
        place: place of the published figure in the sweep of fresh data, if that sweep has more coordinates.
    """
    replay, paper = f"{run}_published", r.at("paper")
    yield from code_replayed(small_replay(r, replay, *small, **different)[replay], r[code], name, suffix)
    yield from draw_replayed(
        large_replay(r, replay, **different)[replay], r[figure], name, visible=visible, suffix=suffix
    )
    fresh = at(of_paper(paper, run, **different)[run], **place)
    yield from fresh_data(fresh, r[figure], name, visible=visible, suffix=suffix)


def small_replay(r: Evidence, replay: str, size: int, trials: int, **different: Any) -> Evidence | Absent:
    """Return the evidence at the quick preset, if a run has the parameters of a stored output of the published code."""
    small = {"data__input_dimension": size, "data__samples": size, "seeds": trials, "seed": 0, "stream": "published"}
    return of_paper(r.at("quick"), replay, **small | different)


def large_replay(r: Evidence, replay: str, **different: Any) -> Evidence | Absent:
    """Return the evidence at the paper preset, if a run has the parameters and random numbers of the published
    figure."""
    return of_paper(r.at("paper"), replay, **{"seed": 0, "stream": "published"} | different)


def code_replayed(result: xr.Dataset | Absent, code: xr.Dataset, name: str, suffix: str = "") -> Iterator[Check]:
    """Compare a run with the same random numbers with the output of the published code, at reduced size."""
    for model in MODELS:
        yield relative(
            result[model + suffix],
            code[model + suffix],
            f"{name}, {model}: the published code replayed at reduced size",
            tolerance=1e-6,
            source="stored output of that code, mean over its trials",
            compared=INDEPENDENT,
        )


def draw_replayed(
    result: xr.Dataset | Absent,
    figure: xr.Dataset,
    name: str,
    *,
    visible: tuple[str, ...] = MODELS,
    suffix: str = "",
    draws: str = "draw",
) -> Iterator[Check]:
    """Compare a run with the same random numbers with the published figure.

    Args:
        draws: name of the random draws in the title, `draws` if the paper has fresh data for every trial.
    """
    for model in visible:
        yield reading(
            result[model + suffix],
            figure[model],
            f"{name}, {model}: the published {draws} replayed",
            tolerance=1.6,
            source="published figure; known curves were read with up to 1.55 times the usual reading error, "
            "which is rounded to two digits",
        )


def fresh_data(
    result: xr.Dataset | Absent,
    figure: xr.Dataset,
    name: str,
    *,
    visible: tuple[str, ...] = MODELS,
    suffix: str = "",
) -> Iterator[Check]:
    """Compare other draws of the same distribution with the published figure, within their scatter."""
    for model in visible:
        yield z_score(
            result[model + suffix],
            figure[model],
            f"{name}, {model}: fresh data against the published figure",
            source="published figure, one draw of the data",
            compared=PUBLISHED,
            target_draws=1,
        )


def theory_of_network(
    result: xr.Dataset, theory: xr.Dataset | Absent, name: str, *, suffix: str = ""
) -> Iterator[Check]:
    """Compare the theory of drawn first layers with networks, at every point and pooled over the points of each trial.

    Args:
        theory: theory of the same number of trials as the networks, or of the first of them.
        name: name of the sweep in the titles.
    """
    network = theory if isinstance(theory, Absent) else result[f"network{suffix}"].sel(seed=theory.seed)
    for kind, where in ((z_score, "at every point"), (pooled, "pooled")):
        yield kind(
            network,
            theory[f"theory{suffix}"],
            f"{name}, theory of drawn first layers against the network, {where}",
            source=CONDITIONAL,
            compared=THEORY,
        )


def theory_of_published(
    theory: xr.Dataset | Absent, figure: xr.Dataset, sweep: xr.Dataset, name: str, *, suffix: str = ""
) -> Check:
    """Compare the theory at the paper's size with the published values, one draw of the data, at either preset.

    Args:
        theory: theory with the paper's parameters, or an absent value.
        sweep: networks, whose scatter over draws, divided by the root of the ratio of sizes, is the scatter of the
            published draw.
    """
    network = sweep[f"network{suffix}"]
    relative_spread = (network.std("seed", ddof=1) / network.mean("seed")).mean()
    scatter = 0.0 if isinstance(theory, Absent) else float(relative_spread * (sweep.samples / theory.samples) ** 0.5)
    return pooled(
        figure.network.assign_coords(network_sem=scatter * figure.network),
        theory[f"theory{suffix}"].mean("seed"),
        f"{name}, the published network against theory at the paper's size, pooled",
        source=f"published figure, one draw of the data with a scatter of {100 * scatter:.2g} percent",
        compared=PUBLISHED,
    )


def equivalence(
    result: xr.Dataset, theory: xr.Dataset | Absent, name: str, *, suffix: str = "", claim: str = "the paper's claim"
) -> Iterator[Check]:
    """Compare the errors of Hermite model and network of the same trial, allowing for their difference in theory at
    this size.

    Args:
        theory: theory of both.
        name: name of the sweep and of the region of its coordinates in the titles.
    """
    gap = (theory[f"hermite_theory{suffix}"] / theory[f"theory{suffix}"]).mean("seed")
    yield pooled(
        result[f"hermite{suffix}"],
        gap if isinstance(gap, Absent) else result[f"network{suffix}"] * gap,
        f"{name}, Hermite model against the network of the same trial, pooled",
        source=f"{claim}; and the difference of the two at this size, by theory",
        compared=THEORY,
    )


def beneath_markers(result: xr.Dataset | Absent, name: str, radius: float, suffix: str = "") -> Check:
    """Check that the Hermite model passes under the markers, where the error is so large that a marker is small.

    Args:
        radius: radius of a marker, in units of the error.
    """
    difference, network = result[f"hermite{suffix}_difference"], result[f"network{suffix}"]
    return under_markers(difference.where(network.mean("seed") > _VISIBLE * radius), network, name, radius)


def under_markers(difference: Values, network: Values, name: str, radius: float, where: str = "") -> Check:
    """Check that the line of the Hermite model passes under the network's markers, within the error of their
    difference.

    Args:
        difference: error of the Hermite model minus the error of the network, seed by seed.
        network: error of the network, the unit of the detection limit.
    """
    return z_score(
        difference,
        xr.DataArray(0.0, name="marker", coords={"marker_reading": radius}),
        f"{name}, Hermite model under the markers of the network{where}",
        source=f"the published lines pass under the markers, whose radius is {radius:g}",
        compared=PUBLISHED,
        relative_to=network,
    )
