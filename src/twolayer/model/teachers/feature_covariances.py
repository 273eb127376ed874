"""The Gaussian covariate model: a teacher and a student with different features of the same sample.

Labels are a function of the field nu = theta . u / sqrt p of the teacher's features u, and the student has the features
v. The pair (u, v) is Gaussian, or nearly Gaussian, with mean zero.
"""

import math
from dataclasses import dataclass

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.networks.hermite_expansion import HermiteExpansion


@dataclass(frozen=True, eq=False)
class CovariateModel:
    """Covariances of the features from any source, and the teacher.

    Attributes:
        Psi: (p, p) E u u^T. Phi: (p, d) E u v^T. Omega: (d, d) E v v^T.
        teacher: (p,) theta.

    Source: goldt2021, Gaussian covariate model.
    """

    Psi: np.ndarray
    Phi: np.ndarray
    Omega: np.ndarray
    teacher: np.ndarray

    def __post_init__(self):
        p, d = self.teacher.size, len(self.Omega)
        if (self.Psi.shape, self.Phi.shape, self.Omega.shape) != ((p, p), (p, d), (d, d)):
            raise ConfigError(
                f"a teacher of {p} weights, Psi {self.Psi.shape}, Phi {self.Phi.shape} and Omega {self.Omega.shape} "
                "do not fit: Psi is (p, p), Phi (p, d) and Omega (d, d)"
            )
        if np.diag(self.Psi).min() < 0 or np.diag(self.Omega).min() < 0:
            raise ConfigError("Psi or Omega has a negative variance on its diagonal: give covariances")

    @property
    def power(self) -> float:
        """The variance rho of the field nu."""
        return float(self.teacher @ self.Psi @ self.teacher) / self.teacher.size

    @property
    def correlation(self) -> np.ndarray:
        """E nu v (d,)."""
        return self.teacher @ self.Phi / math.sqrt(self.teacher.size)


def power_law_covariances(dimension: int, exponent: float) -> CovariateModel:
    """Return a model in which teacher and student share features, with variances i^-exponent up to a factor.

    The mean variance is one, and all weights are one.
    """
    variances = np.arange(1.0, dimension + 1) ** -exponent
    covariance = np.diag(variances / variances.mean())
    return CovariateModel(covariance, covariance, covariance, np.ones(dimension))


def random_feature_covariances(
    projection: np.ndarray, teacher: np.ndarray, expansion: HermiteExpansion
) -> CovariateModel:
    """Return random features v_i = phi(P_i.c / sqrt D) - E phi of a latent c ~ N(0, I), which is also the teacher's
    input.

    To degree one, the features act like k_1 P.c / sqrt D + k_* noise, which is exact as D tends to infinity. By
    Mehler's formula, the error at degree l is O(D^(-(l + 1) / 2)) in the covariance of two features, and zero in their
    variance.

    Args:
        projection: (D, F), columns of length sqrt D, so that the fields have variance one. teacher: (D,).
        expansion: expansion of phi at scale one.

    Source: goldt2021, random features.
    """
    D, F = projection.shape
    lengths = np.linalg.norm(projection, axis=0) / math.sqrt(D)
    if not np.allclose(lengths, 1):
        raise ConfigError(f"a column of the projection has length {lengths[0]:.4g} sqrt D: give it length sqrt D")
    overlaps, Omega = projection.T @ projection / D, np.zeros((F, F))
    for n in range(len(expansion.coefficients) - 1, 0, -1):  # Horner's scheme in the overlap
        Omega = (Omega + math.factorial(n) * expansion.coefficients[n] ** 2) * overlaps
    Omega.flat[:: F + 1] += expansion.rest**2
    return CovariateModel(np.eye(D), expansion.coefficients[1] * projection / math.sqrt(D), Omega, teacher)
