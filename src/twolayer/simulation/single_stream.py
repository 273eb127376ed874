"""The random numbers of a network after one gradient step, in the single precision in which it is simulated."""

import numpy as np

from twolayer.model.streams import Stream
from twolayer.simulation.normal_numbers import fill_normal


class SingleStream(Stream):
    """Random numbers whose normal ones are single, at a tenth of the cost of double ones."""

    dtype = np.float32

    def normal(self, *shape: int) -> np.ndarray:
        """Standard normals."""
        numbers = np.empty(shape, np.float32)
        fill_normal(self._generator, np.ones(shape[-1]), numbers.reshape(-1, shape[-1]))
        return numbers
