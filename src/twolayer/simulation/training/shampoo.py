"""The Shampoo optimizer, as in the experiments of barboni2025.

Maintained libraries have other variants (grafting, moving averages, roots that are computed in intervals, blocks), none
of which gives the same numbers. The required part is short.
"""

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.optim import Optimizer


class Shampoo(Optimizer):
    """A preconditioner for each mode d of each parameter: L_d += G_d G_d^T, then G <- L_d^(-1/order) G along that mode.

    G_d is the gradient, preconditioned along the modes before d, as a matrix with mode d as its rows; order is the
    number of modes. The preconditioners start at epsilon times the identity, which is small compared with the later
    sums. They have double precision, in which the sum is still positive definite after rounding.

    Args:
        parameters: trained parameters. learning_rate: rate of the preconditioned gradient. epsilon: scale of the
            initial preconditioners.

    Source: barboni2025, section 6.2; Gupta, Koren, Singer 2018, algorithm 2, with the exponent -1/order.
    """

    def __init__(self, parameters: Iterable[Tensor], learning_rate: float, epsilon: float = 1e-4):
        super().__init__(parameters, {"lr": learning_rate, "epsilon": epsilon})

    @torch.no_grad()
    def step(self) -> None:
        """Move all parameters once; parameters with the same shape move together, mode after mode."""
        for group in self.param_groups:
            shapes = {}
            for parameter in group["params"]:
                shapes.setdefault(parameter.shape, []).append(parameter)
            gradients = {
                shape: torch.stack([parameter.grad for parameter in parameters]).double()
                for shape, parameters in shapes.items()
            }
            for mode in range(1, 1 + max(map(len, shapes))):
                here = [shape for shape in shapes if len(shape) >= mode]
                unfolded = [_unfold(gradients[shape], mode) for shape in here]
                gathered = [
                    self._gather(matrices, self.state[shapes[shape][0]], f"L{mode}", group["epsilon"])
                    for shape, matrices in zip(here, unfolded, strict=True)
                ]
                roots = _powers(gathered, [-1 / len(shape) for shape in here])
                for shape, root, matrices in zip(here, roots, unfolded, strict=True):
                    moved = gradients[shape].movedim(mode, 1)
                    gradients[shape] = (root @ matrices).reshape(moved.shape).movedim(1, mode)
            for shape, parameters in shapes.items():
                for parameter, direction in zip(parameters, gradients[shape], strict=True):
                    parameter.sub_(direction.to(parameter.dtype), alpha=group["lr"])

    def _gather(self, matrices, state, name, epsilon):
        """Add to the preconditioners (n, d, d) of one mode of n parameters."""
        if name not in state:
            identity = torch.eye(matrices.shape[1], dtype=matrices.dtype, device=matrices.device)
            state[name] = epsilon * identity.repeat(len(matrices), 1, 1)
        return state[name].baddbmm_(matrices, matrices.mT)


def _unfold(gradients, mode):
    """Return gradients (n, ...) as matrices (n, d, -1) with one mode as their rows."""
    moved = gradients.movedim(mode, 1)
    return moved.reshape(*moved.shape[:2], -1)


def _powers(stacks, exponents):
    """Return powers of stacks of symmetric positive definite matrices (n, d, d), with one decomposition for each size
    d.
    """
    sizes = {}
    for place, stack in enumerate(stacks):
        sizes.setdefault(stack.shape[-1], []).append(place)
    powers = [None] * len(stacks)
    for places in sizes.values():
        counts = [len(stacks[place]) for place in places]
        together = torch.cat([stacks[place] for place in places])
        found = torch.linalg.eigh(together.cpu())  # a GPU takes longer for matrices of this size
        eigenvalues, vectors = (part.to(together.device) for part in found)
        for place, values, axes in zip(places, eigenvalues.split(counts), vectors.split(counts), strict=True):
            powers[place] = (axes * values.pow(exponents[place])[:, None, :]) @ axes.mT
    return powers
