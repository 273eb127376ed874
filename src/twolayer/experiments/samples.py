"""Checks of custom samples."""

import numpy as np

from twolayer.errors import ConfigError

_ROUNDING = 8  # factor of the relative precision: numbers that vary by less are equal


def never_changes(low: np.ndarray, high: np.ndarray, precision: float = np.finfo(float).eps) -> np.ndarray:
    """Return whether numbers between `low` and `high` are equal, up to rounding.

    Args:
        low, high: smallest and largest value of each feature (d,). precision: relative precision of the numbers.
    """
    return high - low <= _ROUNDING * precision * np.maximum(np.abs(low), np.abs(high))


def check_samples(inputs: np.ndarray, targets: np.ndarray, names: tuple[str, str]) -> None:
    """Check that arrays are samples.

    Args:
        inputs: (n, d). targets: (n,) or (n, C). names: names of the two, for the error.

    Raises:
        ConfigError: their shapes do not fit, or there are fewer than two samples.
    """
    if inputs.ndim != 2 or 0 in inputs.shape:
        raise ConfigError(f"{names[0]} has shape {inputs.shape}: give one row for each sample, (n, d)")
    if targets.ndim not in (1, 2) or len(targets) != len(inputs) or 0 in targets.shape:
        raise ConfigError(
            f"{names[1]} has shape {targets.shape}, but {names[0]} has {len(inputs)} rows: give one value for each row"
        )
    if len(inputs) < 2:
        raise ConfigError(f"{names[0]} has a single sample: give at least 2")
