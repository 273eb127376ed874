"""The regularised risk of a network of given features, and the outer weights that minimise it (torch).

A mean-field network f(x) = (1/M) sum_j u_j phi(w_j, x) has the regularised risk

    L(w, u) = ||Phi u / M - y||^2 / (2 lambda N) + (1/M) sum_j (u_j - c)^2 / 2,

with c = 0 (biased) or c = 1 (unbiased: it vanishes where student and teacher distribution are equal). Variable
projection descends along the reduced risk R(w) = min_u L(w, u); two-timescale descent moves w and u together.

Source: barboni2025, section 2.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from twolayer.errors import ConfigError


@dataclass(frozen=True)
class Risk:
    """The regularised risk of a network of given features.

    Attributes:
        ridge: lambda > 0.
        offset: c, to which the regularisation pulls the outer weights.

    Raises:
        ConfigError: the ridge is not positive.
    """

    ridge: float
    offset: float

    def __post_init__(self):
        if not self.ridge > 0:
            raise ConfigError(f"ridge is {self.ridge:g}: variable projection needs a positive one")

    def __call__(self, features: Tensor, outer: Tensor, targets: Tensor) -> Tensor:
        """L, of features (N, M), outer weights (M, C) and targets (N, C); averaged over the C outputs."""
        error = features @ outer / features.shape[1] - targets
        return error.square().mean() / (2 * self.ridge) + (outer - self.offset).square().mean() / 2

    def project(self, features: Tensor, targets: Tensor) -> Tensor:
        """The minimiser u (M, C) of L, by the smaller one of two linear systems."""
        count, width = features.shape
        solve = self.project_primal if width <= count else self.project_dual
        return solve(features, targets)

    def project_primal(self, features: Tensor, targets: Tensor) -> Tensor:
        """u = (K + lambda)^-1 (Phi^T y / N + lambda c), K = Phi^T Phi / (N M)."""
        count, width = features.shape
        right = features.T @ targets / count + self.ridge * self.offset
        return _solve_shifted(features.T @ features / (count * width), self.ridge, right)

    def project_dual(self, features: Tensor, targets: Tensor) -> Tensor:
        """u = c + Phi^T (Phi Phi^T / (N M) + lambda)^-1 (y - c Phi 1 / M) / N."""
        count, width = features.shape
        unexplained = targets - self.offset * features.mean(dim=1, keepdim=True)
        dual = _solve_shifted(features @ features.T / (count * width), self.ridge, unexplained)
        return self.offset + features.T @ dual / count


def _solve_shifted(matrix, shift, right):
    """NaN where the matrix is not positive definite: an error would make a GPU wait for the answer in every step."""
    matrix.diagonal().add_(shift)
    factor, failed = torch.linalg.cholesky_ex(matrix)
    return torch.cholesky_solve(right, factor).masked_fill(failed != 0, torch.nan)
