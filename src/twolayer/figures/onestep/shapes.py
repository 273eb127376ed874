"""Checks of the shape of a curve: where it is smallest or largest, and how it compares at two places."""

from collections.abc import Mapping
from typing import Any

from twolayer.figures.checks import PUBLISHED, Values, Verdict, at_most

CURVE = "shape of the published curve"
CURVES = "shape of the published curves"
SLACK = 1e-4


def smallest(curve: Values, title: str, **place: float) -> Verdict:
    """A curve is smallest at a place."""
    return at_most(curve.sel(place, drop=True), curve, title, tolerance=SLACK, source=CURVE, compared=PUBLISHED)


def largest(curve: Values, title: str, **place: float) -> Verdict:
    """A curve is largest at a place."""
    return at_most(curve, curve.sel(place, drop=True), title, tolerance=SLACK, source=CURVE, compared=PUBLISHED)


def less(
    curve: Values,
    place: Mapping[str, Any],
    elsewhere: Mapping[str, Any],
    title: str,
    *,
    tolerance: float = SLACK,
    source: str = CURVE,
) -> Verdict:
    """A curve is less at a place than elsewhere."""
    low, high = curve.sel(place, drop=True), curve.sel(elsewhere, drop=True)
    return at_most(low, high, title, tolerance=tolerance, source=source, compared=PUBLISHED)
