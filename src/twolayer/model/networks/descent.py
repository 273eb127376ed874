"""Common parts of all descents of mean-field networks: the offset of their regularisation, and times of measurement."""

import numpy as np

OFFSETS = {"unbiased": 1.0, "biased": 0.0}  # values to which the regularisation pulls the outer weights


def measured_iterations(iterations: int, every: int) -> np.ndarray:
    """Return the iterations of the measurements, increasing, from 0 to `iterations`.

    These are each `every`-th iteration, and 24 more from 10 to 1000, evenly spaced in their logarithm.
    """
    early = np.rint(np.geomspace(10, 1000, 25)).astype(int)
    late = np.append(np.arange(0, iterations, every), iterations)
    return np.union1d(early[early < iterations], late)
