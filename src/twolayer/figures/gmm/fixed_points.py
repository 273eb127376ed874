"""Checks of fixed points: that they are some, and by simulation."""

from collections.abc import Iterator

import xarray as xr

from twolayer.figures.checks import NUMERICS, Verdict, at_most, pooled
from twolayer.figures.curves import ERRORS


def fixed_point_checks(result: xr.Dataset, name: str) -> Iterator[Verdict]:
    """Learning ends where the equations say.

    Args:
        result: of the task `fixed_point`. name: what its titles begin with.
    """
    for error, word in ERRORS.items():
        yield pooled(
            result[f"simulated_{error}"],
            result[f"closed_{error}"],
            f"{name}, {word} of the fixed point against simulation",
            source="time average of simulations that come from displaced weights, by the chain of order parameters",
        )


def stationarity_checks(result: xr.Dataset, name: str) -> Iterator[Verdict]:
    """The equations stand still there, and come back to it."""
    yield at_most(
        result.residual,
        0,
        f"{name}, the fixed point is stationary",
        tolerance=1e-10,
        source="largest component of the drift of the order parameters",
        compared=NUMERICS,
    )
    yield at_most(
        result.leading_eigenvalue,
        0,
        f"{name}, the fixed point is stable",
        tolerance=1e-12,
        source="leading eigenvalue of the linearised order-parameter equations",
        compared=NUMERICS,
    )
