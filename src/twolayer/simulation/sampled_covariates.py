"""Covariances of a teacher's and a student's features, from samples."""

from collections.abc import Iterable

import numpy as np

from twolayer.model.covariates import Covariates
from twolayer.simulation.moments import StreamedMoments


def sampled_covariates(
    batches: Iterable[tuple[np.ndarray, np.ndarray]], teacher: np.ndarray, features: int
) -> tuple[Covariates, np.ndarray]:
    """All three covariances from the same samples, so that no teacher is explained beyond its variance.

    Args:
        batches: of the teacher's features (b, p) and the student's (b, d). teacher: (p,). features: d.

    Returns: the covariates, and the mean (d,) of the student's features.

    Raises:
        DataError: fewer than two samples.
    """
    p = teacher.size
    moments = StreamedMoments(p + features, 0)
    for u, v in batches:
        moments.update(np.hstack([u, v]), np.empty((len(u), 0)))
    joint = moments.result()
    Psi, Phi, Omega = joint.Omega[:p, :p], joint.Omega[:p, p:], joint.Omega[p:, p:]
    return Covariates(Psi, Phi, Omega, teacher), joint.mean[p:]
