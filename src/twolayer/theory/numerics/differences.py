"""Steps of finite differences."""

import numpy as np

_RELATIVE = 1e-7
_SMALLEST = 1e-3  # part of its typical size below which a component counts as that part


def difference_steps(vector: np.ndarray, sizes: np.ndarray | None = None) -> np.ndarray:
    """Return steps (n,) for forward differences, which rounding errors do not spoil where a component vanishes.

    Args:
        sizes: typical size of each component (n,); by default the largest component.
    """
    scale = np.abs(vector).max() if sizes is None else sizes
    return _RELATIVE * np.maximum(np.abs(vector), _SMALLEST * scale)
