"""Mean-field flows as a result."""

from collections.abc import Sequence

import xarray as xr

from twolayer.errors import ConfigError, ResultError


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


def snapshots_at(features: xr.DataArray, iterations: Sequence[int]) -> xr.DataArray:
    """The snapshots of some iterations, from those that a descent kept.

    Raises:
        ConfigError: it kept none of that iteration.
    """
    if missing := sorted(set(iterations) - set(features.snapshot.values.tolist())):
        raise ConfigError(f"iterations has {missing[0]}, of which input 'descent' kept no snapshot")
    return features.sel(snapshot=list(iterations))
