"""Weights at the end of runs of `online_sgd`, for predictions and for runs that continue from them."""

import json
from typing import Any

import numpy as np
import xarray as xr

from twolayer.errors import ConfigError, ResultError


def stated_parameters(runs: xr.Dataset, name: str) -> dict[str, Any]:
    """Return student and schedule of a result of online_sgd.

    Args:
        name: name of the result, for errors.

    Raises:
        ResultError: they are missing.
    """
    try:
        stated = json.loads(runs.attrs["params"])
        return {part: stated[part] for part in ("student", "schedule")}
    except (KeyError, TypeError, ValueError, RecursionError):
        raise ResultError(f"{name} has no parameters of online_sgd in its attribute 'params': make it again") from None


def final_weights(runs: xr.Dataset, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights W (runs, K, N) and v (runs, K) at the last time of a result of online_sgd.

    Args:
        name: name of the result, for errors.

    Raises:
        ConfigError: the result lacks its last time, to which W belongs.
        ResultError: the result lacks its parameters.
    """
    last_time, end = stated_parameters(runs, name)["schedule"]["last_time"], float(runs.time[-1])
    if abs(end - last_time) > 1 / runs.sizes["input"]:  # the end is a whole number of steps
        raise ConfigError(
            f"{name} ends at time {end:g}, but its weights W belong to time {last_time:g}: give a result with its last "
            "time"
        )
    return (
        runs.W.transpose("seed", "unit", "input").values,
        runs.v.isel(time=-1).transpose("seed", "unit").values,
    )
