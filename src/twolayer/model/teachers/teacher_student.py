"""A two-layer student of inputs, and a two-layer teacher of the latents that generate them.

The pre-activations are lambda_k = w_k . x / sqrt N for the student and nu_m = B_m . c / sqrt D for the teacher. The
outputs are sum_k v_k g(lambda_k) and sum_m A_m g(nu_m), without noise.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.networks.two_layer_networks import initial_weights

_ROUNDING = 1e-10  # part of its largest eigenvalue by which rounding may make a covariance indefinite


@dataclass(frozen=True, eq=False)
class InputMoments:
    """First and second moments of inputs x and latents c, both centred.

    Attributes:
        mean: (N,) E x. latent_mean: (D,) E c.
        Omega: (N, N) covariance of x. Phi: (N, D) covariance of x and c.
        Omega_error, Phi_error: standard errors, as Frobenius norms; 0 if the moments are exact.
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

    @property
    def variance_error(self) -> float:
        """Relative standard error sqrt(2 / n) of the variance of a Gaussian in the n samples of the moments, from
        Phi_error; 0 if the moments are exact.
        """
        return self.Phi_error * math.sqrt(2 / (self.latent_mean.size * np.trace(self.Omega) + np.sum(self.Phi**2)))


@dataclass(frozen=True, eq=False)
class GaussianInputs:
    """Gaussian inputs, and the inputs of the teacher.

    Attributes:
        dimension: N. By default, inputs are isotropic, and the teacher has the same inputs.
        covariance: (N, N), of inputs that the teacher shares.
        moments: moments of inputs, and of the latents that are the teacher's inputs.
    """

    dimension: int
    covariance: np.ndarray | None = None
    moments: InputMoments | None = None

    @property
    def isotropic(self) -> bool:
        """Whether neither covariance nor moments are given."""
        return self.covariance is None and self.moments is None

    @property
    def latent_dimension(self) -> int:
        """D, the dimension of the teacher's inputs."""
        return self.dimension if self.moments is None else self.moments.latent_mean.size

    @cached_property
    def root(self) -> np.ndarray:
        """The symmetric root (N, N) of the covariance.

        Raises:
            ConfigError: the covariance is not symmetric, or has a negative eigenvalue.
        """
        if not np.allclose(self.covariance, self.covariance.T):
            raise ConfigError("covariance is not symmetric: make it equal to its transpose")
        eigenvalues, modes = np.linalg.eigh(self.covariance)
        if eigenvalues[0] < -_ROUNDING * eigenvalues[-1]:
            raise ConfigError(f"covariance has the eigenvalue {eigenvalues[0]:.3g}: give eigenvalues of at least 0")
        return (modes * np.sqrt(np.maximum(eigenvalues, 0))) @ modes.T

    @property
    def white_moments(self) -> InputMoments:
        """Return moments of inputs that are not isotropic, and of white latents."""
        zero = np.zeros(self.dimension)
        return self.moments or InputMoments(zero, zero, self.covariance, self.root)

    def order_parameters(self, networks: "TeacherStudent") -> "OrderParameters":
        """Return Q, R and T of networks whose teacher sees white latents."""
        if not self.isotropic:
            return order_parameters(networks, self.white_moments)
        W, B, N = networks.W, networks.B, self.dimension
        return OrderParameters(W @ W.T / N, W @ B.T / N, B @ B.T / N)

    def seen_by_teacher(self, B: np.ndarray) -> np.ndarray:
        """Return the weights (M, D) on white latents of a teacher with weights B on its inputs."""
        return B if self.covariance is None else B @ self.root


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
    """Covariances of the pre-activations: Q (K, K) of the student, R (K, M) of both, T (M, M) of the teacher.

    In a trajectory, each array except T has a leading axis.
    """

    Q: np.ndarray
    R: np.ndarray
    T: np.ndarray


def initial_teacher_student(
    rng: np.random.Generator, hidden_units: int, teacher_units: int, dimension: int, latent_dimension: int
) -> TeacherStudent:
    """Return weights iid N(0, 1), and A = 1.

    Source: goldt2021, experiments.
    """
    W, v = initial_weights(rng, hidden_units, dimension, 1.0)
    return TeacherStudent(W, v, rng.standard_normal((teacher_units, latent_dimension)), np.ones(teacher_units))


def order_parameters(networks: TeacherStudent, moments: InputMoments) -> OrderParameters:
    """Return Q = w Omega w^T / N, R = w Phi B^T / sqrt(N D) and T = B B^T / D."""
    W, B = networks.W, networks.B
    N, D = moments.Phi.shape
    return OrderParameters(W @ moments.Omega @ W.T / N, W @ moments.Phi @ B.T / math.sqrt(N * D), B @ B.T / D)
