"""Features of any type for `reduced_descent`, in torch on any device, with automatic gradients."""

import numpy as np
import torch
from torch import Tensor

from twolayer.errors import NotConverged
from twolayer.model.networks.feature_maps import FeatureMap

_TYPES = {"single": torch.float32, "double": torch.float64}


class AutogradFeatures:
    """The features of a changing network at fixed inputs, with targets to fit. `torus.TorusFeatures` is an example.

    Args:
        inputs: (N, d). targets: (N,). width: M.
        precision: `single` or `double`, for everything except the weights.
    """

    def __init__(
        self,
        feature_map: FeatureMap,
        inputs: np.ndarray,
        targets: np.ndarray,
        width: int,
        precision: str,
        device: torch.device,
    ):
        self.count, self.width = len(inputs), width
        self._map, self._kind, self._device = feature_map, _TYPES[precision], device
        self._inputs, self._targets = self.array(inputs), self.array(targets)

    def array(self, values: np.ndarray) -> Tensor:
        """Convert numbers to a tensor of the type that the other methods take."""
        return torch.as_tensor(values, dtype=self._kind, device=self._device)

    def numpy(self, values: Tensor) -> np.ndarray:
        """Return a tensor as an array."""
        return values.numpy(force=True)

    def place(self, weights: np.ndarray | Tensor) -> Tensor:
        """Move weights (M, d) of features, in double precision, to their space, and return them."""
        return self._map.clip(torch.as_tensor(weights, dtype=torch.float64, device=self._device))

    def evaluate(self, weights: Tensor, outer: Tensor) -> tuple[Tensor, Tensor]:
        """Set the weights (M, d) of the features. Return the misfit y - Phi u / M (N,), and Phi^T misfit / N (M,)."""
        self._weights = weights.to(self._kind, copy=True).requires_grad_()
        self._graph = self._map.features(self._inputs, self._weights)
        self._phi = self._graph.detach()
        misfit = self._targets - self._phi @ outer / self.width
        return misfit, misfit @ self._phi / self.count

    def product(self, direction: Tensor) -> tuple[Tensor, Tensor]:
        """Return Phi p / M (N,) and K p = Phi^T Phi p / (N M), for a direction p (M,)."""
        image = self._phi @ direction / self.width
        return image, image @ self._phi / self.count

    def shifted_inverse(self, ridge: float) -> Tensor:
        """Return (K + ridge)^-1 (M, M).

        Raises:
            NotConverged: the matrix is not positive definite in this precision.
        """
        matrix = self._phi.T @ self._phi / (self.count * self.width)
        matrix.diagonal().add_(ridge)
        factor, failed = torch.linalg.cholesky_ex(matrix)
        if failed:
            raise NotConverged(
                f"K + ridge is not positive definite in {self._kind} at ridge {ridge:g}: use a larger ridge"
            )
        return torch.cholesky_inverse(factor).contiguous()  # row by row, as from a checkpoint, so that all bits agree

    def slopes(self, misfit: Tensor) -> Tensor:
        """Return the sum over the data of misfit_n times the gradient of phi(w_j, x_n) in w_j (M, d)."""
        (slopes,) = torch.autograd.grad(self._graph, self._weights, misfit[:, None].expand_as(self._graph))
        return slopes.double()
