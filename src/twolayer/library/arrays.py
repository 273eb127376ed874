"""Arrays of one's own, checked."""

from typing import Any

import numpy as np

from twolayer.errors import ConfigError
from twolayer.parameters import read_array


def samples_and_targets(samples: Any, targets: Any, names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of numbers, one row of the first for each of the second.

    Args:
        samples: (n, d). targets: (n,) or (n, C). names: what errors call them.

    Raises:
        ConfigError: they are none, or do not fit, or there are fewer than two rows.
    """
    rows, values = (read_array(part, name) for part, name in zip((samples, targets), names, strict=True))
    if rows.ndim != 2 or 0 in rows.shape:
        raise ConfigError(f"{names[0]} has shape {rows.shape}: give one row for each sample, (n, d)")
    if values.ndim not in (1, 2) or len(values) != len(rows) or 0 in values.shape:
        raise ConfigError(
            f"{names[1]} has shape {values.shape} where {names[0]} has {len(rows)} rows: give one for each"
        )
    if len(rows) < 2:
        raise ConfigError(f"{names[0]} has one sample: give at least 2")
    return rows, values
