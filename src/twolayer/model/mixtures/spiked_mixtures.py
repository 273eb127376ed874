"""Gaussian mixtures whose covariances are the identity plus a few spikes, and their labels.

A component c has mean zero and covariance I + gamma_c diag(theta_c) gamma_c^T. Only gamma_c (n, d) and theta_c are
stored. All components have the same trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twolayer.model.random.streams import Stream
from twolayer.model.teachers.label_functions import RELU_LABELS, LabelFunction

_BLOCK = 128  # number of rows that are drawn and get their spikes while they are in the cache


@dataclass(frozen=True, eq=False)
class SpikedMixture:
    """A mixture of C components with mean zero in n dimensions.

    Attributes:
        frames: C arrays (n, d_c), the directions gamma of the spikes.
        spikes: C arrays (d_c,), their sizes theta, ascending, with the same sum in each component.
        ratios: (C,) fractions of the samples.
    """

    frames: tuple[np.ndarray, ...]
    spikes: tuple[np.ndarray, ...]
    ratios: np.ndarray

    @property
    def dimension(self) -> int:
        """The dimension n."""
        return len(self.frames[0])

    @property
    def trace(self) -> float:
        """Trace of the covariance of any component."""
        return self.dimension + float(np.sum(self.spikes[0]))

    @property
    def norm(self) -> float:
        """The largest eigenvalue of the covariance of the mixture, exact, computed only from its spikes."""
        components = zip(self.ratios, self.spikes, self.frames, strict=True)
        U = np.hstack([np.sqrt(ratio * theta) * gamma for ratio, theta, gamma in components])
        return 1 + float(np.max(np.linalg.eigvalsh(U.T @ U), initial=0))


@dataclass(frozen=True, eq=False)
class Samples:
    """A data set: inputs (M, n) and labels (M,)."""

    inputs: np.ndarray
    labels: np.ndarray

    def astype(self, dtype: type) -> "Samples":
        """Return the samples in another precision."""
        return Samples(self.inputs.astype(dtype, copy=False), self.labels.astype(dtype, copy=False))


def draw_mixture(
    stream: Stream,
    dimension: int,
    spike: float,
    ranks: Sequence[int] = (1, 1),
    alignments: Sequence[float] = (0.0,),
    ratios: Sequence[float] = (0.5, 0.5),
    random_spikes: bool = False,
) -> SpikedMixture:
    """Return a mixture with spikes in random directions.

    Args:
        dimension: n. spike: theta, the size of every spike.
        ranks: number of spikes d_c of each of the C components; 0 for all of them gives isotropic inputs.
        alignments: a_c of each component except the first: its directions are a_c gamma_1 + sqrt(1 - a_c^2) gamma_c, of
            unit length up to O(n^-1/2).
        ratios: fractions of the samples.
        random_spikes: whether the sizes are uniform between zero and `spike`. Spikes of the other components are always
            scaled to the sum of the first component's spikes.

    Source: demir2025, structured data.
    """
    sizes = [np.sort(spike * (stream.uniform(d) if random_spikes else np.ones(d))) for d in ranks]
    if any(ranks):
        sizes = [theta * (sizes[0].sum() / theta.sum()) for theta in sizes]
        frames = [stream.frame(dimension, max(ranks)) for _ in ranks]
    else:
        frames = [np.empty((dimension, 0)) for _ in ranks]
    mixed = [frames[0]] + [a * frames[0] + np.sqrt(1 - a**2) * g for a, g in zip(alignments, frames[1:], strict=True)]
    used = [gamma[:, gamma.shape[1] - d :] for gamma, d in zip(mixed, ranks, strict=True)]
    return SpikedMixture(tuple(used), tuple(sizes), np.array(ratios, float))


def random_teacher(stream: Stream, mixture: SpikedMixture, directions: int = 1) -> np.ndarray:
    """Return teacher xi (n,) in a random direction, or (a, n) in orthogonal ones, of length ||Sigma||^-1/2."""
    if directions == 1:
        return _scaled(stream.normal(mixture.dimension), mixture)
    return stream.frame(mixture.dimension, directions).T / np.sqrt(mixture.norm)


def aligned_teacher(mixture: SpikedMixture) -> np.ndarray:
    """Return a teacher xi (n,) along the sum of the largest spikes, of length ||Sigma||^-1/2."""
    return _scaled(sum(gamma[:, -1] for gamma in mixture.frames), mixture)


def _scaled(direction, mixture):
    return direction / (np.linalg.norm(direction) * np.sqrt(mixture.norm))


def component_sizes(mixture: SpikedMixture, samples: int) -> np.ndarray:
    """Return the numbers (C,) of samples of each component; the last component gets the rest after rounding down."""
    sizes = (mixture.ratios * samples).astype(int)
    sizes[-1] = samples - sizes[:-1].sum()
    return sizes


def draw_inputs(stream: Stream, mixture: SpikedMixture, samples: int) -> np.ndarray:
    """Return inputs (M, n), component by component: x = a + gamma ((sqrt(1 + theta) - 1) * gamma^T a) for normal a.

    They have the precision of the stream.
    """
    inputs = np.empty((samples, mixture.dimension), stream.dtype)
    stop = 0
    for gamma, theta, size in zip(mixture.frames, mixture.spikes, component_sizes(mixture, samples), strict=True):
        stretched = (gamma * (np.sqrt(1 + theta) - 1)).astype(inputs.dtype)
        back = gamma.T.astype(inputs.dtype)
        start, stop = stop, stop + size
        for first in range(start, stop, _BLOCK):
            block = inputs[first : min(first + _BLOCK, stop)]
            block[:] = stream.normal(*block.shape)
            block += np.dot(block @ stretched, back)  # with the usual single spike, `@` would take seven times as long
    return inputs


def component_labels(sizes: np.ndarray) -> np.ndarray:
    """Return alternating labels +1 and -1 of the components."""
    return np.repeat(component_signs(len(sizes)), sizes)


def component_signs(components: int) -> np.ndarray:
    """Return alternating signs (C,) +1 and -1."""
    return np.where(np.arange(components) % 2, -1.0, 1.0)


@dataclass(frozen=True, eq=False)
class LabelledMixture:
    """The distribution of inputs and labels.

    Attributes:
        teacher: xi (n,) or (a, n), for labels t(xi . x); without it, labels of the components are +1 and -1
            alternately.
        noise: standard deviation of the normal noise on a teacher's labels.
        function: t, relu by default.
    """

    mixture: SpikedMixture
    teacher: np.ndarray | None = None
    noise: float = 0.0
    function: LabelFunction = RELU_LABELS

    def sample(self, stream: Stream, samples: int) -> Samples:
        """Return a data set from the distribution."""
        inputs = draw_inputs(stream, self.mixture, samples)
        if self.teacher is None:
            return Samples(inputs, component_labels(component_sizes(self.mixture, samples)))
        labels = self.function(inputs @ self.directions.T.astype(inputs.dtype))
        return Samples(inputs, labels + stream.label_noise(samples, self.noise))

    @property
    def directions(self) -> np.ndarray:
        """The directions (a, n) of the teacher."""
        return np.atleast_2d(self.teacher)
