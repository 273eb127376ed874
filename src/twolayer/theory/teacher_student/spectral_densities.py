"""Weights of a student and of its teacher along the modes of the inputs' covariance.

In the mode tau of Omega, with eigenvalue rho and unit eigenvector e, the student has W_k = w_k . e / sqrt N and the
teacher B'_m = e . Phi B_m / sqrt D. These are the covariances of x . e with the pre-activations lambda_k / rho and
nu_m. The equations of motion need only the products of these weights

    q_kl = W_k W_l,   r_km = W_k B'_m,   tt_nm = B'_n B'_m,

which give Q = sum rho q and R = sum r. The published densities are N q, sqrt(delta) N r and delta N tt, with delta = D
/ N, and have means instead of sums. Our densities do not depend on delta.

In each mode the products obey linear equations with coefficients polynomial in rho. So they are an entire function of
rho times their initial values, and sums over all modes reduce to a few nodes in rho by interpolation.

Source: goldt2021, equations of motion; own derivation of the nodes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from twolayer.errors import ConfigError
from twolayer.model.teachers.teacher_student import InputMoments, TeacherStudent, order_parameters

_AGREEMENT = 1e-10  # relative error of Q and R from the densities, compared with Q and R from the moments
_ROUNDING = 1e-10  # part of its largest eigenvalue by which rounding may make a covariance indefinite
_SOFT = 1e-3  # part of the largest eigenvalue below which the nodes no longer follow the logarithm
_NARROWEST = 1e-3  # smallest range of log rho over which the nodes spread


@dataclass(frozen=True, eq=False)
class Densities:
    """Products of weights in n modes or at n nodes.

    Attributes:
        rho: (n,) eigenvalues. mass: (n,) fraction of all modes.
        q: (K, K, n). r: (K, M, n). tt: (M, M, n), which is constant.
    """

    rho: np.ndarray
    mass: np.ndarray
    q: np.ndarray
    r: np.ndarray
    tt: np.ndarray

    @classmethod
    def of(cls, networks: TeacherStudent, moments: InputMoments) -> "Densities":
        """Return the densities in all modes.

        Raises:
            ConfigError: networks and moments do not fit each other, or their covariance of pre-activations is not
                positive.
        """
        (N, D), W, B = moments.Phi.shape, networks.W, networks.B
        if W.shape[1] != N or B.shape[1] != D:
            raise ConfigError(
                f"a student of {W.shape[1]} inputs and a teacher of {B.shape[1]} latents do not fit "
                f"moments of {N} and {D} dimensions: give both from one generator"
            )
        rho, modes = np.linalg.eigh(moments.Omega)
        student, teacher = W @ modes / np.sqrt(N), B @ moments.Phi.T @ modes / np.sqrt(D)
        densities = cls(
            rho,
            np.full(N, 1 / N),
            student[:, None] * student,
            student[:, None] * teacher,
            teacher[:, None] * teacher,
        )
        check(densities, networks, moments)
        return densities

    @property
    def Q(self) -> np.ndarray:
        """The covariance (K, K) of the student's fields."""
        return self.q @ self.rho

    @property
    def R(self) -> np.ndarray:
        """The covariance (K, M) of the student's and the teacher's fields."""
        return self.r.sum(axis=-1)


def check(densities: Densities, networks: TeacherStudent, moments: InputMoments) -> None:
    """Check that densities sum to the order parameters of the networks, and that Gaussian fields can have these.

    Raises:
        ConfigError: the sums differ from the order parameters, or the order parameters are not admissible.
    """
    order = order_parameters(networks, moments)
    for name, summed, expected in (("Q", densities.Q, order.Q), ("R", densities.R, order.R)):
        gap = np.abs(summed - expected).max()
        if not gap <= _AGREEMENT * np.abs(expected).max():
            raise ConfigError(
                f"the densities sum to a {name} that is off by {gap:.3g} at time 0: give a symmetric Omega, "
                "the Phi of the same inputs, and delta = D / N"
            )
    eigenvalues = np.linalg.eigvalsh(np.block([[order.Q, order.R], [order.R.T, order.T]]))
    if eigenvalues[0] < -_ROUNDING * eigenvalues[-1]:
        raise ConfigError(
            f"the covariance of pre-activations has the eigenvalue {eigenvalues[0]:.3g} at time 0: Omega and Phi "
            "do not belong to one distribution: estimate both from the same samples"
        )


def compressed(densities: Densities, nodes: int) -> Densities:
    """Return the densities at Chebyshev nodes in log(rho + a small part of the largest), from all modes.

    Raises:
        ConfigError: an eigenvalue is negative beyond rounding.
    """
    rho = densities.rho
    if rho.min() < -_ROUNDING * rho.max():
        raise ConfigError(
            f"nodes is {nodes}, but Omega has the eigenvalue {rho.min():.3g}, and nodes need eigenvalues of at least "
            "zero: use all "
            "modes (nodes: null), or moments from samples"
        )
    soft = _SOFT * rho.max()
    x = np.log(np.maximum(rho, 0) + soft)  # eigenvalues below zero are rounding errors
    centre, half = (x.max() + x.min()) / 2, max((x.max() - x.min()) / 2, _NARROWEST)
    points = np.cos(np.pi * (np.arange(nodes) + 0.5) / nodes)
    terms = np.full(nodes, 2 / nodes)
    terms[0] /= 2
    # the polynomial (n, N) that is 1 at one of the nodes and 0 at the others, by the orthogonality of Chebyshev's
    cardinal = (chebvander(points, nodes - 1) * terms) @ chebvander((x - centre) / half, nodes - 1).T
    gathered = (densities.mass, densities.q, densities.r, densities.tt)
    return Densities(np.exp(centre + half * points) - soft, *(values @ cardinal.T for values in gathered))
