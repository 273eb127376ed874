"""Features along a descent as a result."""

from collections.abc import Sequence

import xarray as xr

from twolayer.errors import ConfigError


def snapshots_at(features: xr.DataArray, iterations: Sequence[int]) -> xr.DataArray:
    """The snapshots of some iterations, from those that a descent kept.

    Raises:
        ConfigError: it kept none of that iteration.
    """
    if missing := sorted(set(iterations) - set(features.snapshot.values.tolist())):
        raise ConfigError(f"iterations has {missing[0]}, of which input 'descent' kept no snapshot")
    return features.sel(snapshot=list(iterations))
