"""Kernels of infinitely many random features, and neural tangent kernels at initialisation.

A feature is g(p.x / sqrt D) with p ~ N(0, I_D). A kernel depends on the overlap x.x' / D of two inputs and on their
powers |x|^2 / D. The neural tangent kernel of a two-layer network is the sum of two parts. The part of the
first layer is overlap times E[g' g'], for second-layer weights of unit variance. The part of the second layer is the
kernel of the features.
"""

from collections.abc import Callable
from typing import get_args

import numpy as np

from twolayer.model.networks.names import KernelActivation, KernelName

Kernel = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _relu(overlap, power, other_power):
    """Return E[g g'] and E[g' g'] of relu units (arc-cosine kernels)."""
    norm = np.sqrt(power * other_power)
    cosine = overlap / norm
    if np.isrealobj(cosine):
        cosine = np.clip(cosine, -1.0, 1.0)  # the cosine of an input with itself is 1 up to rounding
    angle = np.pi - np.arccos(cosine)
    return norm / (2 * np.pi) * (np.sqrt(1 - cosine**2) + angle * cosine), angle / (2 * np.pi)


def _erf(overlap, power, other_power):
    """Return E[g g'] and E[g' g'] of the units erf(u / sqrt 2)."""
    cosine, across = overlap / np.sqrt((1 + power) * (1 + other_power)), power * other_power - overlap**2
    if np.isrealobj(cosine):  # an input with itself, up to rounding
        cosine, across = np.clip(cosine, -1.0, 1.0), np.maximum(across, 0.0)
    return 2 / np.pi * np.arcsin(cosine), 2 / np.pi / np.sqrt(1 + power + other_power + across)


_AVERAGES = dict(zip(get_args(KernelActivation), (_relu, _erf), strict=True))


def kernel(name: KernelName, activation: KernelActivation) -> Kernel:
    """Return a kernel by its name, a function of overlap x.x' / D and powers |x|^2 / D, |x'|^2 / D.

    Args:
        name: `features` for infinitely many random features, `tangent` for the neural tangent kernel at
            initialisation, or `first_layer` for the part of it that comes from the first layer. With the learning rates
            of the papers only that part has a limit, because the second layer learns N times more slowly.
        activation: activation of the units; erf means erf(u / sqrt 2).

    References:
        Cho and Saul 2009 (relu); Williams 1998 (erf); Jacot, Gabriel and Hongler 2018 (tangent kernel).
    """
    averages = _AVERAGES[activation]

    def value(overlap, power, other_power):
        features, slopes = averages(overlap, power, other_power)
        first_layer = overlap * slopes
        return {"features": features, "first_layer": first_layer, "tangent": features + first_layer}[name]

    return value


def kernel_matrix(function: Kernel, inputs: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return values (n, n') of a kernel at pairs of inputs (n, D) and (n', D)."""
    D = inputs.shape[1]
    powers, other_powers = (np.einsum("nd,nd->n", x, x) / D for x in (inputs, others))
    return function(inputs @ others.T / D, powers[:, None], other_powers)
