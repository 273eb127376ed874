"""Mean-field flows as a result."""

from collections.abc import Sequence

import xarray as xr

from twolayer.errors import ConfigError, ResultError


def flow_quantiles(flow: xr.Dataset, ridge: float, regularization: str) -> xr.DataArray:
    """Return the quantiles along one of the flows in a result.

    Raises:
        ResultError: the result does not have that flow.
    """
    ridges, names = flow.ridge.values.tolist(), flow.regularization.values.tolist()
    if ridge not in ridges or regularization not in names:
        raise ResultError(
            f"input 'flow' has the ridges {ridges} ({', '.join(names)}), "
            f"but not ridge {ridge:g}, {regularization}: give a flow with this ridge"
        )
    return flow["quantile"].sel(ridge=ridge, regularization=regularization)


def snapshots_at(features: xr.DataArray, iterations: Sequence[int]) -> xr.DataArray:
    """Return the snapshots of some iterations of a descent.

    Raises:
        ConfigError: the descent has no snapshot of an iteration.
    """
    if missing := sorted(set(iterations) - set(features.snapshot.values.tolist())):
        raise ConfigError(
            f"iterations has {missing[0]}, but input 'descent' has no snapshot of it: choose iterations of its "
            "snapshots"
        )
    return features.sel(snapshot=list(iterations))
