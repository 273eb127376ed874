"""Random numbers of a network after one gradient step, in the order of this project or in the published order.

The two streams have the same distribution. The published stream draws more numbers than necessary, in the order of the
published code, so that it replays that code's numbers.
"""

import numpy as np
import scipy.linalg

from twolayer.model.random.normal_numbers import fill_normal

_ROWS = 16  # number of rows of noise that are drawn and summed while they are in the cache


class Stream:
    """Random numbers of a generator, without unnecessary draws.

    Attributes:
        dtype: type of its normal numbers.
    """

    dtype: type = float

    def __init__(self, generator: np.random.Generator):
        self._generator = generator

    def child(self, *key: float) -> "Stream":
        """Return an independent stream for a key, which does not depend on the numbers drawn so far."""
        seeds, words = self._generator.bit_generator.seed_seq, np.array(key, float).view(np.uint32)
        sequence = np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, *words.tolist()))
        return type(self)(np.random.default_rng(sequence))

    def uniform(self, size: int) -> np.ndarray:
        """Return numbers (size,) in [0, 1)."""
        return self._generator.random(size)

    def normal(self, *shape: int) -> np.ndarray:
        """Return standard normal numbers."""
        return self._generator.standard_normal(shape)

    def frame(self, dimension: int, rank: int) -> np.ndarray:
        """Return orthonormal columns (dimension, rank), uniformly distributed."""
        return scipy.linalg.qr(self.normal(dimension, rank).astype(float, copy=False), mode="economic")[0]

    def label_noise(self, samples: int, strength: float) -> np.ndarray | float:
        """Return normal numbers (samples,) with this standard deviation; none is drawn if it is zero."""
        return strength * self.normal(samples) if strength else 0.0

    def feature_noise(self, samples: int, width: int) -> np.ndarray:
        """Return standard normal numbers (samples, width)."""
        return self.normal(samples, width)

    def readout_noise(self, readout: np.ndarray, samples: int) -> np.ndarray:
        """Draw readout @ noise, (samples,), for standard normal noise (width, samples), from its distribution."""
        return np.linalg.norm(readout) * self.normal(samples)


class PublishedStream(Stream):
    """NumPy's legacy generator, in the order of the published code."""

    def __init__(self, seed: int):
        self._legacy = np.random.RandomState(seed)

    def child(self, *_: float) -> Stream:
        """Return this stream, because the published code has only one."""
        return self

    def uniform(self, size: int) -> np.ndarray:
        """Return numbers (size,) in [0, 1)."""
        return self._legacy.random_sample(size)

    def normal(self, *shape: int) -> np.ndarray:
        """Return standard normal numbers."""
        return self._legacy.standard_normal(shape)

    def frame(self, dimension: int, rank: int) -> np.ndarray:
        """Return the last columns (dimension, rank) of an orthogonal matrix, whose eigenvalues were sorted to
        ascend."""
        last = np.eye(dimension)[:, dimension - rank :]
        return scipy.linalg.qr_multiply(self.normal(dimension, dimension), last, mode="left")[0]

    def label_noise(self, samples: int, strength: float) -> np.ndarray:
        """Return normal numbers (samples,) with this standard deviation, drawn even if it is zero."""
        return strength * self.normal(samples)

    def feature_noise(self, samples: int, width: int) -> np.ndarray:
        """Return standard normal numbers (samples, width), drawn unit by unit."""
        return self.normal(width, samples).T

    def readout_noise(self, readout: np.ndarray, samples: int) -> np.ndarray:
        """Return readout @ noise (samples,), from all (width, samples) normal numbers."""
        parts = (readout[start : start + _ROWS] for start in range(0, len(readout), _ROWS))
        return sum(part @ self.normal(len(part), samples) for part in parts)


class SingleStream(Stream):
    """Random numbers whose normal numbers have single precision, at a tenth of the cost of double precision."""

    dtype = np.float32

    def normal(self, *shape: int) -> np.ndarray:
        """Return standard normal numbers."""
        numbers = np.empty(shape, np.float32)
        fill_normal(self._generator, np.ones(shape[-1]), numbers.reshape(-1, shape[-1]))
        return numbers
