"""How numpy reports floating-point errors during a computation."""

import numpy as np


def default_errors() -> np.errstate:
    """Return a context with the defaults of numpy, whatever the caller has set by `numpy.seterr`.

    Computations rely on infinity and NaN, which they check, and on numbers that become zero.
    """
    return np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")
