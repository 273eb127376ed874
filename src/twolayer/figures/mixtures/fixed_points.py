"""Checks that states are fixed points, by the equations and by simulation."""

from collections.abc import Iterator

import xarray as xr

from twolayer.figures.checks import NUMERICS, Check, at_most, pooled
from twolayer.figures.curves import ERRORS


def fixed_point_checks(result: xr.Dataset, name: str) -> Iterator[Check]:
    """Compare the end of learning in simulations with the equations, which hold for infinite dimension.

    At a finite dimension N the relative error is of order 1/N: at learning rate 0.3 it is 0.43/N in pmse, and 0.57/N in
    class error, from N = 125 to 500.

    Args:
        result: result of the task `fixed_point`. name: beginning of its titles.
    """
    for error, word in ERRORS.items():
        yield pooled(
            result[f"simulated_{error}"],
            result[f"closed_{error}"],
            f"{name}, {word} of the fixed point against simulation",
            source="time average of simulations that start from displaced weights, by SGD in order parameters, "
            "within chance and 1/N for their finite dimension",
            stated=1 / result.input_dimension,
        )


DISTANCE = 1e-5  # the error of the quadrature: a closer fixed point cannot be distinguished from the true one


def stationarity_checks(result: xr.Dataset, name: str) -> Iterator[Check]:
    """Check that the equations are stationary at the fixed point, and return to it."""
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
