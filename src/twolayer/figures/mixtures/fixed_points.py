"""Checks of fixed points: that they are some, and by simulation."""

from collections.abc import Iterator

import xarray as xr

from twolayer.figures.checks import NUMERICS, Check, at_most, pooled
from twolayer.figures.curves import ERRORS


def fixed_point_checks(result: xr.Dataset, name: str) -> Iterator[Check]:
    """Learning ends where the equations say, which are those of infinite dimension.

    At a finite dimension N the errors are off by a part of 1/N of themselves: at learning rate 0.3 by 0.43 of it in
    pmse, and 0.57 in class error, from N = 125 to 500.

    Args:
        result: of the task `fixed_point`. name: what its titles begin with.
    """
    for error, word in ERRORS.items():
        yield pooled(
            result[f"simulated_{error}"],
            result[f"closed_{error}"],
            f"{name}, {word} of the fixed point against simulation",
            source="time average of simulations that come from displaced weights, by SGD in order parameters, "
            "within chance and 1/N for their finite dimension",
            stated=1 / result.input_dimension,
        )


DISTANCE = 1e-5  # the error of the quadrature: a fixed point that is nearer cannot be told from the true one


def stationarity_checks(result: xr.Dataset, name: str) -> Iterator[Check]:
    """The equations stand still there, and come back to it."""
    yield at_most(
        result.residual / abs(result.leading_eigenvalue),
        0,
        f"{name}, the fixed point is stationary",
        tolerance=DISTANCE,
        source="largest component of the drift over the slowest rate of return: distance to the fixed point",
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
