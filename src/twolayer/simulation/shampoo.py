"""The Shampoo optimizer, as the experiments of barboni2025 use it.

Libraries that are kept up have other variants (grafting, moving averages, roots computed every so many steps, blocks),
none of which gives these numbers. What is needed is short.
"""

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.optim import Optimizer


class Shampoo(Optimizer):
    """A preconditioner for each mode d of each parameter: L_d += G_d G_d^T, then G <- L_d^(-1/order) G along that mode.

    G_d is the gradient, preconditioned along the modes before d, as a matrix with mode d as its rows; order is the
    number of modes. The preconditioners start at epsilon times the identity, which is small beside what they gather:
    they are kept in double precision, where the sum is still positive definite after rounding.

    Args:
        parameters: what to train. learning_rate: of the preconditioned gradient. epsilon: where preconditioners start.

    Source: barboni2025, section 6.2; Gupta, Koren, Singer 2018, algorithm 2, with the exponent -1/order.
    """

    def __init__(self, parameters: Iterable[Tensor], learning_rate: float, epsilon: float = 1e-4):
        super().__init__(parameters, {"lr": learning_rate, "epsilon": epsilon})

    @torch.no_grad()
    def step(self) -> None:
        """Move all parameters once; those of one shape together."""
        for group in self.param_groups:
            shapes = {}
            for parameter in group["params"]:
                shapes.setdefault(parameter.shape, []).append(parameter)
            for parameters in shapes.values():
                gradients = torch.stack([parameter.grad for parameter in parameters]).double()
                directions = self._precondition(gradients, self.state[parameters[0]], group["epsilon"])
                for parameter, direction in zip(parameters, directions, strict=True):
                    parameter.sub_(direction.to(parameter.dtype), alpha=group["lr"])

    def _precondition(self, gradients, state, epsilon):
        """Gather the preconditioners (n, d, d) of each mode of n gradients of one shape in `state`, and apply them."""
        order = gradients.ndim - 1
        for mode in range(1, order + 1):
            moved = gradients.movedim(mode, 1)
            unfolded = moved.reshape(*moved.shape[:2], -1)
            if f"L{mode}" not in state:
                identity = torch.eye(moved.shape[1], dtype=unfolded.dtype, device=unfolded.device)
                state[f"L{mode}"] = epsilon * identity.repeat(len(gradients), 1, 1)
            gathered = state[f"L{mode}"].baddbmm_(unfolded, unfolded.mT)
            gradients = (_power(gathered, -1 / order) @ unfolded).reshape(moved.shape).movedim(1, mode)
        return gradients


def _power(matrices, exponent):
    """Powers of symmetric positive definite matrices (n, d, d)."""
    eigenvalues, vectors = torch.linalg.eigh(matrices)
    return (vectors * eigenvalues.pow(exponent)[:, None, :]) @ vectors.mT
