"""One layer of sign units with a teacher and a student, for generic weights and for exceptions to Gaussian
equivalence."""

import math
from dataclasses import dataclass, replace

import numpy as np

from twolayer.errors import ConfigError
from twolayer.model.teachers.teacher_student import TeacherStudent, initial_teacher_student

CASES = ("generic", "few_latents", "localised", "low_rank", "aligned")
SMOOTH = ("smooth", "smooth_positive")
_FEW_LATENTS = 4
_SHARED = 0.8  # shared fraction of the squared length of a row of F, in a generator of low rank


@dataclass(frozen=True, eq=False)
class EquivalenceCase:
    """A generator x = s(F c) of sign or smooth units s, and the networks.

    Attributes:
        F: (N, D), rows of length one.
    """

    F: np.ndarray
    networks: TeacherStudent


def draw_case(name: str, rng: np.random.Generator, N: int, latent_ratio: float, K: int, M: int) -> EquivalenceCase:
    """Return a case, in which the theorem's bound

    - vanishes for large N: `generic`, all weights Gaussian, D / N = `latent_ratio`;
    - does not vanish: `few_latents`, D = 4; `localised`, where each student unit has a single input; `low_rank`, where
      the rows of F share a direction; `aligned`, where the first student unit sums up this direction.

    Raises:
        ConfigError: the case is unknown.

    Source: goldt2021, Gaussian equivalence; own choice of the cases.
    """
    if name not in CASES + SMOOTH:
        raise ConfigError(f"unknown case {name!r}: choose one of {', '.join(CASES + SMOOTH)}")
    D = _FEW_LATENTS if name == "few_latents" else max(1, round(latent_ratio * N))
    F, networks = _unit_rows(rng, N, D), initial_teacher_student(rng, K, M, N, D)
    if name in ("low_rank", "aligned"):
        F = math.sqrt(_SHARED) * _unit_rows(rng, 1, D) + math.sqrt(1 - _SHARED) * F
        F /= np.linalg.norm(F, axis=1, keepdims=True)
    W = networks.W.copy()
    if name == "localised":
        W = math.sqrt(N) * np.eye(K, N)
    elif name == "aligned":
        W[0] = 1
    elif name == "smooth_positive":
        W = np.abs(W)
    return EquivalenceCase(F, replace(networks, W=W))


def _unit_rows(rng, N, D):
    rows = rng.standard_normal((N, D))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
