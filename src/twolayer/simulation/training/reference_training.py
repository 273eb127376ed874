"""The first steps of a training of ResNet-20 by their definitions in double precision, as a reference for `training`.

It shares only the network with that code: the risk is written as a formula, the outer weights come from least squares,
and every optimizer is written as its formula.

Source: barboni2025, section 6.2; Gupta, Koren, Singer 2018, algorithm 2, for Shampoo, with the exponent -1/order.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

import torch
from torch import Tensor

from twolayer.model.networks.resnet import FEATURES, ResNet

_SHAMPOO_START = 1e-4  # factor of the identity


def plain_steps(
    network: ResNet,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: Literal["varpro", "sgd", "shampoo"],
    learning_rate: float,
    momentum: float,
    ridge: float,
) -> Iterator[float]:
    """Return the risk of each batch, before the step of the optimizer and after the projection if there is one.

    Args:
        network: network in double precision; changed in place. Its batch norms include a batch with momentum 0.1, at
            each of the two passes of a step with a projection.
        batches: images (B, 3, H, W) and one-hot targets (B, C). momentum: momentum of sgd, or of the projected outer
            weights.
    """
    projects = optimizer == "varpro"
    trained = list((network.features if projects else network).parameters())
    memories = [{} for _ in trained]
    network.train()
    for images, targets in batches:
        if projects:
            with torch.no_grad():
                best = _minimiser(network.features(images), targets, ridge)
                network.outer.copy_(momentum * network.outer + (1 - momentum) * best)
        answers = network.features(images) @ network.outer / FEATURES
        risk = ((answers - targets) ** 2).mean() / (2 * ridge) + (network.outer**2).mean() / 2
        gradients = torch.autograd.grad(risk, trained)
        with torch.no_grad():
            for parameter, gradient, memory in zip(trained, gradients, memories, strict=True):
                if optimizer == "sgd":
                    gradient = memory["velocity"] = momentum * memory.get("velocity", 0) + gradient
                elif optimizer == "shampoo":
                    gradient = _preconditioned(gradient, memory)
                parameter -= learning_rate * gradient
        yield float(risk.detach())


def _minimiser(features, targets, ridge):
    """Return u (K, C) with the least ||Phi u / K - y||^2 / (ridge B) + ||u||^2 / K."""
    count, width = features.shape
    unit = torch.eye(width, dtype=features.dtype, device=features.device) / width**0.5
    rows = torch.cat([features / (width * (ridge * count) ** 0.5), unit])
    return torch.linalg.lstsq(rows, torch.cat([targets / (ridge * count) ** 0.5, 0 * unit[:, : targets.shape[1]]]))[0]


def _preconditioned(gradient, memory):
    """Return the preconditioned gradient: along each mode, add G G^T to the memory, and multiply by its power
    -1/order."""
    order = gradient.ndim
    for mode, size in enumerate(gradient.shape):
        matrix = gradient.movedim(mode, 0).reshape(size, -1)
        identity = torch.eye(size, dtype=matrix.dtype, device=matrix.device)
        memory[mode] = memory.get(mode, _SHAMPOO_START * identity) + matrix @ matrix.T
        left, values, right = torch.linalg.svd(memory[mode])
        root = left @ torch.diag(values ** (-1 / order)) @ right
        gradient = torch.tensordot(root, gradient, ([1], [mode])).movedim(0, mode)
    return gradient
