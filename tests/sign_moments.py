"""Moments of the inputs that random networks of sign units give, as goldt2021 approximates them."""

import math
from collections.abc import Sequence

import numpy as np

from twolayer.model.teachers.teacher_student import InputMoments

_SLOPE = math.sqrt(2 / math.pi)  # E z sign z, of a standard normal z


def linearised_sign_moments(layers: Sequence[np.ndarray]) -> InputMoments:
    """Moments to the leading order in the correlation of units, which is small between wide layers.

    A unit is the sum of a linear function of its field and of independent noise, which restores its variance 1 on
    average; the last layer's is set to 1. Eigenvalues of Omega can come out negative where layers are narrow.

    Args:
        layers: F_l (fan out, fan in) from the latent to the input, with entries of variance 1 / fan in.

    Source: goldt2021, random generators.
    """
    Omega, Phi = _SLOPE**2 * layers[0] @ layers[0].T, _SLOPE * layers[0]
    for F in layers[1:]:
        Omega.flat[:: len(Omega) + 1] += 1 - _SLOPE**2
        Omega, Phi = _SLOPE**2 * F @ Omega @ F.T, _SLOPE * F @ Phi
    np.fill_diagonal(Omega, 1.0)
    return InputMoments(np.zeros(len(Phi)), np.zeros(Phi.shape[1]), Omega, Phi)
