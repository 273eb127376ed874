"""Mean-field flows as a result."""

import xarray as xr

from twolayer.errors import ResultError


def flow_quantiles(flow: xr.Dataset, ridge: float, regularization: str) -> xr.DataArray:
    """The quantiles along one of the flows that a result holds.

    Raises:
        ResultError: it does not hold that one.
    """
    ridges, names = flow.ridge.values.tolist(), flow.regularization.values.tolist()
    if ridge not in ridges or regularization not in names:
        raise ResultError(
            f"input 'flow' holds the ridges {ridges} ({', '.join(names)}): "
            f"ridge {ridge:g}, {regularization}, is not among them"
        )
    return flow["quantile"].sel(ridge=ridge, regularization=regularization)
