"""Checks of the shape of a curve: where it is smallest or largest, and how it compares at two places; each beyond what
chance gives over the seeds."""

from collections.abc import Mapping
from typing import Any

from twolayer.figures.checks import Values, Verdict, ordering

CURVE = "shape of the published curve"
CURVES = "shape of the published curves"


def smallest(curve: Values, title: str, **place: float) -> Verdict:
    """A curve is smallest at a place, which its mean over all places is above: neighbours are too near to tell."""
    return ordering(curve, curve.sel(place, drop=True), title, source=CURVE, on_average=True)


def largest(curve: Values, title: str, **place: float) -> Verdict:
    """A curve is largest at a place, which is above its mean over all places."""
    return ordering(curve.sel(place, drop=True), curve, title, source=CURVE, on_average=True)


def less(
    curve: Values,
    place: Mapping[str, Any],
    elsewhere: Mapping[str, Any],
    title: str,
    *,
    source: str = CURVE,
) -> Verdict:
    """A curve is less at a place than elsewhere."""
    low, high = curve.sel(place, drop=True), curve.sel(elsewhere, drop=True)
    return ordering(high, low, title, source=source)
