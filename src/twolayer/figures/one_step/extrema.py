"""Checks of the shape of a curve: the place of its minimum or maximum, and comparisons of two places.

Each must exceed chance over the seeds, and a smallest size, which is a fraction of the published difference.
"""

from collections.abc import Mapping
from typing import Any

from twolayer.figures.checks import Check, ordering
from twolayer.figures.estimates import Values

CURVE = "shape of the published curve"
CURVES = "shape of the published curves"
LEAST = 0.05  # smallest difference relative to the lower side, if a check gives no other


def smallest(curve: Values, title: str, *, least: float = LEAST, **place: float) -> Check:
    """Check that a curve has its minimum at a place, compared with its mean, since neighbours are too close to
    distinguish.
    """
    below = curve.sel(place, drop=True)
    return ordering(curve, below, title, source=_beyond(CURVE, least), on_average=True, stated=least)


def largest(curve: Values, title: str, *, least: float = LEAST, **place: float) -> Check:
    """Check that a curve has its maximum at a place, compared with its mean over all places."""
    above = curve.sel(place, drop=True)
    return ordering(above, curve, title, source=_beyond(CURVE, least), on_average=True, stated=least)


def less(
    curve: Values,
    place: Mapping[str, Any],
    elsewhere: Mapping[str, Any],
    title: str,
    *,
    source: str = CURVE,
    least: float = LEAST,
) -> Check:
    """Check that a curve is smaller at a place than at another."""
    low, high = curve.sel(place, drop=True), curve.sel(elsewhere, drop=True)
    return ordering(high, low, title, source=_beyond(source, least), stated=least)


def _beyond(source, least):
    return f"{source}, by {100 * least:g} percent or more"
