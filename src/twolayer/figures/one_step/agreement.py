"""Checks of the errors of networks and Hermite models: against what was published, and one against the other."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import xarray as xr

from twolayer.figures.checks import (
    INDEPENDENT,
    PUBLISHED,
    THEORY,
    Check,
    Values,
    pooled,
    reading,
    relative,
    z_score,
)
from twolayer.figures.evidence import Absent, Evidence
from twolayer.figures.one_step.places import at, of_paper

MODELS = ("network", "hermite")
CONDITIONAL = "exact second moments of the features of each drawn first layer, as n, m and k grow in proportion"
_VISIBLE = 5  # radii of a marker that an error must have for the marker to say something of it
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
    """A sweep against what was published: its random numbers replayed at either preset, and fresh data.

    Args:
        figure, code: tables of the published figure, and of the output of the published code at reduced size.
        small: number of inputs and samples, and of trials, of that output.
        different: parameters in which the paper's run differs from its other ones.
        name: what the titles call the sweep.
        visible: models that the published figure shows, where points do not cover all of a line.
        suffix: of the variables' names, `_training` for the training error.
        place: where in the sweep of fresh data the published figure lies, if that has more coordinates.
    """
    replay, paper = f"{run}_published", r.at("paper")
    yield from code_replayed(small_replay(r, replay, *small, **different)[replay], r[code], name, suffix)
    yield from draw_replayed(
        large_replay(r, replay, **different)[replay], r[figure], name, visible=visible, suffix=suffix
    )
    fresh = at(of_paper(paper, run, **different)[run], **place)
    yield from fresh_data(fresh, r[figure], name, visible=visible, suffix=suffix)


def small_replay(r: Evidence, replay: str, size: int, trials: int, **different: Any) -> Evidence | Absent:
    """The same at the quick preset, where a run has the parameters of a stored output of the published code."""
    small = {"data__input_dimension": size, "data__samples": size, "seeds": trials, "seed": 0, "stream": "published"}
    return of_paper(r.at("quick"), replay, **small | different)


def large_replay(r: Evidence, replay: str, **different: Any) -> Evidence | Absent:
    """The same at the paper preset, where a run has the parameters and the random numbers of the published figure."""
    return of_paper(r.at("paper"), replay, **{"seed": 0, "stream": "published"} | different)


def code_replayed(result: xr.Dataset | Absent, code: xr.Dataset, name: str, suffix: str = "") -> Iterator[Check]:
    """The same random numbers give the output of the published code, at reduced size."""
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
    """The same random numbers give the published figure.

    Args:
        draws: what the title calls them, `draws` where the paper has fresh data for every trial.
    """
    for model in visible:
        yield reading(
            result[model + suffix],
            figure[model],
            f"{name}, {model}: the published {draws} replayed",
            tolerance=1.6,
            source="published figure; known curves were read with errors of up to 1.55 of the usual ones, "
            "which are rounded to two digits",
        )


def fresh_data(
    result: xr.Dataset | Absent,
    figure: xr.Dataset,
    name: str,
    *,
    visible: tuple[str, ...] = MODELS,
    suffix: str = "",
) -> Iterator[Check]:
    """Other draws of the same distribution give the published figure, within their scatter."""
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
    """The theory of drawn first layers against networks: at every point, and pooled over the points of each trial.

    Args:
        theory: of as many trials as the networks have, or of the first few of them.
        name: what the titles call the sweep.
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
    """The theory at the paper's size against what was published, one draw of the data, at either preset.

    Args:
        theory: of the paper's parameters, or nothing.
        sweep: of networks, whose scatter over draws, less by the root of the sizes, is that of the published draw.
    """
    network = sweep[f"network{suffix}"]
    relative_spread = (network.std("seed", ddof=1) / network.mean("seed")).mean()
    scatter = 0.0 if isinstance(theory, Absent) else float(relative_spread * (sweep.samples / theory.samples) ** 0.5)
    return pooled(
        figure.network.assign_coords(network_sem=scatter * figure.network),
        theory[f"theory{suffix}"].mean("seed"),
        f"{name}, the published network against theory at the paper's size, pooled",
        source=f"published figure, one draw of the data, which scatters by {100 * scatter:.2g} percent",
        compared=PUBLISHED,
    )


def equivalence(
    result: xr.Dataset, theory: xr.Dataset | Absent, name: str, *, suffix: str = "", claim: str = "the paper's claim"
) -> Iterator[Check]:
    """The Hermite model errs as the network of the same trial, but for the difference that theory has at this size.

    Args:
        theory: of both.
        name: what the titles call the sweep, and the region of its coordinates.
    """
    gap = (theory[f"hermite_theory{suffix}"] / theory[f"theory{suffix}"]).mean("seed")
    yield pooled(
        result[f"hermite{suffix}"],
        gap if isinstance(gap, Absent) else result[f"network{suffix}"] * gap,
        f"{name}, Hermite model against the network of the same trial, pooled",
        source=f"{claim}; and the difference of the two that is left at this size, by theory",
        compared=THEORY,
    )


def beneath_markers(result: xr.Dataset | Absent, name: str, radius: float, suffix: str = "") -> Check:
    """The same of a sweep, where the error is so large that a marker says something of it.

    Args:
        radius: of a marker, in units of the error.
    """
    difference, network = result[f"hermite{suffix}_difference"], result[f"network{suffix}"]
    return under_markers(difference.where(network.mean("seed") > _VISIBLE * radius), network, name, radius)


def under_markers(difference: Values, network: Values, name: str, radius: float, where: str = "") -> Check:
    """The line of the Hermite model passes under the markers of the network, within the error of their difference.

    Args:
        difference: error of the Hermite model less that of the network, seed by seed.
        network: error of the network, in which the sharpness is stated.
    """
    return z_score(
        difference,
        xr.DataArray(0.0, name="marker", coords={"marker_reading": radius}),
        f"{name}, Hermite model under the markers of the network{where}",
        source=f"the published lines pass under the markers, whose radius is {radius:g}",
        compared=PUBLISHED,
        relative_to=network,
    )
