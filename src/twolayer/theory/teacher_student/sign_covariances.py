"""Covariances of the inputs from a random layer of sign units, and their covariances with the latents.

Source: goldt2021, random generators.
"""

import math

import numpy as np

from twolayer.model.teachers.teacher_student import InputMoments


def exact_sign_moments(weights: np.ndarray) -> InputMoments:
    """Return moments of one layer with weights F (N, D), by the arcsine law.

    Source: goldt2021, random generators.
    """
    directions = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    cosines = directions @ directions.T
    np.fill_diagonal(cosines, 1.0)  # rounding errors of the diagonal
    N, D = weights.shape
    Omega, Phi = 2 / math.pi * np.arcsin(cosines), math.sqrt(2 / math.pi) * directions  # E z sign z = sqrt(2 / pi)
    return InputMoments(np.zeros(N), np.zeros(D), Omega, Phi)
