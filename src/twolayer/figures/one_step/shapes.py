"""Checks of the shape of a curve: where it is smallest or largest, and how it compares at two places; each beyond what
chance gives over the seeds, and by a least size, which is a part of what the published curve shows."""

from collections.abc import Mapping
from typing import Any

from twolayer.figures.checks import Check, Values, ordering

CURVE = "shape of the published curve"
CURVES = "shape of the published curves"
LEAST = 0.05  # of the lower side, if a check names no other least size


def smallest(curve: Values, title: str, *, least: float = LEAST, **place: float) -> Check:
    """A curve is smallest at a place, which its mean over all places is above: neighbours are too near to tell."""
    below = curve.sel(place, drop=True)
    return ordering(curve, below, title, source=_beyond(CURVE, least), on_average=True, stated=least)


def largest(curve: Values, title: str, *, least: float = LEAST, **place: float) -> Check:
    """A curve is largest at a place, which is above its mean over all places."""
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
    """A curve is less at a place than elsewhere."""
    low, high = curve.sel(place, drop=True), curve.sel(elsewhere, drop=True)
    return ordering(high, low, title, source=_beyond(source, least), stated=least)


def _beyond(source, least):
    return f"{source}, by {100 * least:g} percent or more"
