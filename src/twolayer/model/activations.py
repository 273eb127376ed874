"""Activation functions of the hidden units.

Compiled code takes an activation by its integer ``code`` and calls `activate` and `slope`; code on arrays calls
the `Activation` itself.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.special import erf

from twolayer.errors import ConfigError

_ERF, _RELU, _LINEAR = 0, 1, 2
_SLOPE_AT_ZERO = math.sqrt(2 / math.pi)  # derivative of erf(x / sqrt 2) at the origin


@njit(cache=True, inline="always")
def activate(code, x):
    """g(x)."""
    if code == _ERF:
        return math.erf(x * math.sqrt(0.5))
    if code == _RELU:
        return max(x, 0.0)
    return x


@njit(cache=True, inline="always")
def slope(code, x):
    """g'(x), with g'(0) = 0 for relu."""
    if code == _ERF:
        return _SLOPE_AT_ZERO * math.exp(-0.5 * x * x)
    if code == _RELU:
        return 1.0 if x > 0.0 else 0.0
    return 1.0


@dataclass(frozen=True)
class Activation:
    """A hidden unit's non-linearity g."""

    name: str
    code: int

    @property
    def odd(self) -> bool:
        """Whether g(-x) = -g(x)."""
        return self.code != _RELU

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """g(x), elementwise."""
        if self.code == _ERF:
            return erf(x * math.sqrt(0.5))
        return np.maximum(x, 0.0) if self.code == _RELU else np.asarray(x)


ERF = Activation("erf", _ERF)  # g(x) = erf(x / sqrt 2)
RELU = Activation("relu", _RELU)
LINEAR = Activation("linear", _LINEAR)
ACTIVATIONS = {activation.name: activation for activation in (ERF, RELU, LINEAR)}


def activation_named(name: str) -> Activation:
    """The activation of that name.

    Raises:
        ConfigError: no such activation.
    """
    if name not in ACTIVATIONS:
        raise ConfigError(f"unknown activation {name!r}: choose one of {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]
