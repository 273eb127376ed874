"""The regularised risk of a network of given features, and the outer weights that minimise it (torch).

A mean-field network f(x) = (1/M) sum_j u_j phi(w_j, x) has the regularised risk

    L(w, u) = ||Phi u / M - y||^2 / (2 lambda N) + (1/M) sum_j (u_j - c)^2 / 2,

with c = 0 (biased) or c = 1 (unbiased: the regularisation vanishes if student and teacher have the same distribution).
Variable projection descends along the reduced risk R(w) = min_u L(w, u); two-timescale descent moves w and u together.
An entropy can replace the square (u - 1)^2 / 2.

Source: barboni2025, section 2.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from twolayer.errors import ConfigError, NotConverged

# largest number of steps of Newton's method, and the largest change of f'(u) in one step
_MOST_STEPS, _LONGEST_STEP = 100, 2.0
_ILL_CONDITIONED = 1e10  # ratio of tr K to the ridge from which the linear systems lose too many digits
_RESIDUAL = 1e-12  # residual of the projection by Newton's method, relative to its right-hand side


@dataclass(frozen=True)
class Risk:
    """The regularised risk of a network of given features.

    Attributes:
        ridge: lambda > 0.
        offset: c, to which the regularisation pulls the outer weights.
        power: power of the regularisation, see `power_entropies`. A power below 2 requires an offset of 1.

    Raises:
        ConfigError: the ridge is not positive, or the power does not fit the offset.
    """

    ridge: float
    offset: float
    power: float = 2.0

    def __post_init__(self):
        if not self.ridge > 0:
            raise ConfigError(f"ridge is {self.ridge:g}: variable projection needs a positive ridge")
        if self.power != 2 and self.offset != 1:
            raise ConfigError(f"power is {self.power:g}: use 2, or the unbiased regularization")

    def __call__(self, features: Tensor, outer: Tensor, targets: Tensor) -> Tensor:
        """Return L of features (N, M), outer weights (M, C) and targets (N, C), averaged over the C outputs."""
        error = features @ outer / features.shape[1] - targets
        return error.square().mean() / (2 * self.ridge) + self._pull(outer).mean()

    def _pull(self, outer):
        if self.power == 2:
            return (outer - self.offset).square() / 2
        if self.power == 1:
            return torch.xlogy(outer, outer) - outer + 1
        return (outer**self.power - self.power * (outer - 1) - 1) / (self.power * (self.power - 1))

    def project(self, features: Tensor, targets: Tensor) -> Tensor:
        """Return the minimiser u (M, C) of L; if L is quadratic, by the smaller one of two linear systems.

        Raises:
            NotConverged: L is not quadratic, and Newton's method does not converge.
        """
        if self.power != 2:
            return self._project_by_newton(features, targets)
        count, width = features.shape
        if float(features.square().mean()) > _ILL_CONDITIONED * self.ridge:
            return self.project_by_factors(features, targets)
        solve = self.project_primal if width <= count else self.project_dual
        return solve(features, targets)

    def project_primal(self, features: Tensor, targets: Tensor) -> Tensor:
        """Return u = (K + lambda)^-1 (Phi^T y / N + lambda c), K = Phi^T Phi / (N M)."""
        count, width = features.shape
        right = features.T @ targets / count + self.ridge * self.offset
        return _solve_shifted(features.T @ features / (count * width), self.ridge, right)

    def project_dual(self, features: Tensor, targets: Tensor) -> Tensor:
        """Return u = c + Phi^T (Phi Phi^T / (N M) + lambda)^-1 (y - c Phi 1 / M) / N."""
        count, width = features.shape
        unexplained = targets - self.offset * features.mean(dim=1, keepdim=True)
        dual = _solve_shifted(features @ features.T / (count * width), self.ridge, unexplained)
        return self.offset + features.T @ dual / count

    def project_by_factors(self, features: Tensor, targets: Tensor) -> Tensor:
        """Return u from the singular value decomposition of the features, whose squares would lose digits."""
        count, width = features.shape
        left, sizes, right = torch.linalg.svd(features, full_matrices=False)
        unexplained = left.T @ (targets - self.offset * features.mean(dim=1, keepdim=True))
        filtered = sizes / (sizes.square() / width + self.ridge * count)
        return self.offset + right.T @ (filtered[:, None] * unexplained)

    def _project_by_newton(self, features, targets):
        """Solve K u + lambda h = Phi^T y / N for h = f'(u).

        A step d satisfies (K du/dh + lambda) d = residual.
        """
        count, width = features.shape
        gram, right = features.T @ features / (count * width), features.T @ targets / count
        slope = torch.zeros_like(right)
        for _ in range(_MOST_STEPS):
            outer = self._outer(slope)
            residual = right - gram @ outer - self.ridge * slope
            if residual.norm() <= _RESIDUAL * right.norm():
                return outer
            # roots of du/dh make the systems symmetric, one system for each output
            roots = outer ** (1 - self.power / 2)
            systems = roots.T[:, :, None] * gram * roots.T[:, None, :]
            solved = _solve_shifted(systems, self.ridge, (roots * residual).T[:, :, None])[:, :, 0].T
            step = (residual - gram @ (roots * solved)) / self.ridge
            slope = slope + step * min(1.0, _LONGEST_STEP / float(step.abs().max()))
        raise NotConverged(f"the projection did not converge at ridge {self.ridge:g}: use a larger ridge")

    def _outer(self, slope):
        """Return u with f'(u) = slope, or 0 if no u satisfies this."""
        if self.power == 1:
            return slope.exp()
        return (1 + (self.power - 1) * slope).clamp(min=0) ** (1 / (self.power - 1))


def _solve_shifted(matrix, shift, right):
    """Solve (matrix + shift) x = right; NaN if the matrix is not positive definite.

    An error would make a GPU wait for the result in every step.
    """
    matrix.diagonal(dim1=-2, dim2=-1).add_(shift)
    factor, failed = torch.linalg.cholesky_ex(matrix)
    return torch.cholesky_solve(right, factor).masked_fill((failed != 0)[..., None, None], torch.nan)
