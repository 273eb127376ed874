"""Images of two classes as spiked data: scaled to a given total variance, with unit noise.

A class is described by its mean and the trace of its covariance. Both are computed from a stream of batches, so that a
million images need no more memory than a batch.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from twolayer.errors import DataError
from twolayer.model.random.streams import Stream


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Mean (n,) of the images of a class, and the trace of their covariance."""

    mean: np.ndarray
    trace: float


def class_moments(batches: Iterable[np.ndarray]) -> ClassMoments:
    """Return moments over all batches (any number, n), merged one by one so that nothing cancels.

    Raises:
        DataError: there are fewer than two images.
    """
    count, mean, squares = 0, 0.0, 0.0
    for batch in batches:
        centre = batch.mean(axis=0, dtype=float)
        shift, total = centre - mean, count + len(batch)
        squares += np.sum((batch - centre) ** 2) + np.sum(shift**2) * count * len(batch) / total
        mean = mean + shift * (len(batch) / total)
        count = total
    if count < 2:
        raise DataError(f"moments of a class from {count} images: give at least two")
    return ClassMoments(mean, float(squares) / count)


def noisy_images(
    stream: Stream,
    images: tuple[np.ndarray, np.ndarray],
    moments: tuple[ClassMoments, ClassMoments],
    signal: float,
    keep_means: bool,
) -> np.ndarray:
    """Return inputs (M, n), first class first: sqrt(theta / trace) v + standard normal noise.

    Args:
        images: images u (M_c, n) of either class. signal: theta, the total variance to which the images are scaled.
        keep_means: see `centred_images`, which computes v.

    Source: demir2025, experiments on generated images.
    """
    inputs = np.sqrt(signal / moments[0].trace) * np.vstack(centred_images(images, moments, keep_means))
    return inputs + stream.normal(*inputs.shape)


def centred_images(
    images: tuple[np.ndarray, np.ndarray], moments: tuple[ClassMoments, ClassMoments], keep_means: bool
) -> list[np.ndarray]:
    """Return images v (M_c, n) of either class about an origin, the second class scaled to the trace of the first.

    Args:
        images: u (M_c, n). keep_means: if true, the origin is the mean of both classes, else the mean of each class.
    """
    first, second = moments
    middle = (first.mean + second.mean) / 2
    origins = (middle, middle) if keep_means else (first.mean, second.mean)
    scales = 1.0, np.sqrt(first.trace / second.trace)
    return [scale * (u - origin) for u, origin, scale in zip(images, origins, scales, strict=True)]
