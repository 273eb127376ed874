"""A two-layer student that sees inputs, and a two-layer teacher that sees the latents from which they are generated.

Local fields lambda_k = w_k . x / sqrt N of the student and nu_m = B_m . c / sqrt D of the teacher; outputs
sum_k v_k g(lambda_k) and sum_m A_m g(nu_m), without noise.
"""

import math
from dataclasses import dataclass

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.networks import initial_weights


@dataclass(frozen=True, eq=False)
class InputMoments:
    """First and second moments of inputs x and latents c, both centred.

    Attributes:
        mean: (N,) E x. latent_mean: (D,) E c.
        Omega: (N, N) covariance of x. Phi: (N, D) covariance of x and c.
        Omega_error, Phi_error: standard errors, as Frobenius norms; 0 where the moments are exact.
    """

    mean: np.ndarray
    latent_mean: np.ndarray
    Omega: np.ndarray
    Phi: np.ndarray
    Omega_error: float = 0.0
    Phi_error: float = 0.0

    def __post_init__(self):
        N, D = self.mean.size, self.latent_mean.size
        if self.Omega.shape != (N, N) or self.Phi.shape != (N, D):
            raise ConfigError(
                f"Omega {self.Omega.shape} and Phi {self.Phi.shape} do not fit inputs of {N} and latents of {D} "
                "dimensions: Omega is (N, N), Phi (N, D)"
            )


@dataclass(frozen=True, eq=False)
class TeacherStudent:
    """Weights of both networks.

    Attributes:
        W: (K, N), v: (K,) of the student. B: (M, D), A: (M,) of the teacher.
    """

    W: np.ndarray
    v: np.ndarray
    B: np.ndarray
    A: np.ndarray


@dataclass(frozen=True, eq=False)
class OrderParameters:
    """Covariances of the local fields: Q (K, K) of the student, R (K, M) of both, T (M, M) of the teacher.

    In a trajectory each but T has a leading axis.
    """

    Q: np.ndarray
    R: np.ndarray
    T: np.ndarray


def initial_teacher_student(
    rng: np.random.Generator, hidden_units: int, teacher_units: int, dimension: int, latent_dimension: int
) -> TeacherStudent:
    """Weights iid N(0, 1), but for A = 1.

    Source: goldt2021, experiments.
    """
    W, v = initial_weights(rng, hidden_units, dimension, 1.0)
    return TeacherStudent(W, v, rng.standard_normal((teacher_units, latent_dimension)), np.ones(teacher_units))


def order_parameters(networks: TeacherStudent, moments: InputMoments) -> OrderParameters:
    """Q = w Omega w^T / N, R = w Phi B^T / sqrt(N D) and T = B B^T / D."""
    W, B = networks.W, networks.B
    N, D = moments.Phi.shape
    return OrderParameters(W @ moments.Omega @ W.T / N, W @ moments.Phi @ B.T / math.sqrt(N * D), B @ B.T / D)
