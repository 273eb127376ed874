"""Random numbers of the points of a sweep."""

import numpy as np


def stream_at(seed: int, value: float) -> np.random.Generator:
    """Return the random numbers of the point at a value, which do not depend on the other points."""
    return np.random.default_rng([seed, int(np.float64(value).view(np.uint64))])
