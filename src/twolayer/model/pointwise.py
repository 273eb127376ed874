"""Activations as functions of arrays: any function with a slope will do, no closed form is asked of it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from twolayer.errors import ConfigError


@dataclass(frozen=True)
class Pointwise:
    """A hidden unit's non-linearity phi and its derivative, each from an array to a new one of its shape."""

    name: str
    value: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]


def _sigmoid(z):
    return 0.5 * np.tanh(0.5 * z) + 0.5  # faster than by the exponential, and cannot overflow


def _sigmoid_slope(z):
    s = _sigmoid(z)
    return s * (1 - s)


RELU = Pointwise("relu", lambda z: np.maximum(z, 0), lambda z: (z > 0).astype(z.dtype))
TANH = Pointwise("tanh", np.tanh, lambda z: 1 - np.tanh(z) ** 2)
SIGMOID = Pointwise("sigmoid", _sigmoid, _sigmoid_slope)
SOFTPLUS = Pointwise("softplus", lambda z: np.logaddexp(z, 0), _sigmoid)
ERF = Pointwise("erf", lambda z: erf(z / math.sqrt(2)), lambda z: math.sqrt(2 / math.pi) * np.exp(-(z**2) / 2))
SIGN = Pointwise("sign", np.sign, np.zeros_like)
_NAMED = {activation.name: activation for activation in (RELU, TANH, SIGMOID, SOFTPLUS, ERF, SIGN)}


def pointwise_named(name: str) -> Pointwise:
    """The activation of that name.

    Raises:
        ConfigError: no such activation.
    """
    if name not in _NAMED:
        raise ConfigError(f"unknown activation {name!r}: choose one of {', '.join(_NAMED)}")
    return _NAMED[name]
