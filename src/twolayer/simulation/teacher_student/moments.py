"""Moments of a stream of samples, in double precision and with the memory of the moments."""

import math
from collections.abc import Iterable, Mapping

import numpy as np
from scipy.linalg.blas import dsyrk

from twolayer.errors import DataError
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.model.teachers.teacher_student import InputMoments


class StreamedMoments:
    """First and second moments of inputs (N,) and of their latents (D,), batch by batch.

    Batches are merged by their deviations from their means, so that nothing cancels.

    Attributes:
        count: number of samples so far.

    Source: goldt2021, Monte Carlo covariances; chan1983 for the merging.
    """

    def __init__(self, dimension: int, latent_dimension: int):
        self.count = 0
        self._mean, self._latent_mean = np.zeros(dimension), np.zeros(latent_dimension)
        self._squares = np.zeros((dimension, dimension), order="F")  # only the upper triangle
        self._products = np.zeros((dimension, latent_dimension))
        self._fourth, self._mixed = 0.0, 0.0

    def update(self, inputs: np.ndarray, latents: np.ndarray) -> None:
        """Add a batch of inputs (b, N) and latents (b, D)."""
        total = self.count + len(inputs)
        X, shift = _deviations(inputs, self._mean, self.count / total)
        C, latent_shift = _deviations(latents, self._latent_mean, self.count / total)
        self._squares = dsyrk(1.0, X.T, beta=1.0, c=self._squares, overwrite_c=1)
        self._products += X.T @ C
        input_power, latent_power = (np.einsum("bi,bi->b", part[:-1], part[:-1]) for part in (X, C))
        self._fourth += input_power @ input_power
        self._mixed += input_power @ latent_power
        self._mean += shift * (len(inputs) / total)
        self._latent_mean += latent_shift * (len(inputs) / total)
        self.count = total

    def state(self) -> dict[str, np.ndarray]:
        """Return all sums so far, for `resume`."""
        return {name.lstrip("_"): np.asarray(value) for name, value in vars(self).items()}

    def resume(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from the sums that `state` returned."""
        self.count, self._fourth, self._mixed = int(state["count"]), float(state["fourth"]), float(state["mixed"])
        self._mean, self._latent_mean = state["mean"].copy(), state["latent_mean"].copy()
        self._squares, self._products = np.asfortranarray(state["squares"]), state["products"].copy()

    def result(self) -> InputMoments:
        """Return the moments of all samples, divided by their number.

        Their standard errors follow from E |x x^T - Omega|^2 = E |x|^4 - |Omega|^2, and from the same formula for Phi.

        Raises:
            DataError: there are fewer than two samples.
        """
        if self.count < 2:
            raise DataError(f"covariances need at least two samples: give more than {self.count}")
        Omega = np.triu(self._squares) / self.count
        Omega += np.triu(Omega, 1).T
        Phi = self._products / self.count
        fourth, mixed = self._fourth / self.count, self._mixed / self.count
        errors = (math.sqrt(max(m - np.sum(A**2), 0) / self.count) for m, A in ((fourth, Omega), (mixed, Phi)))
        return InputMoments(self._mean.copy(), self._latent_mean.copy(), Omega, Phi, *errors)


def _deviations(batch, mean, weight):
    """Return deviations from the batch's mean, with one more row for the deviation of this mean, and the mean."""
    centre = batch.mean(axis=0, dtype=float)
    rows = np.empty((len(batch) + 1, batch.shape[1]))
    np.subtract(batch, centre, out=rows[:-1])
    rows[-1] = math.sqrt(weight * len(batch)) * (centre - mean)
    return rows, centre - mean


def sampled_covariances(
    batches: Iterable[tuple[np.ndarray, np.ndarray]], teacher: np.ndarray, features: int
) -> tuple[CovariateModel, np.ndarray]:
    """Return all three covariances from the same samples, so that the explained variance does not exceed the total.

    Args:
        batches: batches of the teacher's features (b, p) and the student's (b, d). teacher: (p,). features: d.

    Returns: the covariates, and the mean (d,) of the student's features.

    Raises:
        DataError: there are fewer than two samples.
    """
    p = teacher.size
    moments = StreamedMoments(p + features, 0)
    for u, v in batches:
        moments.update(np.hstack([u, v]), np.empty((len(u), 0)))
    joint = moments.result()
    Psi, Phi, Omega = joint.Omega[:p, :p], joint.Omega[:p, p:], joint.Omega[p:, p:]
    return CovariateModel(Psi, Phi, Omega, teacher), joint.mean[p:]
