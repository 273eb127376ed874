"""Distance of pre-activations of teacher and student from the Gaussian with the covariance of the theory."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import OptimizeWarning, curve_fit
from scipy.special import ndtri

from twolayer.errors import NotConverged
from twolayer.model.random.normal_numbers import fill_normal
from twolayer.model.teachers.equivalence_cases import EquivalenceCase

_BLOCK_ELEMENTS = 2**21  # number of inputs' elements that are generated at a time
_ROUNDS = 4  # iterations of a fit whose errors are proportional to the fit


@dataclass(frozen=True, eq=False)
class SlicedDistances:
    """Distances along each of E directions, for fields in units of their predicted standard deviation.

    Attributes:
        distance: (E,) Wasserstein distance W1 from the standard normal distribution.
        kurtosis: (E,) fourth moment in excess of 3 squared variances.
        variance_score: (E,) deviation of the variance from one, in standard errors.
    """

    distance: np.ndarray
    kurtosis: np.ndarray
    variance_score: np.ndarray


def case_fields(
    case: EquivalenceCase, samples: int, rng: np.random.Generator, activation: Callable = np.sign
) -> np.ndarray:
    """Return fields (samples, K + M) (lambda, nu) of fresh inputs, generated in blocks and single precision.

    Inputs without a weight in the student are left out.
    """
    N, seen = len(case.F), case.networks.W.any(axis=0)
    F, W, B = (part.T.astype(np.float32) for part in (case.F[seen], case.networks.W[:, seen], case.networks.B))
    D = len(F)
    block = max(1, _BLOCK_ELEMENTS // (N + D))
    latents, fields = np.empty((block, D), np.float32), []
    for start in range(0, samples, block):
        c = latents[: samples - start]
        fill_normal(rng, np.ones(D), c)
        fields.append(np.hstack([activation(c @ F) @ W / math.sqrt(N), c @ B / math.sqrt(D)]))
    return np.concatenate(fields)


def sliced_distances(
    fields: np.ndarray, covariance: np.ndarray, directions: int, rng: np.random.Generator
) -> SlicedDistances:
    """Return distances of the fields' distribution from N(0, covariance) along random directions.

    Args:
        fields: (n, K + M). covariance: (K + M, K + M).
    """
    samples, rank = fields.shape
    slices = rng.standard_normal((directions, rank))
    slices /= np.sqrt(np.einsum("ea,ab,eb->e", slices, covariance, slices))[:, None]
    quantiles = ndtri((np.arange(samples) + 0.5) / samples).astype(np.float32)
    return SlicedDistances(*np.transpose([_slice(fields @ direction, quantiles) for direction in slices]))


def _slice(z, quantiles):
    squares = (z - z.mean()) ** 2
    variance, fourth = squares.mean(), np.mean(squares**2)
    distance = np.mean(np.abs(np.sort(z.astype(np.float32)) - quantiles), dtype=float)
    # two samples have no spread of squares, and rounding may make it negative
    score = (variance - 1) / math.sqrt(max(fourth - variance**2, np.finfo(float).eps * variance**2) / z.size)
    return distance, fourth / variance**2 - 3, score


def decay_exponent(sizes: np.ndarray, squares: np.ndarray, floor: np.ndarray) -> tuple[float, float]:
    """Return b in squares ~ floor + N^(-2 b) and its standard error, by least squares with the errors of the means.

    A few draws do not determine an error for each size. Instead, the draws of all sizes determine one relative scatter.
    The error of the floor is common to all sizes. The standard error is infinite if the squares determine no exponent,
    for instance if they are as small as the floor.

    Args:
        sizes: (S,) N. squares: (draws, S). floor: (draws,) squares of an equal number of samples of the Gaussian
            distribution.

    Raises:
        NotConverged: no power fits the distances.
    """
    mean, draws = squares.mean(axis=0), len(squares)
    scatter = np.mean(squares.var(axis=0, ddof=1) / mean**2) / draws
    common = floor.var(ddof=1) / len(floor)
    found, level = (mean[0] - floor.mean(), 0.5), mean
    try:
        for _ in range(_ROUNDS):
            errors = scatter * np.diag(level**2) + common
            start = {"p0": found, "sigma": errors, "absolute_sigma": True}
            with warnings.catch_warnings(), np.errstate(over="ignore"):  # trials of the fit may overflow
                warnings.simplefilter("ignore", OptimizeWarning)  # the standard error may be infinite
                found, covariance = curve_fit(_power, sizes / sizes[0], mean - floor.mean(), **start)
            level = floor.mean() + _power(sizes / sizes[0], *found)
    except (RuntimeError, ValueError) as failure:
        raise NotConverged(
            f"no power of the size fits the distances ({failure}): use more samples or seeds, or larger sizes"
        ) from None
    return float(found[1]), math.sqrt(covariance[1, 1])


def _power(size, amplitude, b):
    return amplitude * size ** (-2 * b)
