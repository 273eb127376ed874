"""Variable projection on custom data."""

import numpy as np
import xarray as xr

from twolayer.experiments.projection.custom_descent import run_descent
from twolayer.experiments.projection.parameters import VariableProjection


def run(
    config: VariableProjection,
    inputs: np.ndarray,
    targets: np.ndarray,
    test_inputs: np.ndarray | None = None,
    test_targets: np.ndarray | None = None,
) -> xr.Dataset:
    """Return risk and errors during the descent, and the network at its end."""
    return run_descent(config, inputs, targets, test_inputs, test_targets, two_timescale=False)
