"""What all descents of mean-field networks share: the offset of their regularisation, and when they are measured."""

import numpy as np

OFFSETS = {"unbiased": 1.0, "biased": 0.0}  # what the regularisation pulls the outer weights to


def measured_iterations(iterations: int, every: int) -> np.ndarray:
    """Iterations of the measurements, increasing, from 0 to `iterations`: each `every`-th, and 24 more from 10 to 1000,
    evenly spaced in their logarithm."""
    early = np.rint(np.geomspace(10, 1000, 25)).astype(int)
    late = np.append(np.arange(0, iterations, every), iterations)
    return np.union1d(early[early < iterations], late)
