"""One layer of sign units with a teacher and a student, whose local fields tend to be Gaussian, or are made not to.

Inputs are x = sign(A c) with rows of A of unit length, c ~ N(0, identity); lambda = W x / sqrt N, nu = B c / sqrt D.
"""

import math
from dataclasses import dataclass

import numpy as np

from twolayer.errors import ConfigError

_FEW_LATENTS = 4
_SHARED = 0.8  # of the squared length of a row of A, in a generator of low rank


@dataclass(frozen=True)
class EquivalenceCase:
    """Weights of generator, student and teacher.

    Attributes:
        A: (N, D). W: (K, N). B: (M, D).
    """

    A: np.ndarray
    W: np.ndarray
    B: np.ndarray

    @property
    def covariance(self) -> np.ndarray:
        """(K + M, K + M) covariance of the fields (lambda, nu), exactly: the arcsine law and Stein's lemma.

        Source: goldt2021, Gaussian equivalence.
        """
        N, D = self.A.shape
        Omega = 2 / math.pi * np.arcsin(np.clip(self.A @ self.A.T, -1, 1))  # rounding can lead beyond a correlation
        Q = self.W @ Omega @ self.W.T / N
        R = math.sqrt(2 / math.pi) * self.W @ self.A @ self.B.T / math.sqrt(N * D)
        return np.block([[Q, R], [R.T, self.B @ self.B.T / D]])


def draw_case(name: str, rng: np.random.Generator, N: int, latent_ratio: float, K: int, M: int) -> EquivalenceCase:
    """A case in which the theorem's bound

    - vanishes for large N: `generic`, all weights Gaussian, D / N = `latent_ratio`;
    - does not: `few_latents`, D = 4; `localised`, where each student unit sees one input alone; `low_rank`, where the
      rows of A share a direction; `aligned`, where the first student unit sums up what they share.

    Raises:
        ConfigError: no such case.

    Source: goldt2021, Gaussian equivalence; the cases are ours.
    """
    D = _FEW_LATENTS if name == "few_latents" else max(1, round(latent_ratio * N))
    A, W, B = (_unit_rows(rng, N, D), rng.standard_normal((K, N)), rng.standard_normal((M, D)))
    if name in ("low_rank", "aligned"):
        A = math.sqrt(_SHARED) * _unit_rows(rng, 1, D) + math.sqrt(1 - _SHARED) * A
        A /= np.linalg.norm(A, axis=1, keepdims=True)
    if name == "localised":
        W = math.sqrt(N) * np.eye(K, N)
    elif name == "aligned":
        W[0] = 1
    elif name not in ("generic", "few_latents", "low_rank"):
        raise ConfigError(f"unknown case {name!r}: choose one of generic, few_latents, localised, low_rank, aligned")
    return EquivalenceCase(A, W, B)


def _unit_rows(rng, N, D):
    rows = rng.standard_normal((N, D))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
