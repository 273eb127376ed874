"""Checks of fixed points by simulation."""

from collections.abc import Iterator

import xarray as xr

from twolayer.figures.checks import Verdict, pooled
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
